// SPDX-License-Identifier: MIT
#include "calibrate/probes.h"

#include <time.h>

// For the compiler, the value is used.
#define KEEP(value) __asm__ volatile("" : "+r"(value))

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// A permutation of the numbers below 2^log2 without locality.
static uint64_t shuffled(uint64_t index, unsigned log2)
{
    const uint64_t mask = (UINT64_C(1) << log2) - 1;
    index = index * UINT64_C(0x9e3779b97f4a7c15) & mask;
    index ^= index >> (log2 / 2 + 1);
    return index * UINT64_C(0xd6e8feb86659fd93) & mask;
}

void dj_probe_link(dj_probe_memory *m)
{
    const uint64_t lines = UINT64_C(1) << m->log2;
    for (uint64_t i = 0; i < lines; i++)
        m->at[shuffled(i, m->log2) * DJ_LINE_WORDS] = shuffled((i + 1) & (lines - 1), m->log2);
    m->place = 0;
}

double dj_probe_chase(dj_probe_memory *m, size_t steps)
{
    uint64_t line = m->place;
    const double begin = now_ns();
    for (size_t i = 0; i < steps; i++)
        line = m->at[line * DJ_LINE_WORDS];
    KEEP(line);
    m->place = line;
    return (now_ns() - begin) / (double)steps;
}

// A linear congruential generator with the full period (Knuth 3.2.1.2): few instructions, so that many loads
// are in flight.
static uint64_t next_place(uint64_t place)
{
    return 5 * place + 12345;
}

double dj_probe_random(dj_probe_memory *m, size_t steps)
{
    const uint64_t mask = (UINT64_C(1) << m->log2) - 1;
    uint64_t sum = 0, place = m->place;
    const double begin = now_ns();
    for (size_t i = 0; i < steps; i++, place = next_place(place))
        sum += m->at[(place & mask) * DJ_LINE_WORDS];
    KEEP(sum);
    m->place = place;
    return (now_ns() - begin) / (double)steps;
}

double dj_probe_update(dj_probe_memory *m, size_t steps)
{
    const uint64_t mask = (UINT64_C(1) << m->log2) - 1;
    uint64_t place = m->place;
    const double begin = now_ns();
    for (size_t i = 0; i < steps; i++, place = next_place(place))
        m->at[(place & mask) * DJ_LINE_WORDS]++;
    m->place = place;
    return (now_ns() - begin) / (double)steps;
}

// Several sums, since each addition waits for the one before.
double dj_probe_read(dj_probe_memory *m, size_t steps)
{
    const size_t half = (size_t)1 << (m->log2 - 1);
    uint64_t even = 0, odd = 0;
    size_t done = 0;
    const double begin = now_ns();
    for (; done < steps; done += 2 * half)
        for (size_t i = 0; i < half * DJ_LINE_WORDS; i += DJ_LINE_WORDS) {
            const uint64_t *a = m->at + i, *b = a + half * DJ_LINE_WORDS;
            even += a[0] + a[2] + a[4] + a[6] + b[0] + b[2] + b[4] + b[6];
            odd += a[1] + a[3] + a[5] + a[7] + b[1] + b[3] + b[5] + b[7];
        }
    KEEP(even);
    KEEP(odd);
    return (now_ns() - begin) / (double)done;
}

double dj_probe_write(dj_probe_memory *m, size_t steps)
{
    const size_t half = (size_t)1 << (m->log2 - 1);
    size_t done = 0;
    const double begin = now_ns();
    for (; done < steps; done += 2 * half) {
        for (size_t i = 0; i < half * DJ_LINE_WORDS; i++) {
            m->at[i]++;
            m->at[i + half * DJ_LINE_WORDS]++;
        }
        __asm__ volatile("" ::: "memory");
    }
    return (now_ns() - begin) / (double)done;
}

double dj_probe_access(dj_probe_memory *m, size_t steps)
{
    uint64_t sum = 0;
    const double begin = now_ns();
    for (size_t i = 0; i < steps; i++) {
        sum += m->at[i % DJ_LINE_WORDS];
        KEEP(sum);
    }
    return (now_ns() - begin) / (double)steps;
}
