// SPDX-License-Identifier: MIT
// The classes of misses (attribution.h), from the blocks that a place missed before. A place may follow
// several sequences at once, so it remembers where the last ones were. The first misses of a sequence count
// as irregular, since no prefetcher knows it yet.
#include "observe/places/places.h"

#include <stdlib.h>

#include "profile/missed.h"

enum {
    TRAILS = 4,
    NEAR = 2, // blocks: prefetchers tolerate gaps in a sequence
};

// A sequence of misses.
typedef struct trail {
    uint64_t last; // block
    int64_t step;  // to it; 0: it is the first
} trail;

struct dj_place_misses {
    trail trails[TRAILS];
    uint8_t used, latest, oldest;
    dj_miss_counts *counts;
};

static bool is_near(int64_t step)
{
    return step != 0 && step >= -NEAR && step <= NEAR;
}

static enum dj_miss_class class_of(int64_t step)
{
    const uint64_t size = step < 0 ? -(uint64_t)step : (uint64_t)step;
    return is_near(step)                         ? DJ_MISS_STREAMING
           : size < DJ_MISS_PAGE / DJ_MISS_BLOCK ? DJ_MISS_STRIDED
                                                 : DJ_MISS_PAGED;
}

// Whether a step continues a trail: in its direction, to a near block, or as far as the step before.
static bool continues(const trail *t, int64_t step)
{
    return step != 0 &&
           (step == t->step || (is_near(step) && is_near(t->step) && (step > 0) == (t->step > 0)));
}

static void begin_trail(dj_place_misses *m, uint64_t key)
{
    const int64_t step = m->used ? (int64_t)(key - m->trails[m->latest].last) : 0;
    if (m->used < TRAILS)
        m->latest = m->used++;
    else {
        m->latest = m->oldest;
        m->oldest = (uint8_t)((m->oldest + 1) % TRAILS);
    }
    m->trails[m->latest] = (trail){key, step};
}

static enum dj_miss_class classify(dj_place_misses *m, uint64_t key)
{
    uint8_t near = TRAILS;
    for (uint8_t i = 0; i < m->used; i++) {
        trail *t = &m->trails[i];
        const int64_t step = (int64_t)(key - t->last);
        if (continues(t, step)) {
            *t = (trail){key, step};
            m->latest = i;
            return class_of(step);
        }
        near = is_near(step) ? i : near;
    }
    if (near < TRAILS) { // the second miss of a sequence
        trail *t = &m->trails[near];
        *t = (trail){key, (int64_t)(key - t->last)};
        m->latest = near;
    } else {
        begin_trail(m, key);
    }
    return DJ_MISS_IRREGULAR;
}

static int begin(dj_context *context, dj_place_count *place)
{
    dj_place_misses *m = calloc(1, sizeof *m);
    int err = m ? dj_miss_counts_create(context, &m->counts)
                : dj_fail_memory(context, "the misses of a place", sizeof *m);
    if (err)
        free(m);
    else
        place->misses = m;
    return err;
}

int dj_places_miss(dj_context *context, dj_place_count *place, const dj_miss *miss)
{
    int err = place->misses ? DJ_OK : begin(context, place);
    if (err)
        return err;
    dj_place_misses *m = place->misses;
    const unsigned bin = dj_miss_bin(miss->distance);
    const size_t at = dj_miss_count_at(bin, classify(m, miss->key), miss->writes);
    if (at >= m->counts->count)
        err = dj_miss_counts_widen(m->counts, context, bin + 1);
    if (!err)
        m->counts->counts[at]++;
    return err;
}

void dj_places_forget_misses(dj_places *p)
{
    p->classifies = false;
    for (size_t i = 0; i < p->row_capacity; i++) {
        if (p->rows[i].misses)
            dj_miss_counts_destroy(p->rows[i].misses->counts);
        free(p->rows[i].misses);
        p->rows[i].misses = NULL;
    }
}

int dj_places_copy_misses(const dj_place_misses *m, dj_context *context, dj_miss_counts **out)
{
    return dj_miss_counts_add(out, context, m->counts);
}
