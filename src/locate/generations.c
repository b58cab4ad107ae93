// SPDX-License-Identifier: MIT
#include "locate/generations.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"

enum {
    PAGE_BITS = 12,
    GRAIN_BITS = 4, // allocators align to 16 bytes
    GRAINS = 1 << (PAGE_BITS - GRAIN_BITS),
    WINDOW_BITS = 28, // of addresses that are copied together
    SPACE_BITS = 29,  // of a copy: data that begins in a window may end behind it
    SERIES_BITS = 10, // copies that are numbered together
};

#define LENGTH(bits) (UINT64_C(1) << (bits))
// Far above all addresses of programs, and below 2^63.
#define COPIES (UINT64_C(1) << 60)
#define SERIES_MOST ((UINT64_C(7) << 60) >> (SPACE_BITS + SERIES_BITS))
// Memory in larger pieces, such as reservations, is not tracked by page.
#define PIECE_MOST LENGTH(32)

// How often the memory of a page was freed, at least.
typedef struct worn {
    uint32_t all;
    uint32_t detail; // index into details + 1; 0: the same everywhere
} worn;

typedef struct detail {
    uint32_t grains[GRAINS];
} detail;

struct dj_generations {
    dj_footprint footprint;
    dj_map pages;  // number of the page + 1 → index into worn + 1
    dj_map series; // window and generations → number of the series + 1
    worn *worn;
    size_t worn_count, worn_capacity;
    detail *details;
    size_t detail_count, detail_capacity;
    uint32_t everywhere; // how often pieces were freed that are too large to be tracked
    uint64_t series_count;
};

int dj_generations_create(dj_context *context, dj_generations **out)
{
    dj_generations *g = calloc(1, sizeof *g);
    if (!g)
        return dj_fail_memory(context, "the generations of memory", sizeof *g);
    int err = dj_map_create(&g->pages, context, &g->footprint, 0);
    if (!err)
        err = dj_map_create(&g->series, context, &g->footprint, 0);
    if (err)
        dj_generations_destroy(g);
    else
        *out = g;
    return err;
}

void dj_generations_destroy(dj_generations *g)
{
    if (!g)
        return;
    dj_map_destroy(&g->pages);
    dj_map_destroy(&g->series);
    free(g->worn);
    free(g->details);
    free(g);
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// The grains of a page that [lo, hi) touches: *first to *end − 1.
static void find_grains(uint64_t page, uint64_t lo, uint64_t hi, unsigned *first, unsigned *end)
{
    const uint64_t begin = page << PAGE_BITS;
    *first = lo > begin ? (unsigned)((lo - begin) >> GRAIN_BITS) : 0;
    *end = hi - begin < LENGTH(PAGE_BITS) ? (unsigned)((hi - 1 - begin) >> GRAIN_BITS) + 1 : GRAINS;
}

static uint32_t generation_of(const dj_generations *g, uint64_t lo, uint64_t hi)
{
    uint32_t most = g->everywhere;
    if (hi - lo >= PIECE_MOST)
        return most;
    for (uint64_t page = lo >> PAGE_BITS; page <= (hi - 1) >> PAGE_BITS; page++) {
        const uint64_t index = dj_map_get(&g->pages, page + 1);
        if (!index)
            continue;
        const worn *w = &g->worn[index - 1];
        unsigned first, end;
        most = higher(most, w->all);
        find_grains(page, lo, hi, &first, &end);
        for (unsigned i = first; w->detail && i < end; i++)
            most = higher(most, g->details[w->detail - 1].grains[i]);
    }
    return most;
}

// A new series of copies. After some 10^10 generations they begin again, with data that is long dead.
static uint64_t next_series(dj_generations *g)
{
    return g->series_count++ % SERIES_MOST;
}

int dj_generations_find(dj_generations *g, dj_context *context, uint64_t lo, uint64_t hi,
                        uint32_t *generation, uint64_t *fresh)
{
    const uint64_t offset = lo & (LENGTH(WINDOW_BITS) - 1);
    *fresh = lo;
    *generation = generation_of(g, lo, hi);
    if (*generation == 0)
        return DJ_OK;
    if (hi - lo > LENGTH(WINDOW_BITS)) { // a series of its own, or several
        const uint64_t series = next_series(g);
        *fresh = COPIES + (series << (SPACE_BITS + SERIES_BITS)) + offset;
        g->series_count += (hi - lo + offset) >> (SPACE_BITS + SERIES_BITS);
        return DJ_OK;
    }
    const uint64_t key = (lo >> WINDOW_BITS) << 32 | *generation >> SERIES_BITS;
    uint64_t *series = dj_map_at(&g->series, context, key + 1);
    if (!series)
        return DJ_ERR_MEMORY;
    if (*series == 0)
        *series = next_series(g) + 1;
    const uint64_t copy = (*series - 1) << SERIES_BITS | (*generation & (LENGTH(SERIES_BITS) - 1));
    *fresh = COPIES + (copy << SPACE_BITS) + offset;
    return DJ_OK;
}

static int find_worn(dj_generations *g, dj_context *context, uint64_t page, worn **out)
{
    int err = dj_grow(context, "the generations of memory", &g->worn, &g->worn_capacity, g->worn_count + 1,
                      sizeof *g->worn);
    uint64_t *index = err ? NULL : dj_map_at(&g->pages, context, page + 1);
    if (!index)
        return DJ_ERR_MEMORY;
    if (*index == 0) {
        *index = ++g->worn_count;
        g->worn[*index - 1] = (worn){0, 0};
    }
    *out = &g->worn[*index - 1];
    return DJ_OK;
}

static int find_detail(dj_generations *g, dj_context *context, worn *w, detail **out)
{
    if (!w->detail) {
        int err = dj_grow(context, "the generations of memory", &g->details, &g->detail_capacity,
                          g->detail_count + 1, sizeof *g->details);
        if (err)
            return err;
        w->detail = (uint32_t)++g->detail_count;
        memset(&g->details[w->detail - 1], 0, sizeof(detail));
    }
    *out = &g->details[w->detail - 1];
    return DJ_OK;
}

// What is freed next to it later gets its own number, so all of a complete page may get the highest.
static int wear(dj_generations *g, dj_context *context, uint64_t page, uint64_t lo, uint64_t hi,
                uint32_t generation)
{
    worn *w = NULL;
    detail *d = NULL;
    unsigned first, end;
    int err = find_worn(g, context, page, &w);
    if (err)
        return err;
    find_grains(page, lo, hi, &first, &end);
    if (first == 0 && end == GRAINS) {
        for (unsigned i = 0; w->detail && i < GRAINS; i++)
            w->all = higher(w->all, g->details[w->detail - 1].grains[i]);
        w->all = higher(w->all, generation) + 1;
        return DJ_OK;
    }
    err = find_detail(g, context, w, &d);
    for (unsigned i = first; !err && i < end; i++)
        d->grains[i] = higher(higher(w->all, d->grains[i]), generation) + 1;
    return err;
}

int dj_generations_end(dj_generations *g, dj_context *context, uint64_t lo, uint64_t hi, uint32_t generation)
{
    int err = DJ_OK;
    if (hi - lo >= PIECE_MOST)
        g->everywhere = higher(g->everywhere, generation) + 1;
    for (uint64_t page = lo >> PAGE_BITS; !err && hi - lo < PIECE_MOST && page <= (hi - 1) >> PAGE_BITS;
         page++)
        err = wear(g, context, page, lo, hi, generation);
    return err;
}
