// SPDX-License-Identifier: MIT
// Misses by distance and class.
#include "profile/missed.h"

#include <stdlib.h>
#include <string.h>

enum { EACH = 2 * DJ_MISS_CLASSES };

int dj_miss_counts_create(dj_context *context, dj_miss_counts **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? DJ_OK : dj_fail_memory(context, "the misses of a place", sizeof **out);
}

void dj_miss_counts_destroy(dj_miss_counts *counts)
{
    if (counts)
        free(counts->counts);
    free(counts);
}

int dj_miss_counts_widen(dj_miss_counts *counts, dj_context *context, unsigned bins)
{
    const size_t count = (size_t)EACH * bins;
    if (count <= counts->count)
        return DJ_OK;
    uint64_t *list = realloc(counts->counts, count * sizeof *list);
    if (!list)
        return dj_fail_memory(context, "the misses of a place", count * sizeof *list);
    memset(list + counts->count, 0, (count - counts->count) * sizeof *list);
    counts->counts = list;
    counts->count = count;
    return DJ_OK;
}

int dj_miss_counts_add(dj_miss_counts **to, dj_context *context, const dj_miss_counts *other)
{
    int err = *to ? DJ_OK : dj_miss_counts_create(context, to);
    if (!err)
        err = dj_miss_counts_widen(*to, context, (unsigned)(other->count / EACH));
    uint64_t *counts = err ? NULL : (*to)->counts;
    for (size_t i = 0; counts && i < other->count; i++)
        counts[i] += other->counts[i];
    return err;
}

bool dj_miss_counts_fit(const dj_miss_counts *counts, uint64_t accesses)
{
    bool good = counts->count % EACH == 0;
    for (size_t i = 0; good && i < counts->count; i++) {
        good = counts->counts[i] <= accesses;
        accesses -= counts->counts[i];
    }
    return good;
}

void dj_misses_forget(dj_attribution *a)
{
    for (size_t i = 0; i < a->place_count; i++) {
        dj_miss_counts_destroy(a->places[i].tally.missed);
        a->places[i].tally.missed = NULL;
    }
}
