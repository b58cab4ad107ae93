// SPDX-License-Identifier: MIT
// The table of generators, and what they share.
#include "trace/generate/generate.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

static const dj_generator *const generators[] = {
    &dj_generator_uniform,     &dj_generator_zipf,      &dj_generator_hotcold, &dj_generator_walk,
    &dj_generator_loop,        &dj_generator_zigzag,    &dj_generator_stencil, &dj_generator_matmul,
    &dj_generator_permutation, &dj_generator_histogram, &dj_generator_sharers, &dj_generator_phases,
};

size_t dj_generator_count(void)
{
    return sizeof generators / sizeof generators[0];
}

const dj_generator_info *dj_generator_get(size_t index)
{
    return &generators[index]->info;
}

const dj_generator *dj_generator_entry(const char *name)
{
    for (size_t i = 0; i < dj_generator_count(); i++)
        if (strcmp(generators[i]->info.name, name) == 0)
            return generators[i];
    return NULL;
}

const dj_generator_info *dj_generator_find(const char *name)
{
    const dj_generator *generator = dj_generator_entry(name);
    return generator ? &generator->info : NULL;
}

uint64_t dj_generate_length(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t length;
    bool over = __builtin_mul_overflow(a, b, &length) || __builtin_add_overflow(length, c, &length);
    return over ? UINT64_MAX : length;
}

static int open_state(dj_context *context, const dj_generate_options *options, dj_pattern *out)
{
    const char *name = out->generator->info.name;
    if (options->keys == 0 && out->generator->info.defaults.keys > 0)
        return dj_fail(context, DJ_ERR_USAGE, "%s needs at least one key", name);
    if (options->scatter && options->element_bytes)
        return dj_fail(context, DJ_ERR_USAGE,
                       "memory elements cannot be scattered; use only one of --element-bytes and --scatter");
    uint64_t length = 0;
    int err = out->generator->create(context, options, &out->state, &length);
    if (err != DJ_OK)
        return err;
    bool chosen = options->accesses && !out->generator->has_length;
    out->total = out->left = chosen ? options->accesses : length;
    if (out->left == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "%s would have no accesses", name);
    else if (out->generator->finite && out->left > length)
        err = dj_fail(context, DJ_ERR_USAGE, "%s has only %llu accesses with these options", name,
                      (unsigned long long)length);
    return err;
}

int dj_pattern_open(dj_context *context, const dj_generator *generator, const dj_generate_options *options,
                    dj_pattern *out)
{
    *out = (dj_pattern){.generator = generator, .options = *options};
    out->options.distances = out->options.phases = NULL;
    out->options.distinct = out->options.distribution = NULL;
    int err = open_state(context, options, out);
    if (err != DJ_OK)
        dj_pattern_close(out);
    return err;
}

void dj_pattern_close(dj_pattern *pattern)
{
    if (pattern->state)
        pattern->generator->destroy(pattern->state);
    pattern->state = NULL;
}

uint32_t dj_pattern_fill(dj_pattern *pattern, uint32_t count, const dj_generated *to)
{
    if (count > pattern->left)
        count = (uint32_t)pattern->left;
    pattern->generator->fill(pattern->state, count, to);
    pattern->left -= count;
    const dj_generate_options *o = &pattern->options;
    uint64_t scale = o->element_bytes ? o->element_bytes : 1;
    if (o->first_key || scale > 1)
        for (uint32_t i = 0; i < count; i++)
            to->element[i] = (to->element[i] + o->first_key) * scale;
    if (o->scatter)
        for (uint32_t i = 0; i < count; i++)
            to->element[i] = dj_random_mix(to->element[i]);
    return count;
}

int dj_pattern_open_named(dj_context *context, const char *kind, const dj_generate_options *options,
                          dj_pattern *out)
{
    const dj_generator *generator = dj_generator_entry(kind);
    if (!generator)
        return dj_fail(context, DJ_ERR_USAGE, "unknown generator '%s'; 'deja gen --help' lists them", kind);
    return dj_pattern_open(context, generator, options ? options : &generator->info.defaults, out);
}

int dj_generate_addresses(dj_context *context, const char *kind, const dj_generate_options *options,
                          uint64_t **out, size_t *count)
{
    dj_pattern pattern;
    uint64_t *address = NULL;
    uint8_t *kinds = NULL;
    uint32_t *sites = NULL;
    int err = dj_pattern_open_named(context, kind, options, &pattern);
    if (err != DJ_OK)
        return err;
    size_t total = (size_t)pattern.left, done = 0;
    address = total <= SIZE_MAX / sizeof *address ? malloc(total * sizeof *address) : NULL;
    kinds = malloc(DJ_BATCH_CAPACITY * sizeof *kinds);
    sites = malloc(DJ_BATCH_CAPACITY * sizeof *sites);
    if (!address || !kinds || !sites) {
        err = dj_fail_memory(context, "a generated trace", pattern.left * sizeof *address);
        goto fail;
    }
    while (done < total)
        done +=
            dj_pattern_fill(&pattern, DJ_BATCH_CAPACITY, &(dj_generated){address + done, kinds, sites, NULL});
    *out = address;
    *count = total;
    address = NULL;
fail:
    free(sites);
    free(kinds);
    free(address);
    dj_pattern_close(&pattern);
    return err;
}
