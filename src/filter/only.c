// SPDX-License-Identifier: MIT
// Reads or writes. An access that reads and writes is both; instruction fetches and other operations
// are neither.
#include "filter/filters.h"

#include <stdio.h>
#include <stdlib.h>

enum { ALL = -1, READS, WRITES };

typedef struct only {
    int kind;
} only;

static const char *const kinds[] = {"reads", "writes", NULL};

static const dj_option table[] = {
    {"only", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, offsetof(only, kind), "KIND",
     "count only these accesses, as if the trace contained no others. An access that reads and writes is "
     "both",
     kinds},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const only defaults = {ALL};

static void describe(const void *options, char *text, size_t capacity)
{
    const only *o = options;
    snprintf(text, capacity, "%s", o->kind == ALL ? "" : kinds[o->kind]);
}

static uint32_t columns(const void *options)
{
    (void)options;
    return DJ_COLUMN_KIND;
}

static int create(dj_context *context, const dj_filter_setup *setup, void **state)
{
    only *o = malloc(sizeof *o);
    if (!o)
        return dj_fail_memory(context, "a filter", sizeof *o);
    *o = *(const only *)setup->options;
    *state = o;
    return DJ_OK;
}

static int judge(void *state, dj_context *context, const dj_batch *batch, uint8_t *verdicts)
{
    const only *o = state;
    const uint8_t *kind = batch->column.kind;
    if (o->kind == ALL || batch->count == 0)
        return DJ_OK;
    if (!kind)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "the trace does not record which accesses are reads");
    const uint8_t wanted = o->kind == READS ? DJ_KIND_READ : DJ_KIND_WRITE;
    for (uint32_t i = 0; i < batch->count; i++)
        verdicts[i] = kind[i] == wanted || kind[i] == DJ_KIND_MODIFY ? verdicts[i] : DJ_VERDICT_ABSENT;
    return DJ_OK;
}

const dj_filter_ops dj_filter_only = {
    .name = "only",
    .summary = "reads or writes",
    .options = table,
    .options_bytes = sizeof(only),
    .default_options = &defaults,
    .verdicts = 1u << DJ_VERDICT_ABSENT,
    .describe = describe,
    .columns = columns,
    .create = create,
    .destroy = free,
    .judge = judge,
};
