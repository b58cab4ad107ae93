// SPDX-License-Identifier: MIT
// Tags and times of engines fast and shadow. Within a run they come from the accesses themselves. The
// store is read at the beginning of a run, and receives those of the run's last access as soon as it is
// known.
#include "engine/fast/fast.h"

#include <string.h>

enum { AHEAD = 24 };

// Exchanges a column of the store with one of the work, for two element types.
#define DEFINE_EXCHANGE(name, type, cold)                                                                    \
    static void name(const dj_fast_slots *slots, const dj_fast_chunk *c, type *held, type *now,              \
                     const uint64_t *distance, const uint16_t *run_end, type *previous)                      \
    {                                                                                                        \
        for (uint32_t run = 0; run < DJ_FAST_WINDOW; run++)                                                  \
            if (c->run_point[run] != 0)                                                                      \
                held[dj_fast_slot_index(slots, c->slot[run])] = now[run_end[run]];                           \
        for (uint32_t i = 0; i < c->count; i++) /* at beginnings the access itself, to be replaced */        \
            previous[i] = now[DJ_FAST_WINDOW + i - c->lag[DJ_FAST_WINDOW + i] % DJ_FAST_NEW_RUN];            \
        for (uint32_t i = 0; i < c->beginnings; i++) {                                                       \
            uint32_t ahead = c->beginning[i + AHEAD < c->beginnings ? i + AHEAD : i];                        \
            __builtin_prefetch(&held[dj_fast_slot_index(slots, c->slot[ahead])]);                            \
            uint32_t at = c->beginning[i];                                                                   \
            type *mine = &held[dj_fast_slot_index(slots, c->slot[at])];                                      \
            previous[at - DJ_FAST_WINDOW] = distance[at - DJ_FAST_WINDOW] == DJ_COLD ? (cold) : *mine;       \
            if (c->run_point[at] != 0)                                                                       \
                *mine = now[run_end[at]];                                                                    \
        }                                                                                                    \
    }

// run_end is set wherever run_point is not 0, which the analyzer cannot know.
DEFINE_EXCHANGE(exchange_tags, uint32_t, 0)         // NOLINT(clang-analyzer-core.*)
DEFINE_EXCHANGE(exchange_stamps, uint64_t, DJ_COLD) // NOLINT(clang-analyzer-core.*)

void dj_fast_exchange(dj_fast *fast, const dj_work *part)
{
    dj_fast_chunk *c = &fast->chunk;
    const dj_fast_slots *slots = &fast->slots;
    uint16_t run_end[DJ_FAST_ACCESSES];
    for (uint32_t word = 0; word * 64 < c->count; word++)
        for (uint64_t left = c->ends[word]; left != 0; left &= left - 1) {
            uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(left);
            run_end[c->run[i]] = (uint16_t)i;
        }
    if (fast->use & DJ_CAN_TAGS) {
        memcpy(c->tag + DJ_FAST_WINDOW, part->tag, c->count * sizeof *c->tag);
        exchange_tags(slots, c, slots->tag, c->tag, part->distance, run_end, part->prev_tag);
    }
    if (fast->use & DJ_CAN_TIMES) {
        memcpy(c->stamp + DJ_FAST_WINDOW, part->time, c->count * sizeof *c->stamp);
        exchange_stamps(slots, c, slots->stamp, c->stamp, part->distance, run_end, part->prev_time);
    }
}
