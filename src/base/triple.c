// SPDX-License-Identifier: MIT
#include "base/triple.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ENTRIES = 64 };

static int allocate(dj_triples *triples, dj_context *context, uint64_t entries)
{
    uint64_t bytes;
    dj_triple_entry *fresh = __builtin_mul_overflow(entries, sizeof *fresh, &bytes) || bytes > SIZE_MAX
                                 ? NULL
                                 : malloc((size_t)bytes);
    if (!fresh)
        return dj_fail_memory(context, "a hash map", 0);
    memset(fresh, 0xff, (size_t)bytes); // sets every value to DJ_TRIPLE_FREE
    triples->entries = fresh;
    triples->mask = entries - 1;
    return DJ_OK;
}

int dj_triples_create(dj_triples *triples, dj_context *context)
{
    *triples = (dj_triples){0};
    return allocate(triples, context, LEAST_ENTRIES);
}

void dj_triples_destroy(dj_triples *triples)
{
    free(triples->entries);
    triples->entries = NULL;
}

int dj_triples_grow(dj_triples *triples, dj_context *context)
{
    dj_triples old = *triples;
    int err = allocate(triples, context, 2 * (old.mask + 1));
    if (err) {
        *triples = old;
        return err;
    }
    for (uint64_t i = 0; i <= old.mask; i++) {
        const dj_triple_entry *e = &old.entries[i];
        if (e->value != DJ_TRIPLE_FREE)
            *dj_triples_probe(triples, e->a, e->b, e->c) = *e;
    }
    free(old.entries);
    return DJ_OK;
}
