// SPDX-License-Identifier: MIT
// Programs that share data, as in section 4.1 of Jiang, Zhang, Tian and Shen, "Is reuse distance applicable
// to data locality analysis on chip multiprocessors?" (CC 2010). Each sharer first accesses all its elements
// once, in random order. Then it draws a distance from its distribution and accesses the element at that
// depth of its LRU stack, so that every reuse distance of the sharer alone is a draw. Elements 0 … shared - 1
// belong to all sharers; then come those of the first alone, of the second alone, and so on.
#include "base/random.h"
#include "trace/generate/distance_law.h"
#include "trace/generate/generate.h"
#include "trace/generate/lru_stack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHARERS_MOST = 64, PER_SHARER = 200000 };
#define DISTINCT_MOST ((uint64_t)1 << 32)

typedef struct sharer {
    uint64_t distinct;
    uint64_t *order; // of the first accesses
    uint64_t begun;  // first accesses done
    dj_random random;
    dj_distance_law law;
    dj_lru_stack stack;
} sharer;

typedef struct sharers {
    sharer list[SHARERS_MOST];
    uint32_t count;
    uint32_t first, last; // those that are generated
    uint32_t next;
    uint64_t shared;
} sharers;

static void destroy(void *state)
{
    sharers *s = state;
    for (uint32_t i = 0; i < s->count; i++) {
        free(s->list[i].order);
        dj_distance_law_destroy(&s->list[i].law);
        dj_lru_stack_destroy(&s->list[i].stack);
    }
    free(s);
}

static int read_distinct(dj_context *context, sharers *s, const char *text)
{
    for (const char *at = text;; at++) {
        char *end;
        uint64_t distinct = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
        if (distinct == 0 || distinct > DISTINCT_MOST || (*end && *end != ','))
            return dj_fail(
                context, DJ_ERR_USAGE,
                "cannot read the numbers of distinct elements at '%s': expected N,N,… with numbers "
                "from 1 to 2^32, as in 200,100",
                at);
        if (s->count == SHARERS_MOST)
            return dj_fail(context, DJ_ERR_USAGE, "there can be at most %d sharers", SHARERS_MOST);
        s->list[s->count++].distinct = distinct;
        if (!*end)
            return DJ_OK;
        at = end;
    }
}

// One name for all sharers, or one for each.
static int read_laws(dj_context *context, sharers *s, const char *text)
{
    char *copy = strdup(text), *rest = NULL;
    uint32_t named = 0;
    int err = copy ? DJ_OK : dj_fail_memory(context, "a generator", 0);
    const char *last = "";
    for (const char *name = err ? NULL : strtok_r(copy, ",", &rest); name && !err;
         name = strtok_r(NULL, ",", &rest)) {
        last = name;
        if (named < s->count)
            err = dj_distance_law_create(context, name, s->list[named].distinct, &s->list[named].law);
        named++;
    }
    for (uint32_t i = 1; !err && named == 1 && i < s->count; i++)
        err = dj_distance_law_create(context, last, s->list[i].distinct, &s->list[i].law);
    if (!err && named != 1 && named != s->count)
        err = dj_fail(context, DJ_ERR_USAGE,
                      "%" PRIu32 " distributions for %" PRIu32 " sharers; name one for all or one for each",
                      named, s->count);
    free(copy);
    return err;
}

static int share(dj_context *context, sharers *s, double share)
{
    if (!(share >= 0 && share <= 1))
        return dj_fail(context, DJ_ERR_USAGE, "the sharing rate must be from 0 to 1");
    s->shared = (uint64_t)(share * (double)s->list[0].distinct + 0.5);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].distinct < s->shared)
            return dj_fail(context, DJ_ERR_USAGE,
                           "%" PRIu64 " elements are shared, but sharer %" PRIu32 " has only %" PRIu64,
                           s->shared, i + 1, s->list[i].distinct);
    return DJ_OK;
}

