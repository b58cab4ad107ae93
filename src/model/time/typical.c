// SPDX-License-Identifier: MIT
// Typical costs of current processors at 3 to 4 GHz, for machines that were not measured.
#include <deja/stall.h>

// Of the first-level cache, the second, the last, and memory.
static const dj_cost_point typical[] = {
    {32 << 10, 1.3, 0.5, 0.6, 0.5, 0.8},
    {1 << 20, 4, 1, 1.2, 0.8, 1.2},
    {32 << 20, 15, 2.5, 4, 1.5, 2.5},
    {0, 110, 9, 14, 3.5, 6},
};
enum { LEVELS = sizeof typical / sizeof *typical, CACHES_MOST = DJ_COST_POINTS_MOST / 2 - 1 };
static const double typical_access_ns = 0.25;

// The costs of a level hold up to its size, and those of the next one from twice as much on.
void dj_costs_assume(const uint64_t *cache_bytes, size_t count, dj_machine_costs *out)
{
    *out = (dj_machine_costs){.access_ns = typical_access_ns};
    const size_t caches = count == 0 ? LEVELS - 1 : count < CACHES_MOST ? count : CACHES_MOST;
    uint64_t last = 0;
    for (size_t i = 0; i < caches; i++) {
        dj_cost_point level = typical[i < LEVELS - 1 ? i : LEVELS - 2];
        level.bytes = count ? cache_bytes[i] : level.bytes;
        if (level.bytes <= last)
            continue;
        if (last > 0 && 2 * last < level.bytes) {
            out->points[out->point_count] = level;
            out->points[out->point_count++].bytes = 2 * last;
        }
        out->points[out->point_count++] = level;
        last = level.bytes;
    }
    out->points[out->point_count] = typical[LEVELS - 1];
    out->points[out->point_count++].bytes = 2 * last;
}
