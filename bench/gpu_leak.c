// SPDX-License-Identifier: MIT
// Checks that many runs leak nothing.
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/gpu.h"

enum { KINDS = 5, ROUNDS = 20, SMALL_ROUNDS = 3, ACCESSES = 200000, SMALL_ACCESSES = 2000 };
// Less than the smallest possible leak of a run, a pinned or a device buffer. Other memory of this machine
// grows a little.
#define HOST_SLACK ((int64_t)64 << 20)
#define DEVICE_SLACK ((int64_t)2 << 20)

static int64_t resident(void)
{
    long pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    if (in) {
        if (fscanf(in, "%*d %ld", &pages) != 1)
            pages = 0;
        fclose(in);
    }
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static int run_engine(dj_context *context, const gpu_bench *bench, const dj_engine_ops *engine, size_t count,
                      bool totals)
{
    gpu_engine_run run = {.engine = engine, .key = bench->key, .count = count};
    uint64_t *distance = totals ? NULL : malloc(count * sizeof *distance);
    int err = DJ_OK;
    run.use = totals ? DJ_CAN_TOTALS : DJ_CAN_PER_ACCESS;
    run.distance = distance;
    if (totals)
        err = dj_histogram_create(context, &run.into);
    if (err == DJ_OK)
        err = totals || distance ? gpu_run_engine(context, &run) : dj_fail_memory(context, "distances", 0);
    dj_histogram_destroy(run.into);
    free(distance);
    return err;
}

// The device alone, and each engine with totals and with answers.
static int run_all(dj_context *context, gpu_bench *bench, size_t count)
{
    static const char *const names[] = {"gpu", "hprda-gpu"};
    gpu_device_run run = {.from = {.key = bench->key},
                          .count = count,
                          .keys = count,
                          .chunk = count / 3 + 1,
                          .use = DJ_CAN_TOTALS};
    dj_order order = {0};
    void *held = NULL;
    run.order = &order;
    int err = dj_gpu_allocate(context, bench->key, count * sizeof *bench->key, &held);
    run.from.key = held;
    if (err == DJ_OK)
        err = dj_histogram_create(context, &run.into);
    if (err == DJ_OK)
        err = gpu_run_device(context, &run);
    dj_gpu_free(held);
    dj_order_free(&order);
    dj_histogram_destroy(run.into);
    for (size_t i = 0; err == DJ_OK && i < 4; i++)
        err = run_engine(context, bench, dj_engine_find(names[i % 2]), count, i < 2);
    return err;
}

int gpu_leak(gpu_bench *bench, dj_context *context)
{
    const size_t count = bench->set.small ? SMALL_ACCESSES : ACCESSES;
    const unsigned rounds = bench->set.small ? SMALL_ROUNDS : ROUNDS;
    gpu_trace trace = {.pattern = "uniform", .count = count, .keys = count / 4};
    dj_gpu_info before = {.free_bytes = 0}, after = {.free_bytes = 0};
    int64_t had = 0;
    int err = gpu_reserve_keys(bench, context, count);
    trace.key = bench->key;
    if (err == DJ_OK)
        err = gpu_trace_fill(bench, context, &trace);
    // The first runs allocate what the driver keeps.
    for (unsigned i = 0; err == DJ_OK && i < 2 + rounds; i++) {
        if (i == 2) {
            err = dj_gpu_find(context, &before);
            had = resident();
        }
        if (err == DJ_OK)
            err = run_all(context, bench, count);
    }
    if (err == DJ_OK)
        err = dj_gpu_find(context, &after);
    if (err != DJ_OK)
        return err;
    int64_t device = (int64_t)(before.free_bytes - after.free_bytes), host = resident() - had;
    if (device >= DEVICE_SLACK || host >= HOST_SLACK) {
        dj_fail(context, DJ_ERR_INPUT,
                "%u runs left %" PRId64 " bytes of the device and %" PRId64 " of this machine",
                KINDS * rounds, device, host);
        gpu_wrong(bench, context);
    }
    gpu_say("leak: %u runs of %d kinds left %" PRId64 " bytes of the device, %.1f MiB of this machine",
            KINDS * rounds, KINDS, device, (double)host / 0x1p20);
    return DJ_OK;
}
