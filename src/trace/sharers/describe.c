// SPDX-License-Identifier: MIT
// The order of sharers in words.
#include <deja/sharers.h>

#include <stdio.h>

enum { SPEEDS_BYTES = 120 };

// A list such as "1,2.5"; "..." replaces what does not fit.
static void list_speeds(const dj_interleave_options *o, char *text, size_t capacity)
{
    enum { ELLIPSIS = 4 };
    size_t length = 0;
    snprintf(text, capacity, "equal");
    for (size_t i = 0; o->speeds && i < o->speed_count; i++) {
        char one[32];
        int bytes = snprintf(one, sizeof one, "%s%g", i ? "," : "", o->speeds[i]);
        if (length + (size_t)bytes + ELLIPSIS >= capacity) {
            snprintf(text + length, capacity - length, "...");
            return;
        }
        length += (size_t)snprintf(text + length, capacity - length, "%s", one);
    }
}

void dj_interleave_describe(const dj_interleave_options *o, bool threads, char *text, size_t capacity)
{
    const char *ignoring = threads ? ", ignoring synchronization" : "";
    const unsigned long long seed = o->seed, quantum = o->quantum ? o->quantum : DJ_QUANTUM_DEFAULT;
    char speeds[SPEEDS_BYTES];
    list_speeds(o, speeds, sizeof speeds);
    switch (o->order) {
    case DJ_INTERLEAVE_RECORDED:
        snprintf(text, capacity, "as recorded");
        break;
    case DJ_INTERLEAVE_RANDOM:
        snprintf(text, capacity, "random, seed %llu, speeds %s%s", seed, speeds, ignoring);
        break;
    case DJ_INTERLEAVE_SPEEDS:
        snprintf(text, capacity, "in proportion to their speeds (%s), the first %s first%s", speeds,
                 threads ? "thread" : "named", ignoring);
        break;
    case DJ_INTERLEAVE_SCHEDULE:
        snprintf(text, capacity,
                 "schedule: the accesses of the recorded run in random turns of %llu, respecting "
                 "synchronization; seed %llu, speeds %s",
                 quantum, seed, speeds);
        break;
    }
}
