// SPDX-License-Identifier: MIT
#include "reorder/scalars.h"

// Values of the map: an instance and 1, or one of these.
#define NEVER_WRITTEN (UINT64_C(1) << 32)
#define IN_BYTES (UINT64_C(2) << 32) // its bytes have their own entries
// Keys of bytes; those of words are smaller.
#define BYTE_KEY (UINT64_C(1) << 63)

int dj_scalars_create(dj_scalars *scalars, dj_context *context)
{
    return dj_map_create(&scalars->writers, context, &scalars->footprint, 0);
}

void dj_scalars_destroy(dj_scalars *scalars)
{
    dj_map_destroy(&scalars->writers);
}

static uint32_t replace(uint64_t *value, uint32_t writer)
{
    const uint32_t before = *value && *value < NEVER_WRITTEN ? (uint32_t)(*value - 1) : DJ_NONE;
    if (writer != DJ_NONE)
        *value = (uint64_t)writer + 1;
    else if (*value == 0)
        *value = NEVER_WRITTEN;
    return before;
}

// Gives the bytes of a word their own entries.
static int divide(dj_scalars *scalars, dj_context *context, uint64_t word)
{
    uint64_t *whole = dj_map_at(&scalars->writers, context, word + 1);
    if (!whole)
        return DJ_ERR_MEMORY;
    const uint64_t value = *whole ? *whole : NEVER_WRITTEN;
    *whole = IN_BYTES;
    for (unsigned i = 0; i < DJ_WORD_BYTES; i++) {
        uint64_t *byte = dj_map_at(&scalars->writers, context, BYTE_KEY | (word * DJ_WORD_BYTES + i));
        if (!byte)
            return DJ_ERR_MEMORY;
        *byte = value;
    }
    return DJ_OK;
}

int dj_scalars_use(dj_scalars *scalars, dj_context *context, uint64_t address, unsigned bytes,
                   uint32_t writer, uint32_t before[DJ_WORD_BYTES])
{
    const uint64_t word = address / DJ_WORD_BYTES;
    for (unsigned i = 0; i < DJ_WORD_BYTES; i++)
        before[i] = DJ_NONE;
    uint64_t *whole = dj_map_at(&scalars->writers, context, word + 1);
    if (!whole)
        return DJ_ERR_MEMORY;
    if (bytes == DJ_WORD_BYTES && *whole != IN_BYTES) {
        before[0] = replace(whole, writer);
        return DJ_OK;
    }
    int err = *whole == IN_BYTES ? DJ_OK : divide(scalars, context, word);
    for (unsigned i = 0; !err && i < bytes; i++) {
        uint64_t *byte = dj_map_at(&scalars->writers, context, BYTE_KEY | (address + i));
        if (!byte)
            return DJ_ERR_MEMORY;
        before[i] = replace(byte, writer);
    }
    return err;
}
