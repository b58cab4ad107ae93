// SPDX-License-Identifier: MIT
// Patterns of loop nests. They are not random, so their reuse distances have closed forms.
#include "trace/generate/generate.h"

#include <stdlib.h>

// The state of all four: a copy of the options and the loop counters.
typedef struct loop {
    dj_generate_options options;
    uint64_t i, j, k;
    uint32_t operand; // of the innermost statement
    bool odd;         // an odd sweep, or the way down
} loop;

static int create(dj_context *context, const dj_generate_options *options, void **state)
{
    loop *l = calloc(1, sizeof *l);
    if (!l)
        return dj_fail_memory(context, "a generator", 0);
    l->options = *options;
    *state = l;
    return DJ_OK;
}

// 0 1 … n-1 0 1 … n-1 …: every reuse has distance n - 1.
static void fill_loop(void *state, uint32_t count, const dj_generated *to)
{
    loop *l = state;
    uint64_t i = l->i, n = l->options.keys;
    for (uint32_t at = 0; at < count; at++) {
        to->element[at] = i;
        i = i + 1 == n ? 0 : i + 1;
    }
    l->i = i;
}

static int create_loop(dj_context *context, const dj_generate_options *options, void **state,
                       uint64_t *length)
{
    *length = dj_generate_length(options->keys, options->sweeps, 0);
    return create(context, options, state);
}

// 0 1 … n-1 n-2 … 1 0 1 …: the ends are accessed once per turn, and the reuse k accesses after a turn has
// distance k.
static void fill_zigzag(void *state, uint32_t count, const dj_generated *to)
{
    loop *l = state;
    uint64_t last = l->options.keys - 1;
    for (uint32_t at = 0; at < count; at++) {
        to->element[at] = l->i;
        if (last == 0)
            continue;
        if (l->i == (l->odd ? 0 : last))
            l->odd = !l->odd;
        l->i = l->odd ? l->i - 1 : l->i + 1;
    }
}

static int create_zigzag(dj_context *context, const dj_generate_options *options, void **state,
                         uint64_t *length)
{
    *length = dj_generate_length(options->keys - 1, options->sweeps, 1);
    return create(context, options, state);
}

// for each sweep, for each i: read a[i-1], a[i], a[i+1]; write b[i]. Indices wrap around, a is elements 0 …
// n-1 and b is n … 2n-1; with `swap` (Jacobi iteration) they swap roles after each sweep.
static void fill_stencil(void *state, uint32_t count, const dj_generated *to)
{
    loop *l = state;
    uint64_t n = l->options.keys;
    for (uint32_t at = 0; at < count; at++) {
        uint64_t from = l->odd ? n : 0, into = n - from, i = l->i;
        uint64_t element[4] = {from + (i ? i : n) - 1, from + i, from + (i + 1 == n ? 0 : i + 1), into + i};
        to->element[at] = element[l->operand];
        to->kind[at] = l->operand == 3 ? DJ_KIND_WRITE : DJ_KIND_READ;
        to->site[at] = l->operand;
        l->operand = (l->operand + 1) & 3;
        if (l->operand == 0 && ++l->i == n) {
            l->i = 0;
            l->odd ^= l->options.swap;
        }
    }
}

static int create_stencil(dj_context *context, const dj_generate_options *options, void **state,
                          uint64_t *length)
{
    *length = dj_generate_length(dj_generate_length(options->keys, 4, 0), options->sweeps, 0);
    return create(context, options, state);
}

// for i, for j, for k: read a[i][k], read b[k][j], modify c[i][j]; row-major matrices of n × n, a then b then
// c.
static void fill_matmul(void *state, uint32_t count, const dj_generated *to)
{
    loop *l = state;
    uint64_t n = l->options.keys;
    for (uint32_t at = 0; at < count; at++) {
        uint64_t element[3] = {l->i * n + l->k, n * n + l->k * n + l->j, 2 * n * n + l->i * n + l->j};
        to->element[at] = element[l->operand];
        to->kind[at] = l->operand == 2 ? DJ_KIND_MODIFY : DJ_KIND_READ;
        to->site[at] = l->operand;
        if (++l->operand < 3)
            continue;
        l->operand = 0;
        if (++l->k < n)
            continue;
        l->k = 0;
        if (++l->j < n)
            continue;
        l->j = 0;
        if (++l->i == n)
            l->i = 0;
    }
}

static int create_matmul(dj_context *context, const dj_generate_options *options, void **state,
                         uint64_t *length)
{
    uint64_t n = options->keys, cube = dj_generate_length(dj_generate_length(n, n, 0), n, 0);
    *length = dj_generate_length(dj_generate_length(cube, 3, 0), options->sweeps, 0);
    return create(context, options, state);
}

#define SWEEPS                                                                                               \
    DJ_GENERATE_OPTION("sweeps", 's', DJ_OPTION_UINT | DJ_OPTION_COMMON, sweeps, "N",                        \
                       "passes through the pattern")

static const dj_option loop_options[] = {DJ_GENERATE_KEYS("number of keys"), SWEEPS, DJ_GENERATE_COMMON};
static const dj_option stencil_options[] = {
    DJ_GENERATE_KEYS("elements of one of the two arrays"), SWEEPS,
    DJ_GENERATE_OPTION("no-swap", 0, DJ_OPTION_UNFLAG, swap, NULL,
                       "read from the same array in every sweep and write to the other"),
    DJ_GENERATE_COMMON};
static const dj_option matmul_options[] = {DJ_GENERATE_KEYS("rows and columns of a matrix"), SWEEPS,
                                           DJ_GENERATE_COMMON};

const dj_generator dj_generator_loop = {
    .info = {"loop", "cyclic scan: 0 … n-1, repeated", loop_options, {.keys = 100000, .sweeps = 10}, false},
    .create = create_loop,
    .destroy = free,
    .fill = fill_loop,
};

const dj_generator dj_generator_zigzag = {
    .info = {"zigzag", "scan up and down, alternating", loop_options, {.keys = 100000, .sweeps = 10}, false},
    .create = create_zigzag,
    .destroy = free,
    .fill = fill_zigzag,
};

const dj_generator dj_generator_stencil = {
    .info = {"stencil",
             "three-point stencil over two arrays: 3 reads and 1 write each",
             stencil_options,
             {.keys = 500000, .sweeps = 10, .swap = true},
             true},
    .create = create_stencil,
    .destroy = free,
    .fill = fill_stencil,
};

const dj_generator dj_generator_matmul = {
    .info = {"matmul",
             "matrix product, loops i j k: 2 reads and 1 update each",
             matmul_options,
             {.keys = 100, .sweeps = 1},
             true},
    .create = create_matmul,
    .destroy = free,
    .fill = fill_matmul,
};
