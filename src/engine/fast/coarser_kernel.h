// SPDX-License-Identifier: MIT
// The work on coarser keys in a chunk; see fast/coarser.c. Included by fast/kernel.h, which lists what
// the including file defines.

// An access that ends a run of a coarser key also ends one of the finer key.
static void append_coarser(dj_fast *f)
{
    const uint64_t *ends = f->chunk.ends;
    for (uint32_t k = 0; k < f->coarser_count; k++) {
        dj_fast *g = &f->coarser[k]->fast;
        for (uint32_t word = 0; word * 64 < f->chunk.count; word++)
            dj_fast_timeline_append_bits(&g->timeline, squeeze_bits(g->chunk.ends[word], ends[word]),
                                         (uint32_t)__builtin_popcountll(ends[word]));
    }
}

// Finds which run beginnings of the finest keys also begin a run of a coarser one. Every beginning of a
// coarser run is one of them.
static void begin_coarser(dj_fast *f)
{
    for (uint32_t k = 0; k < f->coarser_count; k++) {
        dj_fast_coarser *g = f->coarser[k];
        uint32_t n = 0;
        g->begins_too[0] = 0;
        for (uint32_t word = 0; word * 64 < f->chunk.count; word++) {
            uint64_t begins = f->chunk.begins[word], bits = squeeze_bits(g->fast.chunk.begins[word], begins);
            g->begins_too[n / 64] |= bits << n % 64;
            g->begins_too[n / 64 + 1] = n % 64 ? bits >> (64 - n % 64) : 0;
            n += (uint32_t)__builtin_popcountll(begins);
        }
    }
}

// Like exchange_points; also passes `count` coarser keys their points.
static inline __attribute__((always_inline)) void exchange_in_lines(dj_fast *f, uint32_t from, uint32_t to,
                                                                    uint32_t *point, const uint32_t count)
{
    const dj_fast_chunk *c = &f->chunk;
    uint32_t *const words = f->slots.words;
    _Alignas(64) uint32_t latest[GROUP][DJ_FAST_COARSER];
    for (uint32_t i = from; i < to; i++) {
        uint32_t at = c->beginning[i], slot = c->slot[at];
        find_latest(words + (slot & ~(DJ_FAST_LINE_WORDS - 1u)), slot % DJ_FAST_LINE_WORDS, count,
                    latest[latest_row(i - from)]);
        point[i - from] = words[slot];
        words[slot] = c->run_point[at];
    }
    memset(point + (to - from), 0, DJ_FAST_TOGETHER * sizeof *point);
    give_latest(f, from, to - from, point, latest, count);
}

// Finds which of the finer keys made the last access. Within runs the lags show it.
static void find_others(dj_fast_coarser *g, const dj_fast *finer, const dj_fast *finest)
{
    const dj_fast_chunk *c = &g->fast.chunk;
    const uint8_t *lag = c->lag + DJ_FAST_WINDOW, *finer_lag = finer->chunk.lag + DJ_FAST_WINDOW;
    for (uint32_t word = 0, n = 0; word * 64 < c->count; word++) {
        uint64_t begins = c->begins[word], all = finest->chunk.begins[word];
        uint64_t other = spread_bits(bits_from(g->last_by_other, n), all);
        uint64_t differ = find_different(lag + word * 64, finer_lag + word * 64);
        g->by_other[word] = (differ & ~begins) | (other & begins);
        g->is_cold[word] = spread_bits(bits_from(g->first, n), all) & begins;
        n += (uint32_t)__builtin_popcountll(all);
    }
}

// Removes the points that have no bit on the timeline of the finer keys, in place: writing never
// overtakes reading.
static void squeeze_timeline(dj_fast_timeline *t, const dj_fast_timeline *finer)
{
    const uint32_t words = (t->now + 63) / 64;
    t->in_group[0] = 0;
    for (uint32_t level = 0; level < t->levels; level++)
        t->above[level][0] = 0;
    t->now = 1;
    for (uint32_t word = 0; word < words; word++) {
        uint64_t bits = t->words[word], mask = finer->words[word];
        if (word % 8 == 0)
            t->words[word | 7] = 0;
        if (word % 8 == 7)
            continue;
        t->words[word] = 0;
        dj_fast_timeline_append_bits(t, squeeze_bits(bits, mask), (uint32_t)__builtin_popcountll(mask));
    }
}
