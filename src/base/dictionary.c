// SPDX-License-Identifier: MIT
#include "base/dictionary.h"

int dj_dictionary_create(dj_dictionary *dictionary, dj_context *context)
{
    *dictionary = (dj_dictionary){0};
    return dj_map_create(&dictionary->map, context, &dictionary->footprint, 0);
}

void dj_dictionary_destroy(dj_dictionary *dictionary)
{
    dj_map_destroy(&dictionary->map);
}

int dj_dictionary_value(dj_dictionary *dictionary, dj_context *context, uint64_t value, uint32_t *id,
                        bool *fresh)
{
    uint64_t *slot = dj_map_at(&dictionary->map, context, value);
    if (!slot)
        return DJ_ERR_MEMORY;
    *fresh = *slot == 0;
    if (*fresh)
        *slot = dictionary->map.count;
    if (*slot > UINT32_MAX)
        return dj_fail(context, DJ_ERR_MEMORY, "more than 2^32 - 1 different names or sites");
    *id = (uint32_t)(*slot - 1);
    return DJ_OK;
}
