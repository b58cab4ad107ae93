// SPDX-License-Identifier: MIT
#include "cli/options/sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/size.h"

static int parse_rule(dj_context *context, const char *text, dj_sizes *out)
{
    uint64_t per_doubling = 0;
    if (strcmp(text, "all") == 0) {
        out->how = DJ_SIZES_ALL;
        return DJ_OK;
    }
    if (!dj_number_parse(text + strlen("log:"), &per_doubling) || per_doubling == 0 || per_doubling > 64)
        return dj_fail(context, DJ_ERR_USAGE, "--sizes: '%s' is not 1 to 64 sizes per doubling, as in log:4",
                       text);
    out->how = DJ_SIZES_LOG;
    out->per_doubling = (unsigned)per_doubling;
    return DJ_OK;
}

static int parse_item(dj_context *context, const char *item, uint64_t block_bytes, bool byte_curve,
                      dj_sizes *out)
{
    dj_size size = {0, false};
    int err = dj_size_parse(context, "--sizes", item, &size);
    if (err)
        return err;
    if (size.bytes && block_bytes == 0 && byte_curve) {
        out->bytes[out->byte_count++] = size.value;
        return DJ_OK;
    }
    err = dj_size_to_blocks(context, "--sizes", item, size, block_bytes, &out->blocks[out->block_count]);
    if (!err && out->blocks[out->block_count] == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--sizes: '%s' is less than one block", item);
    out->block_count += !err;
    return err;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_unique(uint64_t *sizes, size_t count)
{
    size_t kept = 0;
    qsort(sizes, count, sizeof *sizes, compare);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sizes[i] != sizes[i - 1])
            sizes[kept++] = sizes[i];
    return kept;
}

static int parse_list(dj_context *context, const char *text, uint64_t block_bytes, bool byte_curve,
                      dj_sizes *out)
{
    size_t capacity = 1;
    for (const char *at = text; *at; at++)
        capacity += *at == ',';
    char *copy = strdup(text), *rest = copy, *item;
    out->how = DJ_SIZES_LIST;
    out->blocks = calloc(capacity, sizeof *out->blocks);
    out->bytes = calloc(capacity, sizeof *out->bytes);
    int err = copy && out->blocks && out->bytes ? DJ_OK : dj_fail_memory(context, "cache sizes", 0);
    while (!err && (item = strsep(&rest, ",")))
        err = parse_item(context, item, block_bytes, byte_curve, out);
    free(copy);
    if (err)
        return err;
    out->block_count = sort_unique(out->blocks, out->block_count);
    out->byte_count = sort_unique(out->bytes, out->byte_count);
    return DJ_OK;
}

int dj_sizes_parse(dj_context *context, const char *text, uint64_t block_bytes, bool byte_curve,
                   dj_sizes *out)
{
    *out = (dj_sizes){.how = DJ_SIZES_DEFAULT, .per_doubling = 1};
    if (!text)
        return DJ_OK;
    if (strcmp(text, "all") == 0 || strncmp(text, "log:", 4) == 0)
        return parse_rule(context, text, out);
    int err = parse_list(context, text, block_bytes, byte_curve, out);
    if (err)
        dj_sizes_free(out);
    return err;
}

static int resolve_all(dj_context *context, dj_sizes *sizes, const dj_lane_profile *lane)
{
    dj_mrc_point *points = NULL;
    size_t count = 0;
    int err = dj_mrc_steps(context, lane, &points, &count);
    if (err)
        return err;
    sizes->blocks = calloc(count, sizeof *sizes->blocks);
    if (!sizes->blocks)
        err = dj_fail_memory(context, "cache sizes", count * sizeof *sizes->blocks);
    for (size_t i = 1; !err && i < count; i++)
        sizes->blocks[sizes->block_count++] = points[i].size;
    free(points);
    return err;
}

int dj_sizes_resolve(dj_context *context, dj_sizes *sizes, const dj_lane_profile *lane)
{
    if (sizes->how == DJ_SIZES_LIST)
        return DJ_OK;
    int err = sizes->how == DJ_SIZES_ALL
                  ? resolve_all(context, sizes, lane)
                  : dj_mrc_sizes(context, lane, sizes->per_doubling, &sizes->blocks, &sizes->block_count);
    if (!err && dj_lane_byte_distance(lane) && dj_lane_byte_weight(lane))
        err = dj_mrc_byte_sizes(context, lane, sizes->per_doubling, &sizes->bytes, &sizes->byte_count);
    return err;
}

void dj_sizes_free(dj_sizes *sizes)
{
    free(sizes->blocks);
    free(sizes->bytes);
    *sizes = (dj_sizes){.how = DJ_SIZES_DEFAULT};
}
