// SPDX-License-Identifier: MIT
// Several traces as the sharers of caches. Their sites, places and times are not comparable, so only sizes,
// kinds and devices remain.
#include <deja/sharers.h>

#include <stdlib.h>

#include "base/text.h"
#include "trace/sharers/merge.h"
#include "trace/sharers/speeds.h"

static const char *class_name(enum dj_class kind)
{
    static const char *const names[] = {
        [DJ_CLASS_MEMORY] = "memory addresses", [DJ_CLASS_BLOCK_IO] = "block I/O", [DJ_CLASS_KEYS] = "keys"};
    return names[kind];
}

int dj_source_check_alike(dj_context *context, const dj_source *a, const dj_source *b)
{
    const dj_source_info *x = dj_source_get_info(a), *y = dj_source_get_info(b);
    if (x->kind != y->kind)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s contains %s and %s contains %s; only traces of the same kind can share a cache",
                       dj_source_name(a), class_name(x->kind), dj_source_name(b), class_name(y->kind));
    if (x->unit_bytes != y->unit_bytes)
        return dj_fail(context, DJ_ERR_INPUT,
                       "the addresses of %s and %s count different units; convert one of them",
                       dj_source_name(a), dj_source_name(b));
    return DJ_OK;
}

static int check_devices(dj_context *context, const dj_source *a, const dj_source *b)
{
    const dj_source_info *x = dj_source_get_info(a), *y = dj_source_get_info(b);
    if (x->numbers_devices || y->numbers_devices)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s: format %s numbers devices as they appear in each trace, so it is unknown which "
                       "of them %s and %s share; use a format with device numbers, such as alibaba, or "
                       "treat all data as separate (--separate)",
                       dj_source_name(x->numbers_devices ? a : b), (x->numbers_devices ? x : y)->format,
                       dj_source_name(a), dj_source_name(b));
    // Volume 0 of a trace with devices is not the only volume of one without.
    if ((x->columns ^ y->columns) & DJ_COLUMN_DEVICE)
        return dj_fail(context, DJ_ERR_INPUT,
                       "only one of %s and %s records devices, so it is unknown which data they share; "
                       "treat all data as separate (--separate)",
                       dj_source_name(a), dj_source_name(b));
    return DJ_OK;
}

// Writes of such a trace invalidate nothing; the others' do.
static void warn_of_kinds(dj_context *context, dj_source *const *sources, size_t count, uint32_t columns)
{
    size_t without = 0, first = 0;
    for (size_t i = 0; columns & DJ_COLUMN_KIND && i < count; i++)
        if (!(dj_source_get_info(sources[i])->columns & DJ_COLUMN_KIND))
            first = without++ ? first : i;
    if (without == 1)
        dj_warn(context, "%s does not say which accesses write: all of them count as reads",
                dj_source_name(sources[first]));
    else if (without > 1)
        dj_warn(context, "%s and %zu more do not say which accesses write: all of them count as reads",
                dj_source_name(sources[first]), without - 1);
}

// The sources together: sizes and kinds if any has them, devices if all have, and the largest block.
static int combine(dj_context *context, dj_source *const *sources, size_t count, bool separate,
                   dj_source_info *out)
{
    *out = *dj_source_get_info(sources[0]);
    out->columns &= DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_DEVICE;
    int err = DJ_OK;
    for (size_t i = 1; !err && i < count; i++) {
        const dj_source_info *info = dj_source_get_info(sources[i]);
        err = dj_source_check_alike(context, sources[0], sources[i]);
        if (!err && !separate)
            err = check_devices(context, sources[0], sources[i]);
        out->columns = (out->columns & info->columns) |
                       ((out->columns | info->columns) & (DJ_COLUMN_SIZE | DJ_COLUMN_KIND));
        out->default_split |= info->default_split;
        if (info->default_block > out->default_block)
            out->default_block = info->default_block;
    }
    if (!err)
        warn_of_kinds(context, sources, count, out->columns);
    return err;
}

static int name_sharers(dj_context *context, dj_source *const *sources, size_t count, dj_sharer *sharers)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++) {
        sharers[i].kinds_unknown = !(dj_source_get_info(sources[i])->columns & DJ_COLUMN_KIND);
        err = dj_copy_text(context, dj_source_name(sources[i]), &sharers[i].name);
    }
    return err;
}

static int prepare(dj_context *context, dj_source *const *sources, size_t count,
                   const dj_interleave_options *options, dj_source_info *info, dj_sharer *sharers,
                   uint64_t *speeds)
{
    if (options->order == DJ_INTERLEAVE_RECORDED || options->order == DJ_INTERLEAVE_SCHEDULE)
        return dj_fail(context, DJ_ERR_USAGE,
                       "separate traces have no recorded order; choose an order by speeds or a random one");
    if (count == 0 || count > DJ_SHARERS_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "%zu traces cannot be merged; name 1 to %d", count,
                       DJ_SHARERS_MOST);
    int err = combine(context, sources, count, options->separate, info);
    if (!err)
        err = name_sharers(context, sources, count, sharers);
    return err ? err : dj_speeds_choose(context, options, sharers, count, speeds);
}

int dj_source_interleave(dj_context *context, dj_source *const *sources, size_t count,
                         const dj_interleave_options *options, dj_source **out)
{
    static const dj_interleave_options defaults = {.order = DJ_INTERLEAVE_SPEEDS};
    if (!options)
        options = &defaults;
    dj_source_info info;
    dj_sharer *sharers = calloc(count + 1, sizeof *sharers);
    uint64_t *speeds = calloc(count + 1, sizeof *speeds);
    int err = sharers && speeds ? prepare(context, sources, count, options, &info, sharers, speeds)
                                : dj_fail_memory(context, "a merged source", 0);
    if (err) {
        for (size_t i = 0; i < count; i++)
            dj_source_close(sources[i]);
        dj_sharers_free(sharers, count);
        free(speeds);
        return err;
    }
    const dj_merge merge = {.info = &info,
                            .order = options->order,
                            .speeds = speeds,
                            .seed = options->seed,
                            .separate = options->separate};
    err = dj_merge_sources(context, &merge, sources, sharers, (uint32_t)count, out);
    free(speeds);
    return err;
}
