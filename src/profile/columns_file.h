// SPDX-License-Identifier: MIT
// The file format of a profile in columns, `.dejap` (docs/formats.md).
#ifndef DEJA_PROFILE_COLUMNS_FILE_H
#define DEJA_PROFILE_COLUMNS_FILE_H

#include <deja/section.h>

#include <stdio.h>

#include "base/pack.h"

#define DJ_COLUMNS_MAGIC                                                                                     \
    "\x89"                                                                                                   \
    "DJP\r\n\x1a\n"
#define DJ_COLUMNS_SECTION                                                                                   \
    "\x89"                                                                                                   \
    "DJS"
enum {
    DJ_COLUMNS_VERSION = 1,
    DJ_COLUMNS_MAGIC_BYTES = 8,
    DJ_COLUMNS_FILE_BYTES = 12, // magic, version
    DJ_COLUMNS_HEAD_BYTES = 28, // magic, version, name bytes, profile, lane, coding, payload bytes
    DJ_COLUMNS_NAME_MOST = 64,
    DJ_COLUMNS_RATIO = 32, // a block is compressed by at most this factor
    DJ_COLUMNS_PROFILES_MOST = 1 << 20,
};

// A section, in a file of profiles or in a page.
typedef struct dj_columns_section {
    const char *name;
    unsigned version;
    size_t profile; // number
    size_t lane;    // 0: of the profile; otherwise 1 + the number of the lane
    enum dj_pack_coding coding;
} dj_columns_section;
int dj_columns_write_section(dj_context *context, const dj_columns_section *section, const dj_field *fields,
                             const void *value, FILE *out);

#endif
