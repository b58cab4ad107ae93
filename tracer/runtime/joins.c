// SPDX-License-Identifier: MIT
// Which number the thread has that another one joins. A pthread_t is reused once its thread has ended and was
// joined or detached. Its creator or the thread itself enters it, whoever comes first: so it is known as soon
// as anyone can join it, and nobody enters it after it may have ended. Who joins it takes the entry away.
#include "core.h"

enum { SETS = 2048, WAYS = 8 };

typedef struct entry {
    pthread_t thread;
    uint32_t number;
} entry;

static entry known[SETS][WAYS]; // protected by the lock of the frames

static entry *set_of(pthread_t thread)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    return known[(uint64_t)thread * golden >> 53];
}
_Static_assert(SETS == 1 << (64 - 53), "a hash selects a set");

void dj_rt_joinable(pthread_t thread, uint32_t number, bool *known_already)
{
    dj_rt_frames_lock();
    entry *set = set_of(thread), *to = set; // otherwise the oldest
    for (int i = 0; i < WAYS; i++) {
        if (set[i].thread == thread) {
            to = &set[i];
            break;
        }
        if (set[i].number < to->number)
            to = &set[i];
    }
    if (!*known_already)
        *to = (entry){thread, number};
    *known_already = true;
    dj_rt_frames_unlock();
}

uint32_t dj_rt_joined(pthread_t thread)
{
    uint32_t number = 0;
    dj_rt_frames_lock();
    entry *set = set_of(thread);
    for (int i = 0; i < WAYS && !number; i++)
        if (set[i].thread == thread) {
            number = set[i].number;
            set[i] = (entry){0};
        }
    dj_rt_frames_unlock();
    return number;
}
