// SPDX-License-Identifier: MIT
// Parses the block sizes of `deja spatial --blocks`.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/verbs/spatial.h"
#include "measure/spatial.h"

static int parse_size(dj_context *context, const char *text, const dj_source_info *info, uint64_t *out)
{
    dj_size size = {0, false};
    int err = dj_size_parse(context, "--blocks", text, &size);
    if (err)
        return err;
    if (size.bytes && info->unit_bytes == 0)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "--blocks: '%s' is in bytes, but keys in format %s have no size; give numbers of keys, "
            "as in 1..256",
            text, info->format);
    if (size.value == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--blocks: a block must have at least 1 byte");
    *out = size.value;
    return DJ_OK;
}

// Parses "8..8192". Modifies `text`.
static int parse_range(dj_context *context, char *text, char *dots, const dj_source_info *info,
                       uint64_t *blocks, size_t *count)
{
    uint64_t from = 0, to = 0;
    *dots = 0;
    int err = parse_size(context, text, info, &from);
    if (!err)
        err = parse_size(context, dots + 2, info, &to);
    if (err)
        return err;
    for (*count = 0; from <= to && *count < DJ_BLOCKS_MOST; from *= 2) {
        blocks[(*count)++] = from;
        if (from == to)
            return DJ_OK;
        if (from > UINT64_MAX / 2)
            break;
    }
    if (*count == DJ_BLOCKS_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "--blocks: %s..%s is more than %d sizes", text, dots + 2,
                       DJ_BLOCKS_MOST);
    return dj_fail(
        context, DJ_ERR_USAGE,
        "--blocks: repeatedly doubling %s does not yield %s; a range is written as in 8..8192 or 4K..1M",
        text, dots + 2);
}

// Parses "64,128". Modifies `text`.
static int parse_list(dj_context *context, char *text, const dj_source_info *info, uint64_t *blocks,
                      size_t *count)
{
    char *item;
    int err = DJ_OK;
    for (*count = 0; !err && (item = strsep(&text, ",")); (*count)++) {
        if (*count == DJ_BLOCKS_MOST)
            return dj_fail(context, DJ_ERR_USAGE, "--blocks: more than %d sizes", DJ_BLOCKS_MOST);
        if (strpbrk(item, "-:"))
            return dj_fail(context, DJ_ERR_USAGE,
                           "--blocks: '%s' is not a size; a range is written as in 8..8192", item);
        err = parse_size(context, item, info, &blocks[*count]);
        if (!err && *count && (blocks[*count] % 2 || blocks[*count] / 2 != blocks[*count - 1]))
            err = dj_fail(
                context, DJ_ERR_USAGE,
                "--blocks: %s is not twice the previous size; sizes must double, as in 64,128 or 8..8192",
                item);
    }
    return err;
}

static void use_default(const dj_source_info *info, uint64_t *blocks, size_t *count)
{
    uint64_t first, last;
    dj_spatial_default_blocks(info, &first, &last);
    *count = 0;
    for (uint64_t block = first; block <= last; block *= 2)
        blocks[(*count)++] = block;
}

int dj_spatial_blocks(dj_context *context, const char *text, const dj_source_info *info, uint64_t *blocks,
                      size_t *count)
{
    if (!text) {
        use_default(info, blocks, count);
        return DJ_OK;
    }
    char *copy = strdup(text);
    if (!copy)
        return dj_fail_memory(context, "block sizes", 0);
    char *dots = strstr(copy, "..");
    int err = dots ? parse_range(context, copy, dots, info, blocks, count)
                   : parse_list(context, copy, info, blocks, count);
    free(copy);
    if (!err && *count < 2)
        err = dj_fail(context, DJ_ERR_USAGE,
                      "--blocks: %s is a single size; spatial locality needs a size and its double, as in "
                      "%" PRIu64 ",%" PRIu64,
                      text, blocks[0], 2 * blocks[0]);
    return err;
}
