// SPDX-License-Identifier: MIT
// Random patterns; only the permutation needs a table.
#include "base/random.h"
#include "trace/generate/generate.h"

#include <stdlib.h>

typedef struct draw {
    dj_generate_options options;
    dj_random random;
    uint64_t at;        // walk: position; permutation: index
    uint64_t hot_below; // hotcold: a 63-bit random number below it means hot
    uint64_t order[];   // permutation
} draw;

static int create_with(dj_context *context, const dj_generate_options *options, uint64_t words, void **state)
{
    if (words > SIZE_MAX / 16)
        return dj_fail_memory(context, "the keys of a permutation", 0);
    draw *d = calloc(1, sizeof *d + words * sizeof d->order[0]);
    if (!d)
        return dj_fail_memory(context, "a generator", words * sizeof d->order[0]);
    d->options = *options;
    dj_random_seed(&d->random, options->seed);
    *state = d;
    return DJ_OK;
}

static int create(dj_context *context, const dj_generate_options *options, void **state, uint64_t *length)
{
    (void)length;
    return create_with(context, options, 0, state);
}

// Every key is equally likely; accesses are independent.
static void fill_uniform(void *state, uint32_t count, const dj_generated *to)
{
    draw *d = state;
    for (uint32_t i = 0; i < count; i++)
        to->element[i] = dj_random_below(&d->random, d->options.keys);
}

static int create_walk(dj_context *context, const dj_generate_options *options, void **state,
                       uint64_t *length)
{
    if (options->step == 0 || options->step > options->keys)
        return dj_fail(context, DJ_ERR_USAGE, "a walk's longest step must be from 1 to the number of keys");
    return create(context, options, state, length);
}

// A step of 1 … step keys up or down, all equally likely, on a ring of keys.
static void fill_walk(void *state, uint32_t count, const dj_generated *to)
{
    draw *d = state;
    uint64_t n = d->options.keys, step = d->options.step;
    for (uint32_t i = 0; i < count; i++) {
        to->element[i] = d->at;
        uint64_t r = dj_random_below(&d->random, 2 * step);
        uint64_t up = r < step ? r + 1 : n - (r - step + 1);
        d->at = up >= n - d->at ? up - (n - d->at) : d->at + up;
    }
}

static int create_hotcold(dj_context *context, const dj_generate_options *options, void **state,
                          uint64_t *length)
{
    if (options->hot == 0 || options->hot >= options->keys)
        return dj_fail(context, DJ_ERR_USAGE,
                       "the number of hot keys must be at least 1 and less than the number of keys");
    if (!(options->hot_share >= 0 && options->hot_share <= 1))
        return dj_fail(context, DJ_ERR_USAGE, "the share of the hot keys must be from 0 to 1");
    int err = create(context, options, state, length);
    if (err == DJ_OK)
        ((draw *)*state)->hot_below = (uint64_t)(options->hot_share * 0x1p63);
    return err;
}

// With probability `hot_share` one of the first `hot` keys, otherwise one of the others.
static void fill_hotcold(void *state, uint32_t count, const dj_generated *to)
{
    draw *d = state;
    uint64_t hot = d->options.hot, cold = d->options.keys - hot;
    for (uint32_t i = 0; i < count; i++) {
        bool is_hot = dj_random_next(&d->random) >> 1 < d->hot_below;
        to->element[i] = is_hot ? dj_random_below(&d->random, hot) : hot + dj_random_below(&d->random, cold);
    }
}

static void shuffle(draw *d)
{
    for (uint64_t i = d->options.keys - 1; i > 0; i--) {
        uint64_t j = dj_random_below(&d->random, i + 1), key = d->order[i];
        d->order[i] = d->order[j];
        d->order[j] = key;
    }
}

static int create_permutation(dj_context *context, const dj_generate_options *options, void **state,
                              uint64_t *length)
{
    int err = create_with(context, options, options->keys, state);
    if (err != DJ_OK)
        return err;
    *length = dj_generate_length(options->keys, options->sweeps, 0);
    draw *d = *state;
    for (uint64_t i = 0; i < options->keys; i++)
        d->order[i] = i;
    shuffle(d);
    return DJ_OK;
}

// All keys once, in random order, repeated: every reuse has distance n - 1 unless the keys are reshuffled for
// each sweep.
static void fill_permutation(void *state, uint32_t count, const dj_generated *to)
{
    draw *d = state;
    for (uint32_t i = 0; i < count; i++) {
        if (d->at == d->options.keys) {
            d->at = 0;
            if (d->options.reshuffle)
                shuffle(d);
        }
        to->element[i] = d->order[d->at++];
    }
}

static const dj_option uniform_options[] = {DJ_GENERATE_KEYS("number of keys"), DJ_GENERATE_COMMON};
static const dj_option walk_options[] = {
    DJ_GENERATE_KEYS("number of keys"),
    DJ_GENERATE_OPTION("step", 0, DJ_OPTION_UINT, step, "N", "longest step"), DJ_GENERATE_COMMON};
static const dj_option hotcold_options[] = {
    DJ_GENERATE_KEYS("number of keys, hot ones included"),
    DJ_GENERATE_OPTION("hot", 0, DJ_OPTION_UINT, hot, "N", "number of hot keys"),
    DJ_GENERATE_OPTION("hot-share", 0, DJ_OPTION_REAL, hot_share, "P",
                       "share of accesses to hot keys, 0 to 1"),
    DJ_GENERATE_COMMON};
static const dj_option permutation_options[] = {
    DJ_GENERATE_KEYS("number of keys"),
    DJ_GENERATE_OPTION("sweeps", 's', DJ_OPTION_UINT | DJ_OPTION_COMMON, sweeps, "N", "passes over all keys"),
    DJ_GENERATE_OPTION("reshuffle", 0, DJ_OPTION_FLAG, reshuffle, NULL, "use a new order in each sweep"),
    DJ_GENERATE_COMMON};

const dj_generator dj_generator_uniform = {
    .info = {"uniform",
             "every key equally likely",
             uniform_options,
             {.accesses = 1000000, .seed = 1, .keys = 100000},
             false},
    .create = create,
    .destroy = free,
    .fill = fill_uniform,
};

const dj_generator dj_generator_walk = {
    .info = {"walk",
             "random steps up and down a ring of keys",
             walk_options,
             {.accesses = 1000000, .seed = 1, .keys = 100000, .step = 8},
             false},
    .create = create_walk,
    .destroy = free,
    .fill = fill_walk,
};

const dj_generator dj_generator_hotcold = {
    .info = {"hotcold",
             "a few hot keys among many cold ones",
             hotcold_options,
             {.accesses = 1000000, .seed = 1, .keys = 100000, .hot = 1000, .hot_share = 0.9},
             false},
    .create = create_hotcold,
    .destroy = free,
    .fill = fill_hotcold,
};

const dj_generator dj_generator_permutation = {
    .info = {"permutation",
             "all keys in one random order, repeated",
             permutation_options,
             {.seed = 1, .keys = 100000, .sweeps = 10},
             false},
    .create = create_permutation,
    .destroy = free,
    .fill = fill_permutation,
};
