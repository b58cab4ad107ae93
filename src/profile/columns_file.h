// SPDX-License-Identifier: MIT
// The file format of a profile in columns, `.dejap` (docs/formats.md).
#ifndef DEJA_PROFILE_COLUMNS_FILE_H
#define DEJA_PROFILE_COLUMNS_FILE_H

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
    DJ_COLUMNS_HEAD_BYTES = 28, // magic, version, name bytes, profile, lane, reserved, payload bytes
    DJ_COLUMNS_NAME_MOST = 64,
    DJ_COLUMNS_RATIO = 32, // a block is compressed by at most this factor
    DJ_COLUMNS_PROFILES_MOST = 1 << 20,
};

#endif
