// SPDX-License-Identifier: MIT
// The identity of an object file, as text: "build-id:" and the GNU build ID in hexadecimal digits or, if the
// file has none, "xxh128:" and the XXH3 hash of its contents. "": unknown.
#ifndef DEJA_BASE_IDENTITY_H
#define DEJA_BASE_IDENTITY_H

#include "base/elf.h"

#define DJ_IDENTITY_BUILD_ID "build-id:"
#define DJ_IDENTITY_HASH "xxh128:"

enum { DJ_IDENTITY_CAPACITY = 160, DJ_BUILD_ID_LEAST = 3, DJ_BUILD_ID_MOST = 64 };

typedef struct dj_identity {
    char text[DJ_IDENTITY_CAPACITY];
} dj_identity;

// "" if it is not an ELF file or cannot be read.
void dj_identity_read(const dj_elf_bytes *from, dj_identity *out);
// Returns errno if there is such a file but reading it fails, else 0.
int dj_identity_read_file(const char *path, dj_identity *out);
// The digits of the build ID; NULL: the identity has none, or is damaged.
const char *dj_identity_build_id(const char *identity);

#endif
