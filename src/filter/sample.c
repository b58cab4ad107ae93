// SPDX-License-Identifier: MIT
// A sample of the blocks: all accesses to a block count, or none (SHARDS, FAST 2015).
#include "filter/filters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/sample.h"

typedef struct sample_options {
    const char *rate; // as typed, or NULL
    uint64_t seed;
} sample_options;

static const dj_option table[] = {
    {"sample", 0, DJ_OPTION_TEXT, offsetof(sample_options, rate), "RATE",
     "estimate from a part of the blocks, such as 1% or 0.01, rounded to a power of two. All accesses to a "
     "block are analyzed, or none. The result has an error, which is printed with it",
     NULL},
    {"sample-seed", 0, DJ_OPTION_UINT, offsetof(sample_options, seed), "N",
     "which blocks --sample chooses (default 0). The same seed chooses the same blocks everywhere", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const sample_options defaults = {NULL, 0};

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
    const sample_options *o = options;
    int found = o->rate ? find_log2(o->rate) : 0;
    return found > 0 ? (unsigned)found : 0;
}

static void describe(const void *options, char *text, size_t capacity)
{
    const sample_options *o = options;
    text[0] = 0;
    // A wrong rate is reported when the filter is created. At 100% there is nothing to do.
    if (o->rate && find_log2(o->rate) != 0)
        snprintf(text, capacity, "a sample of 1 in %" PRIu64 " blocks, seed %" PRIu64,
                 UINT64_C(1) << weight_log2(options), o->seed);
}

typedef struct sample {
    uint64_t block, seed;
    unsigned log2;
} sample;

static int create(dj_context *context, const dj_filter_setup *setup, void **state)
{
    const sample_options *o = setup->options;
    if (o->rate && find_log2(o->rate) < 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--sample: '%.32s' is not a rate between 2^-%d and 100%%, such as 1%% or 0.01",
                       o->rate, DJ_SAMPLE_LOG2_MOST);
    sample *s = malloc(sizeof *s);
    if (!s)
        return dj_fail_memory(context, "a filter", sizeof *s);
    *s = (sample){setup->largest_block, o->seed, weight_log2(o)};
    *state = s;
    return DJ_OK;
}

static inline uint8_t leave_out(uint8_t verdict)
{
    return dj_verdict_belongs(verdict) ? DJ_VERDICT_UNSAMPLED : DJ_VERDICT_ABSENT;
}

// Most traces: without branches.
static void judge_plain(const sample *s, const uint64_t *address, uint32_t count, uint8_t *verdicts)
{
    const int shift = __builtin_ctzll(s->block);
    const uint64_t seed = s->seed;
    const unsigned log2 = s->log2;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t out = leave_out(verdicts[i]);
        verdicts[i] = dj_sample_has(dj_sample_hash(address[i] >> shift, seed), log2) ? verdicts[i] : out;
    }
}

// Devices have their own blocks. A block is hashed at the largest size, so that the samples of all sizes
// have the same data.
static int judge(void *state, dj_context *context, const dj_batch *batch, uint8_t *verdicts)
{
    (void)context;
    const sample s = *(const sample *)state;
    const uint64_t *address = batch->column.address;
    const uint32_t *device = batch->column.device;
    const bool power = (s.block & (s.block - 1)) == 0;
    if (power && !device) {
        judge_plain(&s, address, batch->count, verdicts);
        return DJ_OK;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        uint64_t hash = dj_sample_hash(address[i] / s.block, s.seed);
        if (device)
            hash = dj_sample_hash(hash ^ device[i], s.seed);
        verdicts[i] = dj_sample_has(hash, s.log2) ? verdicts[i] : leave_out(verdicts[i]);
    }
    return DJ_OK;
}

const dj_filter_ops dj_filter_sample = {
    .name = "sample",
    .summary = "a sample of the blocks, by hash",
    .options = table,
    .options_bytes = sizeof(sample_options),
    .default_options = &defaults,
    .verdicts = 1u << DJ_VERDICT_ABSENT | 1u << DJ_VERDICT_UNSAMPLED,
    .describe = describe,
    .weight_log2 = weight_log2,
    .create = create,
    .destroy = free,
    .judge = judge,
};
