// SPDX-License-Identifier: MIT
// The cache sizes that a user asks for, as a list or as a rule.
#ifndef DEJA_CLI_OPTIONS_SIZES_H
#define DEJA_CLI_OPTIONS_SIZES_H

#include <deja/model.h>

enum dj_sizes_how {
    DJ_SIZES_DEFAULT, // one to each doubling
    DJ_SIZES_LOG,     // "log:N"
    DJ_SIZES_ALL,     // "all": wherever the curve changes
    DJ_SIZES_LIST,
};

typedef struct dj_sizes {
    enum dj_sizes_how how;
    unsigned per_doubling;
    uint64_t *blocks; // increasing, each once
    size_t block_count;
    uint64_t *bytes; // of a cache that holds elements by their bytes
    size_t byte_count;
} dj_sizes;

// Reads `text` (NULL: the default). Sizes in bytes are blocks of `block_bytes`;
// when that is 0 (keys) they are byte sizes if there is a byte curve, and
// refused if not.
int dj_sizes_parse(dj_context *context, const char *text, uint64_t block_bytes, bool byte_curve,
                   dj_sizes *out);
// Turns a rule into the sizes it means for a lane.
int dj_sizes_settle(dj_context *context, dj_sizes *sizes, const dj_lane_profile *lane);
void dj_sizes_free(dj_sizes *sizes);

#endif
