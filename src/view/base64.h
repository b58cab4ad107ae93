// SPDX-License-Identifier: MIT
#ifndef DEJA_VIEW_BASE64_H
#define DEJA_VIEW_BASE64_H

#include <stddef.h>
#include <stdio.h>

// Writes bytes in base64 (RFC 4648), padded, on one line.
void dj_base64_write(FILE *out, const char *bytes, size_t count);

#endif
