// SPDX-License-Identifier: MIT
// Idea:  The trace is processed in rounds, and a round is divided into chunks, one per two threads (or
//        per thread, if there are fewer than three). The threads of a chunk analyze it with the stages
//        of one engine fast (parallel/stages.c), as if nothing had come before: the longer chunks are,
//        the fewer accesses remain unresolved. These, the first access to each key in its chunk, are
//        answered for all chunks by all threads together, from the last-access order of everything
//        before (parallel/resolve.c). A hash table, sharded among the threads, maps a key to its point
//        (shards.h) on a line of bits (live_points.h), and counting inversions yields the number of
//        live points after it at that time (inversions.h). Threads meet a few times per round, not per
//        chunk: one thread processes the same shard, or the same section of the line, for chunk after
//        chunk. Up to three threads share the work of one engine fast instead, unless the user sets the
//        length of chunks.
// Paper: chunks whose first accesses are resolved later are from Niu, Dinan, Lu and Sadayappan,
//        "PARDA", IPDPS 2012; answering them all at once by counting inversions is new.
// Cost:  O(log keys) per access, shared by the threads, and about three times that per unresolved
//        access; 30 to 45 bytes per key, and 50 to 70 bytes per key of each chunk; holds the work of
//        two rounds.
// Bound: exact; at most 2^30 keys.
#include "engine/parallel/parallel.h"

#include "base/grow.h"
#include "base/machine.h"
#include "engine/registry.h"
#include "engine/team.h"

#include <stdlib.h>
#include <string.h>

typedef struct parallel_options {
    uint64_t threads, chunk;
} parallel_options;

static const parallel_options default_options = {0};

enum { MOST_CHUNK = DJ_INVERSION_MOST, ROUNDS = 2, STAGED_THREADS = 3 };

static const dj_option option_table[] = {
    DJ_THREADS_OPTION("parallel", parallel_options, threads),
    {.name = "chunk",
     .type = DJ_OPTION_UINT,
     .offset = offsetof(parallel_options, chunk),
     .argument = "N",
     .help =
         "accesses per chunk of engine parallel. By default up to three threads share one chunk; with more "
         "threads, a chunk has 4194304 accesses, more if many are unresolved, fewer if memory is short"},
    {0},
};

static void destroy(void *state)
{
    dj_parallel *p = state;
    if (!p)
        return;
    dj_parallel_stages_destroy(p->stages);
    if (p->team)
        dj_team_wait(p->team);
    dj_team_destroy(p->team);
    for (unsigned i = 0; p->chunks && i < p->chunk_count; i++)
        dj_parallel_chunk_free(&p->chunks[i]);
    for (unsigned i = 0; p->engines && i < p->chunk_count; i++)
        dj_parallel_stages_destroy(p->engines[i]);
    free(p->chunks);
    free(p->engines);
    free(p->sequences);
    for (unsigned i = 0; i < ROUNDS; i++)
        free(p->rounds[i].parts);
    dj_inversions_free(&p->inversions);
    dj_live_points_destroy(&p->live_points);
    dj_shards_destroy(&p->shards);
    free(p);
}

static int check_options(dj_context *context, const parallel_options *o)
{
    int err = dj_threads_check(context, o->threads);
    if (!err && o->chunk > MOST_CHUNK)
        return dj_fail(context, DJ_ERR_USAGE, "--chunk %llu: must be at most %d",
                       (unsigned long long)o->chunk, MOST_CHUNK);
    return err;
}

static int prepare_rounds(dj_parallel *p, dj_context *context, uint64_t chunk)
{
    dj_parallel_chunk_choose(p, chunk);
    p->path = dj_parallel_best_path();
    p->chunk_count = p->threads < STAGED_THREADS ? p->threads : p->threads / 2;
    p->chunks = calloc(p->chunk_count, sizeof *p->chunks);
    p->engines = calloc(p->chunk_count, sizeof *p->engines);
    p->sequences = calloc(p->chunk_count, sizeof *p->sequences);
    p->filling = &p->rounds[0];
    if (!p->chunks || !p->engines || !p->sequences)
        return dj_fail_memory(context, "engine parallel", p->chunk_count * sizeof *p->chunks);
    return dj_shards_create(&p->shards, context, p->use & DJ_CAN_TIMES);
}

static int create(dj_context *context, const dj_engine_params *params, void **state)
{
    const parallel_options *o = params->options ? params->options : &default_options;
    int err = dj_engine_check(context, &dj_engine_parallel, params);
    if (!err)
        err = check_options(context, o);
    dj_parallel *p = err ? NULL : calloc(1, sizeof *p);
    if (!p)
        return err ? err : dj_fail_memory(context, "engine parallel", sizeof *p);
    p->use = params->use;
    p->threads = o->threads ? (unsigned)o->threads : dj_machine_cpus();
    if (p->threads > STAGED_THREADS || o->chunk > 0)
        err = dj_team_create(context, &p->threads, &p->team);
    if (!err)
        err = p->team
                  ? prepare_rounds(p, context, o->chunk)
                  : dj_parallel_stages_create(context, p->use, p->threads, params->expected_keys, &p->stages);
    if (err) {
        destroy(p);
        return err;
    }
    *state = p;
    return DJ_OK;
}

