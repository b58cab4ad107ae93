// SPDX-License-Identifier: MIT
// Generates long traces on all processors. Each stretch has its own seed, which does not change the
// distribution of independently drawn keys.
#include <deja/generate.h>
#include <string.h>

#include "base/machine.h"
#include "base/random.h"
#include "bench/gpu.h"
#include "engine/team.h"

enum { STRETCH = 1 << 20 };

const char *const gpu_patterns[] = {"zipf", "uniform", "loop", NULL};

typedef struct filling {
    const gpu_trace *trace;
    bool scatter;
    atomic_size_t next;
} filling;

static int draw(const gpu_trace *trace, dj_context *context, uint64_t from, uint64_t count)
{
    const dj_generate_options options = {
        .accesses = count, .seed = 1 + from / STRETCH, .keys = trace->keys, .exponent = 0.99};
    dj_source *source = NULL;
    uint64_t *to = trace->key + from;
    int err = dj_source_generate(context, trace->pattern, &options, &source);
    if (err != DJ_OK)
        return err;
    for (;;) {
        dj_batch *batch = NULL;
        err = dj_source_next(source, context, &batch);
        if (err != DJ_OK || !batch)
            break;
        memcpy(to, batch->column.address, batch->count * sizeof *to);
        to += batch->count;
        dj_batch_release(batch);
    }
    dj_source_close(source);
    return err;
}

static void go_round(const gpu_trace *trace, uint64_t from, uint64_t count)
{
    uint64_t key = from % trace->keys;
    for (uint64_t i = from; i < from + count; i++) {
        trace->key[i] = key;
        key = key + 1 == trace->keys ? 0 : key + 1;
    }
}

static void fill(void *user, dj_team_member *member)
{
    filling *f = user;
    const gpu_trace *trace = f->trace;
    for (;;) {
        uint64_t from = (uint64_t)dj_take_task(&f->next) * STRETCH;
        if (from >= trace->count)
            return;
        uint64_t count = trace->count - from < STRETCH ? trace->count - from : STRETCH;
        if (strcmp(trace->pattern, "loop") == 0)
            go_round(trace, from, count);
        else if (draw(trace, member->context, from, count) != DJ_OK)
            return;
        for (uint64_t i = from; f->scatter && i < from + count; i++)
            trace->key[i] = dj_random_mix(trace->key[i]);
    }
}

int gpu_trace_fill(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    filling f = {.trace = trace, .scatter = bench->set.scatter};
    dj_team *team = NULL;
    unsigned threads = bench->processors;
    int err = dj_team_create(context, &threads, &team);
    if (!err && !team)
        err = dj_fail(context, DJ_ERR_MEMORY, "%s", dj_context_warning(context));
    if (err != DJ_OK)
        return err;
    dj_team_start(team, fill, &f);
    dj_team_wait(team);
    err = dj_team_failure(team, context);
    dj_team_destroy(team);
    return err;
}

// If the buffers are too small, they are allocated again: their contents are not needed.
static int reserve(dj_context *context, uint64_t count, size_t bytes, void **memory, size_t *capacity)
{
    if (count <= *capacity)
        return DJ_OK;
    dj_gpu_unpin(*memory);
    *memory = NULL;
    *capacity = 0;
    if (dj_machine_usable_bytes() > 0 && count * bytes > dj_machine_usable_bytes() / 8 * 3)
        return dj_fail_memory(context, "a trace", count * bytes);
    int err = dj_gpu_pin(context, count * bytes, memory);
    *capacity = err == DJ_OK ? count : 0;
    return err;
}

int gpu_reserve_keys(gpu_bench *bench, dj_context *context, uint64_t count)
{
    void *memory = bench->key;
    int err = reserve(context, count, sizeof *bench->key, &memory, &bench->key_capacity);
    bench->key = memory;
    return err;
}

int gpu_reserve_answers(gpu_bench *bench, dj_context *context, uint64_t count)
{
    void *memory = bench->answer;
    int err = reserve(context, count, sizeof *bench->answer, &memory, &bench->answer_capacity);
    bench->answer = memory;
    return err;
}
