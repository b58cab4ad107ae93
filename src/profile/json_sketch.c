// SPDX-License-Identifier: MIT
#include "profile/json_sketch.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char hex[] = "0123456789abcdef";
enum { DIGITS = 64, SPARSE_MOST = (DJ_SKETCH_TEXT - 1) / 3 };

const char *dj_sketch_print(const dj_sketch *sketch, char *text)
{
    unsigned used = 0;
    for (unsigned i = 0; i < DJ_SKETCH_REGISTERS; i++)
        used += sketch->rank[i] != 0;
    char *at = text;
    for (unsigned i = 0; i < DJ_SKETCH_REGISTERS; i++) {
        if (used <= SPARSE_MOST) {
            if (sketch->rank[i] == 0)
                continue;
            *at++ = hex[i >> 4];
            *at++ = hex[i & 15];
        }
        *at++ = digits[sketch->rank[i] % DIGITS];
    }
    *at = 0;
    return text;
}

// The index of a character in `set`, or -1.
static int value_of(const char *set, char c)
{
    const char *at = c ? strchr(set, c) : NULL;
    return at ? (int)(at - set) : -1;
}

static bool parse_sparse(const char *text, size_t bytes, dj_sketch *out)
{
    int last = -1;
    for (size_t i = 0; i < bytes; i += 3) {
        int high = value_of(hex, text[i]), low = value_of(hex, text[i + 1]);
        int rank = value_of(digits, text[i + 2]), index = high * 16 + low;
        if (high < 0 || low < 0 || index <= last || rank < 1 || rank > DJ_SKETCH_RANK_MOST)
            return false;
        out->rank[index] = (uint8_t)rank;
        last = index;
    }
    return true;
}

bool dj_sketch_parse(const char *text, dj_sketch *out)
{
    size_t bytes = strlen(text);
    memset(out, 0, sizeof *out);
    if (bytes % 3 == 0)
        return bytes / 3 <= SPARSE_MOST && parse_sparse(text, bytes, out);
    if (bytes != DJ_SKETCH_REGISTERS)
        return false;
    for (unsigned i = 0; i < DJ_SKETCH_REGISTERS; i++) {
        int rank = value_of(digits, text[i]);
        if (rank < 0 || rank > DJ_SKETCH_RANK_MOST)
            return false;
        out->rank[i] = (uint8_t)rank;
    }
    return true;
}
