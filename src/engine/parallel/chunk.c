// SPDX-License-Identifier: MIT
// The length of chunks, unless the user sets it, and the expected number of their keys.
#include "engine/parallel/parallel.h"

#include "base/machine.h"

#include <math.h>

enum {
    LEAST = 1 << 16,
    LEAST_KEYS = 1 << 14, // with fewer, a sample of one in DJ_PARALLEL_MARKED is too inaccurate
    USUAL = 1 << 22,
    MOST = 1 << 24,
    ROUNDS = 2, // waiting for answers
    // Per waiting access: address, key and distance, and the other columns of a batch.
    ACCESS_BYTES = 40,
    TAG_BYTES = 8,
    TIME_BYTES = 16,
    MEMORY_SHARE = 4,     // at most one in this many bytes of memory for waiting accesses
    OPEN_SHARE = 8,       // more than one unresolved access in this many is too much
    MOST_ROUND = 1 << 30, // accesses; the order has twice as many points
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void dj_parallel_chunk_choose(dj_parallel *p, uint64_t asked)
{
    uint64_t bytes = ACCESS_BYTES;
    bytes += p->use & DJ_CAN_TAGS ? TAG_BYTES : 0;
    bytes += p->use & DJ_CAN_TIMES ? TIME_BYTES : 0;
    uint64_t memory = dj_machine_usable_bytes();
    uint64_t fits = memory ? memory / MEMORY_SHARE / (ROUNDS * bytes * p->threads) : USUAL;
    fits = fits < LEAST ? LEAST : fits;
    uint64_t most = least(MOST_ROUND / p->threads, DJ_INVERSION_MOST / DJ_PARALLEL_STAGES_THREADS);
    p->chunk = least(asked ? asked : least(fits, USUAL), most);
    p->most_chunk = least(asked ? asked : least(fits, MOST), most);
}

void dj_parallel_chunk_adapt(dj_parallel *p, const dj_parallel_round *round)
{
    uint64_t open = 0;
    for (unsigned i = 0; i < p->chunk_count; i++)
        open += round->chunks[i].open;
    if (open > round->accesses / OPEN_SHARE)
        p->chunk = least(2 * p->chunk, p->most_chunk);
}

// Linear counting (Whang, Vander-Zanden and Taylor, 1990): the more keys are sampled, the fewer marks
// remain unset.
static double count_marked(const uint64_t *marks)
{
    uint64_t left = 0;
    for (size_t i = 0; i < DJ_PARALLEL_MARKS / 64; i++)
        left += (uint64_t)__builtin_popcountll(~marks[i]);
    return DJ_PARALLEL_MARKS * log(DJ_PARALLEL_MARKS / (left ? (double)left : 1));
}

static void mark(const dj_parallel *p, const dj_parallel_round *round, uint64_t from, uint64_t end,
                 uint64_t *marks)
{
    for (const dj_parallel_part *part = dj_parallel_find_part(round, from); from < end; part++) {
        uint64_t in_part = from - part->begin, count = least(part->count - in_part, end - from);
        p->path->mark_some(&p->shards, part->work->key + part->from + in_part, count, marks);
        from += count;
    }
}

uint64_t dj_parallel_expect_keys(const dj_parallel *p, const dj_parallel_round *round,
                                 const dj_parallel_chunk *chunk)
{
    uint64_t marks[DJ_PARALLEL_MARKS / 64] = {0}, quarter = (chunk->end - chunk->first) / 4;
    mark(p, round, chunk->first, chunk->first + quarter, marks);
    double few = count_marked(marks);
    mark(p, round, chunk->first + quarter, chunk->first + 2 * quarter, marks);
    double many = count_marked(marks), all = few > 0 ? many / few * many : 0;
    uint64_t keys = least((uint64_t)(all * DJ_PARALLEL_MARKED), 2 * quarter);
    return keys < LEAST_KEYS ? 0 : keys;
}
