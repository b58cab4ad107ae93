// SPDX-License-Identifier: MIT
// The part of coarser keys in the work on a chunk; see fast_coarser.c. Part of
// fast_kernel.h, which says what the including file defines.

// What ends a run of a coarser key ends one of the finer key, too.
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

// As exchange_points, and gives `count` coarser keys the points of theirs.
static inline __attribute__((always_inline)) void exchange_in_lines(dj_fast *f, uint32_t from, uint32_t to,
                                                                    uint32_t *point, const uint32_t count)
{
    const dj_fast_chunk *c = &f->chunk;
    uint32_t *const words = f->slots.words, taken[DJ_FAST_COARSER];
    for (uint32_t k = 0; k < count; k++)
        taken[k] = f->coarser[k]->taken;
    for (uint32_t i = from; i < to; i++) {
        uint32_t at = c->beginning[i], slot = c->slot[at], bit = at - DJ_FAST_WINDOW;
        uint32_t finer = words[slot], latest[DJ_FAST_COARSER];
        find_latest(words + (slot & ~(DJ_FAST_LINE_WORDS - 1u)), slot % DJ_FAST_LINE_WORDS, count, latest);
        *point++ = finer;
        words[slot] = c->run_point[at];
        for (uint32_t k = 0; k < count; k++) {
            dj_fast_coarser *g = f->coarser[k];
            g->point[taken[k]] = latest[k]; // stays if it begins a run of this key, too
            g->found[taken[k]] = (uint8_t)((latest[k] != finer) | (latest[k] == 0) * DJ_FAST_IS_COLD);
            taken[k] += g->fast.chunk.begins[bit / 64] >> bit % 64 & 1;
            __builtin_prefetch(&g->fast.timeline.words[latest[k] / 64]);
            finer = latest[k];
        }
    }
    memset(point, 0, DJ_FAST_TOGETHER * sizeof *point);
    for (uint32_t k = 0; k < count; k++)
        f->coarser[k]->taken = taken[k];
}

// Leaves out the points that have no bit on the timeline of the finer keys. What
// is written never overtakes what is read.
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
