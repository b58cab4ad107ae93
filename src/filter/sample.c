// SPDX-License-Identifier: MIT
// A sample of the blocks: all accesses to a block count, or none (SHARDS, FAST 2015).
#include "filter/filters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/number.h"
#include "base/pack.h"
#include "base/size.h"
#include "filter/sample_find.h"
#include "filter/sample_options.h"

static const dj_option table[] = {
    {"sample", 0, DJ_OPTION_TEXT, offsetof(dj_sample_options, rate), "RATE",
     "estimate from a part of the blocks, such as 1% or 0.01, rounded to a power of two. All accesses to a "
     "block are analyzed, or none. The result has an error, which is printed with it",
     NULL},
    {"sample-seed", 0, DJ_OPTION_UINT, offsetof(dj_sample_options, seed), "N",
     "which blocks --sample chooses (default 0). The same seed chooses the same blocks everywhere", NULL},
    {"memory", 0, DJ_OPTION_TEXT, offsetof(dj_sample_options, memory), "SIZE",
     "stay within this memory, such as 64M. The analysis is exact as long as all blocks fit. Then it becomes "
     "an estimate from a part of the blocks, which is halved whenever memory is full. For traces only",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_sample_options defaults = {NULL, 0, NULL};

// The nearest power of two; -1: not a rate.
static int find_log2(const char *text)
{
    double rate;
    if (!dj_number_parse_share(text, &rate) || !(rate > 0 && rate <= 1))
        return -1;
    double log2_rate = round(-log2(rate));
    return log2_rate <= DJ_SAMPLE_LOG2_MOST ? (int)log2_rate : -1;
}

static unsigned weight_log2(const void *options)
{
    const dj_sample_options *o = options;
    int found = o->rate ? find_log2(o->rate) : 0;
    return found > 0 ? (unsigned)found : 0;
}

// 0: none, or not a size, which is reported when the filter is created.
static uint64_t memory(const void *options)
{
    const dj_sample_options *o = options;
    return o->memory ? dj_size_bytes_or_0(o->memory) : 0;
}

static void describe(const void *options, char *text, size_t capacity)
{
    const dj_sample_options *o = options;
    text[0] = 0;
    if (o->memory) {
        char size[DJ_HUMAN_BYTES];
        snprintf(text, capacity, "a sample of the blocks within %s, seed %" PRIu64,
                 dj_human_bytes(size, memory(options)), o->seed);
        return;
    }
    // A wrong rate is reported when the filter is created. At 100% there is nothing to do.
    if (o->rate && find_log2(o->rate) != 0)
        snprintf(text, capacity, "a sample of 1 in %" PRIu64 " blocks, seed %" PRIu64,
                 UINT64_C(1) << weight_log2(options), o->seed);
}

typedef struct sample {
    uint64_t block, seed;
    unsigned log2;
    bool devices; // whether the trace has any
    dj_sample_find_function *find;
} sample;

static int create(dj_context *context, const dj_filter_setup *setup, void **state)
{
    const dj_sample_options *o = setup->options;
    if (o->rate && find_log2(o->rate) < 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--sample: '%.32s' is not a rate between 2^-%d and 100%%, such as 1%% or 0.01",
                       o->rate, DJ_SAMPLE_LOG2_MOST);
    uint64_t bytes = 0;
    int err = o->memory ? dj_size_bytes(context, "--memory", o->memory, &bytes) : DJ_OK;
    if (!err && o->memory && bytes == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "--memory: '%.32s' is no memory at all", o->memory);
    if (err)
        return err;
    sample *s = malloc(sizeof *s);
    if (!s)
        return dj_fail_memory(context, "a filter", sizeof *s);
    *s = (sample){.block = setup->largest_block,
                  .seed = o->seed,
                  .log2 = weight_log2(o),
                  .find = dj_sample_find_choose()};
    *state = s;
    return DJ_OK;
}

static inline uint8_t leave_out(uint8_t verdict)
{
    return dj_verdict_belongs(verdict) ? DJ_VERDICT_UNSAMPLED : DJ_VERDICT_ABSENT;
}

// Devices have their own blocks, and not all sizes of blocks are powers of two.
static void find_any(const sample *s, const dj_batch *batch, uint64_t *bits)
{
    const uint32_t *device = batch->column.device;
    for (uint32_t i = 0; i < batch->count; i++) {
        uint64_t hash = dj_sample_hash(batch->column.address[i] / s->block, s->seed);
        if (device)
            hash = dj_sample_hash(hash ^ device[i], s->seed);
        bits[i / 64] |= (uint64_t)dj_sample_has(hash, s->log2) << i % 64;
    }
}

// Leaves out all of up to 64 accesses but those in the sample, which are few.
static inline void apply(uint64_t bits, uint8_t *verdicts, uint32_t count)
{
    uint8_t before[64];
    memcpy(before, verdicts, count);
    for (uint32_t i = 0; i < count; i++)
        verdicts[i] = leave_out(before[i]);
    for (; bits; bits &= bits - 1)
        verdicts[__builtin_ctzll(bits)] = before[__builtin_ctzll(bits)];
}

// A block is hashed at the largest size, so that the samples of all sizes have the same data.
static int judge(void *state, dj_context *context, const dj_batch *batch, uint8_t *verdicts)
{
    (void)context;
    sample *s = state;
    s->devices = batch->column.device != NULL;
    if (s->log2 == 0)
        return DJ_OK;
    uint64_t bits[DJ_BATCH_CAPACITY / 64] = {0};
    if ((s->block & (s->block - 1)) == 0 && !batch->column.device) {
        const dj_sample_choice choice = {s->seed, (unsigned)__builtin_ctzll(s->block), s->log2};
        s->find(&choice, batch->column.address, batch->count, bits);
    } else {
        find_any(s, batch, bits);
    }
    uint32_t i = 0;
    for (; i + 64 <= batch->count; i += 64)
        apply(bits[i / 64], verdicts + i, 64);
    if (i < batch->count)
        apply(bits[i / 64], verdicts + i, batch->count - i);
    return DJ_OK;
}

static bool thin(void *state)
{
    sample *s = state;
    const bool can = s->log2 < DJ_SAMPLE_LOG2_MOST;
    s->log2 += can;
    return can;
}

static bool has(const void *state, uint64_t block, uint32_t device)
{
    const sample *s = state;
    const uint64_t hash = dj_sample_hash(block, s->seed);
    return dj_sample_has(s->devices ? dj_sample_hash(hash ^ device, s->seed) : hash, s->log2);
}

static void save(const void *state, dj_packer *to)
{
    const sample *s = state;
    dj_pack_number(to, s->seed);
    dj_pack_number(to, s->log2);
    dj_pack_number(to, s->devices);
}

static int load(dj_context *context, const dj_filter_setup *setup, dj_unpacker *from, void **state)
{
    uint64_t seed = 0, log2_weight = 0, devices = 0;
    int err = dj_unpack_number(from, context, &seed);
    if (!err)
        err = dj_unpack_below(from, context, DJ_SAMPLE_LOG2_MOST, "the rate of a sample", &log2_weight);
    if (!err)
        err = dj_unpack_below(from, context, 1, "a flag", &devices);
    sample *s = err ? NULL : malloc(sizeof *s);
    if (!s)
        return err ? err : dj_fail_memory(context, "a filter", sizeof *s);
    *s = (sample){.block = setup->largest_block,
                  .seed = seed,
                  .log2 = (unsigned)log2_weight,
                  .devices = devices,
                  .find = dj_sample_find_choose()};
    *state = s;
    return DJ_OK;
}

const dj_filter_ops dj_filter_sample = {
    .name = "sample",
    .summary = "a sample of the blocks, by hash",
    .options = table,
    .options_bytes = sizeof(dj_sample_options),
    .default_options = &defaults,
    .verdicts = 1u << DJ_VERDICT_ABSENT | 1u << DJ_VERDICT_UNSAMPLED,
    .describe = describe,
    .weight_log2 = weight_log2,
    .memory = memory,
    .create = create,
    .destroy = free,
    .judge = judge,
    .thin = thin,
    .has = has,
    .save = save,
    .load = load,
};
