// SPDX-License-Identifier: MIT
// A trace with a given histogram of reuse distances: first all cold accesses, then the reuses in random
// order, drawn without replacement.
#include "base/random.h"
#include "trace/generate/generate.h"
#include "trace/generate/lru_stack.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct histogram {
    dj_random random;
    uint64_t cold, cold_done;
    uint64_t *distance; // of each bin
    size_t bin_count;
    dj_fenwick left; // reuses left in each bin
    uint64_t reuses_left;
    dj_lru_stack stack;
} histogram;

static int bad(dj_context *context, const char *at)
{
    return dj_fail(
        context, DJ_ERR_USAGE,
        "cannot read a histogram at '%s': expected DISTANCE:COUNT,…,cold:COUNT, as in 0:10,5:3,cold:6", at);
}

static int parse_number(dj_context *context, const char **at, uint64_t *out)
{
    if (!isdigit((unsigned char)**at))
        return bad(context, *at);
    uint64_t value = 0;
    for (; isdigit((unsigned char)**at); (*at)++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(**at - '0'), &value) || value > (uint64_t)1 << 40)
            return dj_fail(context, DJ_ERR_USAGE, "a number in a histogram is limited to 2^40");
    *out = value;
    return DJ_OK;
}

static int parse_bin(dj_context *context, histogram *h, const char **at)
{
    bool is_cold = strncmp(*at, "cold", 4) == 0;
    uint64_t distance = 0, count = 0;
    if (is_cold)
        *at += 4;
    else if (parse_number(context, at, &distance) != DJ_OK)
        return DJ_ERR_USAGE;
    if (**at != ':')
        return bad(context, *at);
    (*at)++;
    if (parse_number(context, at, &count) != DJ_OK)
        return DJ_ERR_USAGE;
    if (is_cold) {
        h->cold += count;
        return DJ_OK;
    }
    h->distance[h->bin_count] = distance;
    dj_fenwick_add(&h->left, h->bin_count++, count);
    h->reuses_left += count;
    return DJ_OK;
}

static int parse(dj_context *context, histogram *h, const char *text)
{
    size_t most = 1;
    for (const char *p = text; *p; p++)
        most += *p == ',';
    h->distance = calloc(most, sizeof *h->distance);
    if (!h->distance)
        return dj_fail_memory(context, "a histogram generator", most * sizeof *h->distance);
    int err = dj_fenwick_create(context, most, &h->left);
    for (const char *at = text; err == DJ_OK;) {
        err = parse_bin(context, h, &at);
        if (err != DJ_OK || *at == '\0')
            break;
        if (*at++ != ',')
            err = bad(context, at - 1);
    }
    for (size_t i = 0; err == DJ_OK && i < h->bin_count; i++)
        if (h->distance[i] >= h->cold)
            err = dj_fail(context, DJ_ERR_USAGE,
                          "a reuse distance of %llu needs more than the %llu cold accesses",
                          (unsigned long long)h->distance[i], (unsigned long long)h->cold);
    return err;
}

static void destroy(void *state)
{
    histogram *h = state;
    if (!h)
        return;
    dj_lru_stack_destroy(&h->stack);
    free(h->left.sum);
    free(h->distance);
    free(h);
}

static int create(dj_context *context, const dj_generate_options *options, void **state, uint64_t *length)
{
    histogram *h = calloc(1, sizeof *h);
    if (!h)
        return dj_fail_memory(context, "a generator", 0);
    dj_random_seed(&h->random, options->seed);
    int err = parse(context, h, options->distances ? options->distances : "");
    if (err == DJ_OK)
        err = dj_lru_stack_create(context, h->cold, &h->stack);
    if (err != DJ_OK) {
        destroy(h);
        return err;
    }
    *length = h->cold + h->reuses_left;
    *state = h;
    return DJ_OK;
}

static uint64_t reuse(histogram *h)
{
    uint64_t bin = dj_fenwick_find(&h->left, dj_random_below(&h->random, h->reuses_left));
    dj_fenwick_add(&h->left, bin, (uint64_t)-1);
    h->reuses_left--;
    return dj_lru_stack_access(&h->stack, h->distance[bin]);
}

static void fill(void *state, uint32_t count, const dj_generated *to)
{
    histogram *h = state;
    for (uint32_t i = 0; i < count; i++) {
        if (h->cold_done == h->cold) {
            to->element[i] = reuse(h);
            continue;
        }
        dj_lru_stack_push(&h->stack, h->cold_done);
        to->element[i] = h->cold_done++;
    }
}

static const dj_option options[] = {
    DJ_GENERATE_OPTION("distances", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, distances, "D:N,…,cold:N",
                       "how often each reuse distance occurs, and how many first accesses there are"),
    DJ_GENERATE_COMMON};

const dj_generator dj_generator_histogram = {
    .info = {"histogram",
             "a given histogram of reuse distances, exactly",
             options,
             {.seed = 1, .distances = "0:1000,10:500,100:200,1000:100,cold:2000"},
             false},
    .finite = true,
    .create = create,
    .destroy = destroy,
    .fill = fill,
};