// Members without a chunk wait for the others at the barrier after the analysis; until then the engines
// of the chunks use separate threads.
static void run_round(void *user, dj_team_member *member)
{
    dj_parallel *p = user;
    const dj_parallel_round *round = p->running;
    if (member->number < p->chunk_count &&
        dj_parallel_analyze(p, member->context, round, member->number) != DJ_OK)
        atomic_store(&p->failed, true);
    dj_parallel_resolve(p, round, member);
}

static void measure(dj_parallel *p)
{
    dj_engine_stats shards = dj_shards_stats(&p->shards);
    uint64_t bytes =
        shards.peak_bytes + p->live_points.footprint.peak_bytes + p->inversions.footprint.peak_bytes;
    for (unsigned i = 0; i < p->chunk_count; i++) {
        dj_engine_stats engine = {0};
        if (p->engines[i])
            dj_parallel_stages_stats(p->engines[i], &engine);
        bytes += dj_parallel_chunk_bytes(&p->chunks[i]) + engine.peak_bytes;
    }
    p->peak_bytes = bytes > p->peak_bytes ? bytes : p->peak_bytes;
}

static void hand_out(dj_parallel *p, dj_parallel_round *round)
{
    for (dj_work *work; (work = dj_work_queue_take(&round->works)) != NULL;)
        dj_work_queue_put(&p->answered, work);
    round->part_count = 0;
    round->accesses = 0;
}

// Waits for the current turn and releases what has been answered.
static int end_turn(dj_parallel *p, dj_context *context)
{
    if (p->running) {
        dj_team_wait(p->team);
        dj_parallel_chunk_adapt(p, p->running);
        hand_out(p, p->running);
        p->running = NULL;
        measure(p);
        dj_team_pass_warning(p->team, context);
    }
    if (!atomic_load(&p->failed))
        return DJ_OK;
    return dj_team_failure(p->team, context);
}

static int start_turn(dj_parallel *p, dj_context *context)
{
    int err = end_turn(p, context);
    if (err)
        return err;
    p->running = p->filling;
    p->running->chunks = p->chunks;
    p->filling = &p->rounds[p->filling == &p->rounds[0]];
    atomic_store_explicit(&p->next_shard, 0, memory_order_relaxed);
    dj_team_start(p->team, run_round, p);
    return DJ_OK;
}

static int push(void *state, dj_context *context, dj_work *work)
{
    dj_parallel *p = state;
    size_t from = 0;
    if (p->stages)
        return dj_parallel_stages_push(p->stages, context, work, &p->answered);
    do {
        dj_parallel_round *round = p->filling;
        int err = dj_grow(context, "the work of engine parallel", &round->parts, &round->part_capacity,
                          round->part_count + 1, sizeof *round->parts);
        if (err)
            return err;
        uint64_t length = p->chunk * p->threads, capacity = length - round->accesses;
        size_t count = work->count - from < capacity ? work->count - from : capacity;
        round->parts[round->part_count++] = (dj_parallel_part){work, from, count, round->accesses};
        round->accesses += count;
        from += count;
        if (from == work->count)
            dj_work_queue_put(&round->works, work);
        if (round->accesses == length && (err = start_turn(p, context)) != DJ_OK)
            return err;
    } while (from < work->count);
    return DJ_OK;
}

static int drain(void *state, dj_context *context)
{
    dj_parallel *p = state;
    if (p->stages)
        return dj_parallel_stages_drain(p->stages, context, &p->answered);
    int err = start_turn(p, context);
    return err ? err : end_turn(p, context);
}

static int order(void *state, dj_context *context, dj_order *out)
{
    dj_parallel *p = state;
    dj_live_points *s = &p->live_points;
    if (p->stages)
        return dj_engine_fast.order(dj_parallel_stages_finish(p->stages), context, out);
    int err = dj_order_create(context, s->live, p->use, out);
    dj_live_points_count(s);
    for (unsigned i = 0; !err && i < DJ_SHARD_COUNT; i++) {
        const dj_shard *shard = &p->shards.list[i];
        for (uint64_t e = 0; shard->entries && e <= shard->mask; e++) {
            const dj_shard_entry *entry = &shard->entries[e];
            if (entry->point == 0)
                continue;
            uint64_t at = dj_live_points_rank(s, entry->point - 1);
            out->key[at] = entry->key;
            if (out->tag)
                out->tag[at] = entry->tag;
            if (out->time)
                out->time[at] = shard->time[e];
        }
    }
    return err;
}

static void stats(const void *state, dj_engine_stats *out)
{
    const dj_parallel *p = state;
    if (p->stages) {
        dj_parallel_stages_stats(p->stages, out);
        return;
    }
    *out = dj_shards_stats(&p->shards);
    out->bytes += sizeof *p + p->live_points.footprint.bytes + p->inversions.footprint.bytes;
    out->peak_bytes = p->peak_bytes > out->bytes ? p->peak_bytes : out->bytes;
}

const dj_engine_ops dj_engine_parallel = {
    .name = "parallel",
    .summary = "engine fast on chunks of the trace, on all processors",
    .cost = "O(log keys) per access, divided among the threads; 30 to 45 bytes per key, and 50 to 70 per key "
            "of each chunk",
    .can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_SUMMARY,
    .folds = true,
    .for_long_traces = true,
    .options = option_table,
    .options_bytes = sizeof(parallel_options),
    .default_options = &default_options,
    .create = create,
    .destroy = destroy,
    .push = push,
    .pull = dj_work_pull_at_once,
    .drain = drain,
    .order = order,
    .stats = stats,
};
