// SPDX-License-Identifier: MIT
#include "trace/registry.h"

#include <stdio.h>
#include <string.h>

#include "trace/head.h"

// From specific to general: of two formats with the same score, the first one wins.
// clang-format off
static const dj_format *const formats[] = {
    &dj_format_deja,
    &dj_format_drmemtrace,
    &dj_format_vscsi,
    &dj_format_oracle_general,
    &dj_format_u32be,
    &dj_format_u32le,
    &dj_format_u64be,
    &dj_format_u64le,
    &dj_format_cachelib_kv,
    &dj_format_cachelib_block,
    &dj_format_mooncake,
    &dj_format_lackey,
    &dj_format_address,
    &dj_format_msr,
    &dj_format_alibaba,
    &dj_format_spc,
    &dj_format_hexrw,
    &dj_format_ascii5,
    &dj_format_arc,
    &dj_format_webcachesim,
    &dj_format_dinero,
    &dj_format_ramulator,
    &dj_format_csv,
    &dj_format_lirs,
    &dj_format_text,
};
// clang-format on

enum {
    FORMATS = sizeof formats / sizeof *formats,
    EXTENSION_BONUS = 25, // the name fits, and the content too
    EXTENSION_ALONE = 90, // the name fits, and the content cannot decide: it may look like another format
};

size_t dj_format_count(void)
{
    return FORMATS;
}

int dj_format_get(size_t index, dj_format_info *out)
{
    if (index >= FORMATS)
        return DJ_ERR_USAGE;
    *out = formats[index]->info;
    return DJ_OK;
}

const dj_format *dj_format_find(dj_context *context, const char *name)
{
    char names[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i]->info.name, name) == 0)
            return formats[i];
        int n = snprintf(names + used, sizeof names - used, " %s", formats[i]->info.name);
        used += n > 0 && (size_t)n < sizeof names - used ? (size_t)n : 0;
    }
    dj_fail(context, DJ_ERR_USAGE, "unknown trace format '%s'; formats are%s", name, names);
    return NULL;
}

int dj_format_score(const dj_format *format, const dj_head *head)
{
    if (!format->info.binary && !dj_head_is_text(head))
        return 0;
    bool named = dj_head_has_extension(head, format->info.extensions);
    if (!format->probe)
        return named ? EXTENSION_ALONE : 0;
    int score = format->probe(head);
    return score > 0 && named ? score + EXTENSION_BONUS : score;
}

int dj_format_detect(dj_context *context, const dj_head *head, const dj_format **out)
{
    const dj_format *best = NULL;
    int best_score = 0;
    const char *other = dj_head_find_other(head);
    *out = NULL;
    if (other)
        return dj_fail(context, DJ_ERR_INPUT, "%s", other);
    for (size_t i = 0; i < FORMATS; i++) {
        int score = dj_format_score(formats[i], head);
        if (score < 0)
            return dj_fail_memory(context, "detecting the format", 0);
        if (score > best_score) {
            best_score = score;
            best = formats[i];
        }
    }
    *out = best;
    if (best)
        return DJ_OK;
    char looks[320];
    dj_head_describe(head, looks, sizeof looks);
    return dj_fail(context, DJ_ERR_INPUT,
                   "no trace format fits (%s); name it with --format ('deja info formats' lists them)%s",
                   looks, dj_head_is_text(head) ? ", or the columns of a table with --columns" : "");
}
