// SPDX-License-Identifier: MIT
#include "view/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void write_triple(char out[4], const uint8_t *in)
{
    const uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
    for (unsigned i = 0; i < 4; i++)
        out[i] = digits[bits >> (18 - 6 * i) & 63];
}

void dj_base64_write(FILE *out, const char *bytes, size_t count)
{
    enum { TRIPLES = 1024 };
    const uint8_t *at = (const uint8_t *)bytes, *end = at + count;
    char text[4 * TRIPLES];
    while (end - at >= 3) {
        size_t used = 0;
        for (; used < sizeof text && end - at >= 3; at += 3, used += 4)
            write_triple(text + used, at);
        fwrite(text, 1, used, out);
    }
    if (at == end)
        return;
    const size_t rest = (size_t)(end - at);
    const uint8_t last[3] = {at[0], rest > 1 ? at[1] : 0, 0};
    write_triple(text, last);
    text[3] = '=';
    if (rest == 1)
        text[2] = '=';
    fwrite(text, 1, 4, out);
}
