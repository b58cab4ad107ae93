// SPDX-License-Identifier: MIT
#include "observe/hierarchy/sets.h"

int dj_sets_create(dj_sets *s, dj_context *context, uint64_t count, uint64_t ways)
{
    const uint64_t slots = count * ways;
    *s = (dj_sets){.sets = count, .ways = ways, .mask = (count & (count - 1)) == 0 ? count - 1 : 0};
    const size_t bytes = sizeof *s->key + sizeof *s->stamp + sizeof *s->modifier;
    int err = dj_huge_allocate(&s->memory, &s->footprint, context, "a simulated cache", slots + DJ_SLOTS_PAD,
                               bytes);
    if (err)
        return err;
    s->key = s->memory.memory;
    s->stamp = (uint32_t *)(s->key + slots);
    s->modifier = s->stamp + slots;
    return DJ_OK;
}

void dj_sets_free(dj_sets *s)
{
    dj_huge_free(&s->memory, &s->footprint);
}

// Each pass finds the next stamp, which has no lower rank than those before.
static void renumber_set(uint32_t *stamp, uint64_t ways)
{
    uint32_t last = 0;
    for (uint32_t rank = 1; rank <= ways; rank++) {
        uint32_t *next = NULL;
        for (uint64_t w = 0; w < ways; w++)
            if (stamp[w] > last && (!next || stamp[w] < *next))
                next = &stamp[w];
        if (!next)
            return;
        last = *next;
        *next = rank;
    }
}

uint32_t dj_sets_renumber(dj_sets *s)
{
    for (uint64_t set = 0; set < s->sets; set++)
        renumber_set(s->stamp + set * s->ways, s->ways);
    return (uint32_t)s->ways;
}