// The elements of one sharer, in random order.
static int shuffle(dj_context *context, sharer *one, uint64_t shared, uint64_t first_private)
{
    one->order = malloc(one->distinct * sizeof *one->order);
    if (!one->order)
        return dj_fail_memory(context, "a generator", one->distinct * sizeof *one->order);
    for (uint64_t i = 0; i < one->distinct; i++) {
        uint64_t other = dj_random_below(&one->random, i + 1);
        if (other < i)
            one->order[i] = one->order[other];
        one->order[other] = i < shared ? i : first_private + i - shared;
    }
    return dj_lru_stack_create(context, one->distinct, &one->stack);
}

// Every sharer has its own random numbers, so that it is the same alone and among others.
static int prepare(dj_context *context, sharers *s, uint64_t seed)
{
    uint64_t first_private = s->shared;
    dj_random seeds;
    int err = DJ_OK;
    dj_random_seed(&seeds, seed);
    for (uint32_t i = 0; !err && i <= s->last; i++) {
        sharer *one = &s->list[i];
        dj_random_seed(&one->random, dj_random_next(&seeds));
        if (i >= s->first)
            err = shuffle(context, one, s->shared, first_private);
        first_private += one->distinct - s->shared;
    }
    return err;
}

static int create(dj_context *context, const dj_generate_options *options, void **state, uint64_t *length)
{
    sharers *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "a generator", sizeof *s);
    int err = read_distinct(context, s, options->distinct ? options->distinct : "");
    if (!err)
        err = read_laws(context, s, options->distribution ? options->distribution : "");
    if (!err)
        err = share(context, s, options->sharing);
    if (!err && options->sharer > s->count)
        err = dj_fail(context, DJ_ERR_USAGE, "there is no sharer %" PRIu64 "; there are %" PRIu32,
                      options->sharer, s->count);
    if (!err) {
        s->first = options->sharer ? (uint32_t)options->sharer - 1 : 0;
        s->last = options->sharer ? s->first : s->count - 1;
        s->next = s->first;
        err = prepare(context, s, options->seed);
    }
    if (err) {
        destroy(s);
        return err;
    }
    *length = dj_generate_length(options->accesses, s->last - s->first + 1, 0);
    *state = s;
    return DJ_OK;
}

static uint64_t access_next(sharer *one)
{
    if (one->begun == one->distinct)
        return dj_lru_stack_access(&one->stack, dj_distance_law_draw(&one->law, &one->random));
    uint64_t element = one->order[one->begun++];
    dj_lru_stack_push(&one->stack, element);
    return element;
}

static void fill(void *state, uint32_t count, const dj_generated *to)
{
    sharers *s = state;
    for (uint32_t i = 0; i < count; i++) {
        to->element[i] = access_next(&s->list[s->next]);
        if (to->thread)
            to->thread[i] = s->next + 1;
        s->next = s->next == s->last ? s->first : s->next + 1;
    }
}

static const dj_option options[] = {
    DJ_GENERATE_OPTION("distinct", 0, DJ_OPTION_TEXT, distinct, "LIST",
                       "number of distinct elements of each sharer, as in 200,100"),
    DJ_GENERATE_OPTION("sharing", 0, DJ_OPTION_REAL, sharing, "S",
                       "shared elements, as a share of the elements of the first sharer"),
    DJ_GENERATE_OPTION(
        "distribution", 0, DJ_OPTION_TEXT, distribution, "LIST",
        "distribution of the reuse distances: random, exponential or normal; one for all sharers, or one for "
        "each"),
    DJ_GENERATE_OPTION("sharer", 0, DJ_OPTION_UINT, sharer, "I",
                       "only the I-th sharer (default: all, as threads that alternate)"),
    DJ_GENERATE_COMMON};

const dj_generator dj_generator_sharers = {
    .info =
        {"sharers",
         "programs that share data, with given distributions of reuse distances",
         options,
         {.accesses = PER_SHARER, .seed = 1, .distinct = "200,100", .distribution = "random", .sharing = 0.1},
         false},
    .has_threads = true,
    .has_length = true,
    .create = create,
    .destroy = destroy,
    .fill = fill,
};
