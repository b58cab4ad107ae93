// SPDX-License-Identifier: MIT
// A trace with a given histogram of reuse distances: first all cold accesses, then the reuses in random
// order, drawn without replacement. The key at a given depth of the LRU stack is found in O(log keys): keys
// are in slots in last-access order, and a Fenwick tree counts the occupied slots.
#include "base/random.h"
#include "trace/generate/generate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct fenwick {
    uint64_t *sum; // 1-based
    uint64_t size; // a power of two
} fenwick;

static void fenwick_add(fenwick *f, uint64_t index, uint64_t amount)
{
    for (uint64_t i = index + 1; i <= f->size; i += i & -i)
        f->sum[i] += amount;
}

// The index whose range of the running sums contains `target`.
static uint64_t fenwick_find(const fenwick *f, uint64_t target)
{
    uint64_t at = 0;
    for (uint64_t step = f->size; step > 0; step >>= 1)
        if (at + step <= f->size && f->sum[at + step] <= target) {
            at += step;
            target -= f->sum[at];
        }
    return at;
}

static int fenwick_create(dj_context *context, uint64_t least, fenwick *out)
{
    uint64_t size = 1;
    while (size < least)
        size *= 2;
    out->size = size;
    out->sum = calloc(size + 1, sizeof *out->sum);
    return out->sum ? DJ_OK : dj_fail_memory(context, "a histogram generator", (size + 1) * sizeof *out->sum);
}

typedef struct histogram {
    dj_random random;
    uint64_t cold, cold_done;
    uint64_t *distance; // of each bin
    size_t bin_count;
    fenwick left; // reuses left in each bin
    uint64_t reuses_left;
    uint64_t *slot; // keys in order of last access, with holes
    uint64_t top;   // first slot never used
    fenwick occupied;
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
    fenwick_add(&h->left, h->bin_count++, count);
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
    int err = fenwick_create(context, most, &h->left);
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
    free(h->occupied.sum);
    free(h->slot);
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
        err = fenwick_create(context, 2 * h->cold, &h->occupied);
    if (err == DJ_OK && !(h->slot = malloc(h->occupied.size * sizeof *h->slot)))
        err = dj_fail_memory(context, "a histogram generator", h->occupied.size * sizeof *h->slot);
    if (err != DJ_OK) {
        destroy(h);
        return err;
    }
    *length = h->cold + h->reuses_left;
    *state = h;
    return DJ_OK;
}

static void put(histogram *h, uint64_t key)
{
    h->slot[h->top] = key;
    fenwick_add(&h->occupied, h->top++, 1);
}

// Removes the holes, so that all slots up to `cold` are occupied. Every key is live, and there are at least
// twice as many slots, so it pays.
static void compact(histogram *h)
{
    for (uint64_t rank = 0; rank < h->cold; rank++)
        h->slot[rank] = h->slot[fenwick_find(&h->occupied, rank)];
    memset(h->occupied.sum, 0, (h->occupied.size + 1) * sizeof *h->occupied.sum);
    for (uint64_t i = 0; i < h->cold; i++)
        fenwick_add(&h->occupied, i, 1);
    h->top = h->cold;
}

static uint64_t reuse(histogram *h)
{
    uint64_t bin = fenwick_find(&h->left, dj_random_below(&h->random, h->reuses_left));
    fenwick_add(&h->left, bin, (uint64_t)-1);
    h->reuses_left--;
    if (h->top == h->occupied.size)
        compact(h);
    uint64_t at = fenwick_find(&h->occupied, h->cold - 1 - h->distance[bin]);
    uint64_t key = h->slot[at];
    fenwick_add(&h->occupied, at, (uint64_t)-1);
    put(h, key);
    return key;
}

static void fill(void *state, uint32_t count, const dj_generated *to)
{
    histogram *h = state;
    for (uint32_t i = 0; i < count; i++) {
        if (h->cold_done == h->cold) {
            to->element[i] = reuse(h);
            continue;
        }
        put(h, h->cold_done);
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
