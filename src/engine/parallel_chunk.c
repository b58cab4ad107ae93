// SPDX-License-Identifier: MIT
// How long chunks are where the user does not say.
#include "engine/parallel.h"

#include "base/machine.h"

enum {
    LEAST = 1 << 16,
    USUAL = 1 << 22,
    MOST = 1 << 24,
    ROUNDS = 2,     // that wait,
    LED_ROUNDS = 3, // and where a thread leads
    // Of an access that waits: address, key and distance, and what else a batch has room for.
    ACCESS_BYTES = 40,
    TAG_BYTES = 8,
    TIME_BYTES = 16,
    MEMORY_SHARE = 4,     // one in so many bytes of the memory may hold accesses that wait
    OPEN_SHARE = 8,       // one open access in so many is too much
    MOST_ROUND = 1 << 30, // accesses; the order has room for twice as many points
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
    uint64_t rounds = dj_parallel_led_is_for(p->threads) ? LED_ROUNDS : ROUNDS;
    uint64_t memory = dj_machine_usable_bytes();
    uint64_t fits = memory ? memory / MEMORY_SHARE / (rounds * bytes * p->threads) : USUAL;
    fits = fits < LEAST ? LEAST : fits;
    uint64_t most = MOST_ROUND / p->threads;
    p->chunk = least(asked ? asked : least(fits, USUAL), most);
    p->most_chunk = least(asked ? asked : least(fits, MOST), most);
}

void dj_parallel_chunk_adapt(dj_parallel *p, const dj_parallel_round *round)
{
    uint64_t open = 0, led = p->led.whole ? round->chunks[0].end : 0;
    for (unsigned i = 0; i < p->threads; i++)
        open += round->chunks[i].open;
    if (open > (round->accesses - led) / OPEN_SHARE)
        p->chunk = least(2 * p->chunk, p->most_chunk);
}
