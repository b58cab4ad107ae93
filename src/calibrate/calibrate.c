// SPDX-License-Identifier: MIT
// Every probe runs in memory of several sizes, from one that fits into every first-level cache to one that
// fits into none. The fastest of several runs counts: other programs on the machine only make it slower.
// Pages are those that a program gets by default, so the costs contain that of the TLB.
#include "calibrate/calibrate.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "calibrate/probes.h"

enum {
    RUNS = 5,
    STEPS = 1 << 17,
    LOG2_LEAST = 14, // bytes
    LOG2_MOST = 28,
    LOG2_LINE = 6,
};

_Static_assert(LOG2_MOST - LOG2_LEAST < DJ_COST_POINTS_MOST, "a point for each size");

size_t dj_data_caches(const dj_cache *caches, size_t count, uint64_t *bytes)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (caches[i].kind != DJ_CACHE_INSTRUCTION && caches[i].bytes > 0)
            bytes[found++] = caches[i].bytes;
    return found;
}

static double fastest(dj_probe *probe, dj_probe_memory *memory)
{
    double best = INFINITY;
    for (unsigned i = 0; i < RUNS; i++)
        best = fmin(best, probe(memory, STEPS));
    return best;
}

// The chase comes last, since the others change what it follows.
static dj_cost_point measure_point(uint64_t *at, unsigned log2)
{
    dj_probe_memory memory = {at, log2 - LOG2_LINE, 0};
    dj_cost_point point = {.bytes = UINT64_C(1) << log2};
    memset(at, 1, point.bytes);
    point.write_ns = fastest(dj_probe_write, &memory);
    point.read_ns = fastest(dj_probe_read, &memory);
    point.random_ns = fastest(dj_probe_random, &memory);
    point.update_ns = fastest(dj_probe_update, &memory);
    dj_probe_link(&memory);
    point.latency_ns = fastest(dj_probe_chase, &memory);
    return point;
}

static int measure(dj_context *context, const dj_calibration *how, uint64_t *at, unsigned most,
                   dj_machine_costs *out)
{
    int err = DJ_OK;
    dj_probe_memory first = {at, 1, 0};
    for (unsigned log2 = LOG2_LEAST; !err && log2 <= most; log2++) {
        out->points[out->point_count++] = measure_point(at, log2);
        if (how->progress)
            err = how->progress(how->user, context, log2 - LOG2_LEAST + 1, most - LOG2_LEAST + 1);
    }
    out->access_ns = fastest(dj_probe_access, &first);
    return err;
}

int dj_calibrate(dj_context *context, const dj_calibration *how, dj_machine_costs *out)
{
    unsigned most = LOG2_MOST;
    *out = (dj_machine_costs){.measured = true};
    while (how->usable_bytes && most > LOG2_LEAST && UINT64_C(1) << most > how->usable_bytes / 4)
        most--;
    if (most < LOG2_LEAST + 2)
        return dj_fail(context, DJ_ERR_MEMORY, "too little memory to measure what it costs");
    const size_t bytes = (size_t)1 << most;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return dj_fail_memory(context, "measuring this machine", bytes);
    int err = dj_machine_processor(context, out->processor, sizeof out->processor);
    if (!err)
        err = measure(context, how, at, most, out);
    munmap(at, bytes);
    return err;
}
