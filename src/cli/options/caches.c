// SPDX-License-Identifier: MIT
#include "cli/options/caches.h"

#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "base/number.h"
#include "base/size.h"

static const char *const choices[] = {"host", "none", NULL};

static const dj_option table[] = {
    {"caches", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(dj_cache_options, caches), "LIST",
     "caches to compare with: host (default, this machine's), none, or a list such as L1=32K/8,L2=1M/16. "
     "Each "
     "is NAME=SIZE/WAYS; without /WAYS it is fully associative, without NAME= its size is its name",
     choices},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_option simulated_table[] = {
    {"no-simulate", 0, DJ_OPTION_FLAG, offsetof(dj_cache_options, no_simulate), NULL,
     "do not simulate caches with /WAYS; only the distances tell the misses, as if they were fully "
     "associative. "
     "This is faster",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_caches_list(dj_context *context, dj_cache_options *options, dj_groups *groups)
{
    return dj_groups_add(context, groups, "Caches", table, options);
}

int dj_caches_list_simulated(dj_context *context, dj_cache_options *options, dj_groups *groups)
{
    int err = dj_caches_list(context, options, groups);
    return err ? err : dj_groups_add(context, groups, "Caches", simulated_table, options);
}

int dj_caches_simulate(dj_context *context, const dj_cache_options *options, const dj_caches *caches,
                       bool by_default, const char *unfit, bool *simulate)
{
    bool sets = false;
    for (size_t i = 0; i < caches->count; i++)
        sets = sets || caches->shapes[i].sets > 1;
    *simulate = sets && !options->no_simulate && (options->caches || by_default);
    if (!*simulate || !unfit)
        return DJ_OK;
    *simulate = false;
    return options->caches
               ? dj_fail(context, DJ_ERR_USAGE,
                         "--caches: caches with /WAYS are simulated, which needs every access in one "
                         "sequence, so it cannot be combined with %s; leave out the /WAYS, or add "
                         "--no-simulate",
                         unfit)
               : DJ_OK;
}

// Returns false for a cache smaller than a block, or when there are too many caches.
static bool add_shape(dj_caches *caches, const char *name, uint64_t bytes, uint64_t ways,
                      uint64_t block_bytes)
{
    uint64_t blocks = bytes / block_bytes;
    if (ways == 0 || ways > blocks)
        ways = blocks;
    if (blocks == 0 || caches->count == DJ_SHAPES_MAX)
        return false;
    dj_cache_shape *shape = &caches->shapes[caches->count];
    *shape = (dj_cache_shape){.bytes = bytes, .sets = blocks / ways, .ways = ways};
    shape->size_blocks = shape->sets * shape->ways;
    snprintf(shape->name, sizeof shape->name, "%s", name);
    caches->marks[caches->count++] = (dj_report_mark){.label = shape->name, .size = shape->size_blocks};
    return true;
}

static int add_machine(dj_context *context, dj_caches *caches, uint64_t block_bytes)
{
    dj_cache found[DJ_CACHES_MAX];
    size_t count = 0;
    int err = dj_machine_caches(context, NULL, found, &count);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++) {
        char name[16];
        dj_cache_name(&found[i], name);
        if (found[i].kind != DJ_CACHE_INSTRUCTION)
            (void)add_shape(caches, name, found[i].bytes, found[i].ways, block_bytes);
    }
    return DJ_OK;
}

// Parses "L1=32K/8" or "32K". Modifies `item`.
static int add_described(dj_context *context, dj_caches *caches, char *item, uint64_t block_bytes)
{
    char *size = strchr(item, '='), *ways = strchr(item, '/');
    uint64_t bytes = 0, way_count = 0;
    if (size == item || strlen(item) > 64)
        return dj_fail(context, DJ_ERR_USAGE, "--caches: '%s' is not name=size/ways, as in L1=32K/8", item);
    if (ways) {
        *ways++ = 0;
        if (!dj_number_parse(ways, &way_count) || way_count == 0)
            return dj_fail(context, DJ_ERR_USAGE, "--caches: '%s' is not a number of ways", ways);
    }
    if (size)
        *size++ = 0;
    int err = dj_size_bytes(context, "--caches", size ? size : item, &bytes);
    for (size_t i = 0; !err && i < caches->count; i++)
        if (strcmp(caches->shapes[i].name, item) == 0)
            err = dj_fail(context, DJ_ERR_USAGE, "--caches: two caches have the name %s", item);
    if (err || add_shape(caches, item, bytes, way_count, block_bytes))
        return err;
    return caches->count == DJ_SHAPES_MAX
               ? dj_fail(context, DJ_ERR_USAGE, "--caches: at most %d caches are supported", DJ_SHAPES_MAX)
               : dj_fail(context, DJ_ERR_USAGE, "--caches: '%s' is smaller than a block of %llu bytes",
                         size ? size : item, (unsigned long long)block_bytes);
}

int dj_caches_find(dj_context *context, const dj_cache_options *options, const dj_profile *profile,
                   dj_caches *out)
{
    *out = (dj_caches){.count = 0};
    return profile->provenance.unit_bytes == 0
               ? dj_caches_check(context, options)
               : dj_caches_for_blocks(context, options, profile->lanes[0].id.block_bytes, out);
}

int dj_caches_check(dj_context *context, const dj_cache_options *options)
{
    dj_caches ignored;
    return options->caches ? dj_caches_for_blocks(context, options, 1, &ignored) : DJ_OK;
}

int dj_caches_for_blocks(dj_context *context, const dj_cache_options *options, uint64_t block_bytes,
                         dj_caches *out)
{
    *out = (dj_caches){.count = 0};
    const char *text = options->caches;
    if (text && strcmp(text, "none") == 0)
        return DJ_OK;
    if (!text || strcmp(text, "host") == 0)
        return add_machine(context, out, block_bytes);
    char copy[1024];
    if (strlen(text) >= sizeof copy)
        return dj_fail(context, DJ_ERR_USAGE, "--caches: the list is too long");
    snprintf(copy, sizeof copy, "%s", text);
    char *rest = copy, *item;
    int err = DJ_OK;
    while (!err && (item = strsep(&rest, ",")))
        err = add_described(context, out, item, block_bytes);
    return err;
}

void dj_caches_sort(dj_caches *caches)
{
    size_t kept = 0;
    for (size_t i = 0; i < caches->count; i++) {
        dj_cache_shape shape = caches->shapes[i];
        size_t at = kept;
        while (at > 0 && caches->shapes[at - 1].size_blocks > shape.size_blocks)
            at--;
        if (at > 0 && caches->shapes[at - 1].size_blocks == shape.size_blocks)
            continue;
        memmove(caches->shapes + at + 1, caches->shapes + at, (kept - at) * sizeof shape);
        caches->shapes[at] = shape;
        kept++;
    }
    caches->count = kept;
    for (size_t i = 0; i < kept; i++)
        caches->marks[i].size = caches->shapes[i].size_blocks;
}
