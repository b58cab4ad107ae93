// SPDX-License-Identifier: MIT
#include "trace/parse/excerpt.h"

#include <stdio.h>

enum { MOST = 32 };

void dj_excerpt(char out[DJ_EXCERPT_BYTES], const char *at, const char *end)
{
    static const char hex[] = "0123456789abcdef";
    char shown[4 * MOST + 1];
    char *to = shown;
    if (at == end) {
        snprintf(out, DJ_EXCERPT_BYTES, "the end of the line");
        return;
    }
    for (int i = 0; at < end && i < MOST; at++, i++) {
        unsigned char c = (unsigned char)*at;
        if (c >= 0x20 && c < 0x7f) {
            *to++ = (char)c;
        } else {
            *to++ = '\\';
            *to++ = 'x';
            *to++ = hex[c >> 4];
            *to++ = hex[c & 15];
        }
    }
    *to = '\0';
    snprintf(out, DJ_EXCERPT_BYTES, "\"%s\"%s", shown, at < end ? "…" : "");
}
