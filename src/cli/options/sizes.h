// SPDX-License-Identifier: MIT
// The option --sizes: cache sizes, as a list or as a rule.
#ifndef DEJA_CLI_OPTIONS_SIZES_H
#define DEJA_CLI_OPTIONS_SIZES_H

#include <deja/model.h>

enum dj_sizes_how {
    DJ_SIZES_DEFAULT, // one per doubling
    DJ_SIZES_LOG,     // "log:N"
    DJ_SIZES_ALL,     // "all": wherever the curve changes
    DJ_SIZES_LIST,
};

typedef struct dj_sizes {
    enum dj_sizes_how how;
    unsigned per_doubling;
    uint64_t *blocks; // ascending, no duplicates
    size_t block_count;
    uint64_t *bytes; // capacities in bytes, for elements with sizes
    size_t byte_count;
} dj_sizes;

// Parses `text` (NULL: the default). Converts sizes in bytes to blocks of
// `block_bytes`. If that is 0 (keys), they are capacities in bytes where there is
// a byte curve, and an error otherwise.
int dj_sizes_parse(dj_context *context, const char *text, uint64_t block_bytes, bool byte_curve,
                   dj_sizes *out);
// Replaces a rule by the sizes that it selects for a lane.
int dj_sizes_resolve(dj_context *context, dj_sizes *sizes, const dj_lane_profile *lane);
void dj_sizes_free(dj_sizes *sizes);

#endif
