// SPDX-License-Identifier: MIT
#include "trace/sharers/short_keys.h"

enum { KEPT_BITS = 20 };

int dj_short_keys_create(dj_context *context, unsigned spare_bits, dj_short_keys *out)
{
    *out = (dj_short_keys){.limit = (uint64_t)1 << (63 - spare_bits)};
    return dj_map_create(&out->numbers, context, &out->footprint, 0);
}

void dj_short_keys_destroy(dj_short_keys *keys)
{
    if (keys->limit)
        dj_map_destroy(&keys->numbers);
    *keys = (dj_short_keys){0};
}

static int shorten(dj_short_keys *keys, dj_context *context, uint64_t *key)
{
    uint64_t *number = dj_map_at(&keys->numbers, context, *key >> KEPT_BITS);
    if (!number)
        return DJ_ERR_MEMORY;
    if (*number == 0)
        *number = keys->numbers.count;
    if (*number > keys->limit >> KEPT_BITS)
        return dj_fail(context, DJ_ERR_INPUT,
                       "too many different keys are longer than the bits that separate traces leave; measure "
                       "fewer accesses, or leave out --separate");
    *key = keys->limit + ((*number - 1) << KEPT_BITS | (*key & ((1u << KEPT_BITS) - 1)));
    return DJ_OK;
}

int dj_short_keys_apply(dj_short_keys *keys, dj_context *context, uint64_t *key, uint32_t count)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < count; i++)
        if (key[i] >= keys->limit)
            err = shorten(keys, context, &key[i]);
    return err;
}
