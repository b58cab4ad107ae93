// SPDX-License-Identifier: MIT
// The header of a summary file, and the limits of its contents.
#ifndef DEJA_PIPELINE_PARTS_SUMMARY_FILE_H
#define DEJA_PIPELINE_PARTS_SUMMARY_FILE_H

#define DJ_SUMMARY_MAGIC                                                                                     \
    "\x89"                                                                                                   \
    "DSUM\r\n\x1a"

enum {
    DJ_SUMMARY_VERSION = 6,
    DJ_SUMMARY_VERSION_OLDEST = 4, // that can be read
    DJ_SUMMARY_HEAD_BYTES = 12,    // magic and version
    DJ_SUMMARY_MAGIC_BYTES = 8,
    DJ_SUMMARY_LANES_MOST = 64,
    DJ_SUMMARY_INPUTS_MOST = 1 << 20,
};

// Larger than any real count, and small enough that the sum of two does not overflow.
#define DJ_SUMMARY_ACCESSES_MOST (UINT64_C(1) << 62)

#endif
