// SPDX-License-Identifier: MIT
#include "base/tracers.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *tracer, *order;
} orders[] = {
    {"valgrind", "serialized by the tracer (Valgrind runs one thread at a time)"},
    {"native", "as the threads handed over their accesses (in frames)"},
    {DJ_TRACER_ANNOTATIONS, "as the threads called the recorder (one at a time)"},
};

const dj_source_info dj_tracer_elements = {.format = DJ_TRACER_ANNOTATIONS,
                                           .kind = DJ_CLASS_KEYS,
                                           .default_block = 1,
                                           .columns = DJ_COLUMN_SITE | DJ_COLUMN_KIND,
                                           .provides = DJ_COLUMN_THREAD,
                                           .tracer = DJ_TRACER_ANNOTATIONS};

const char *dj_tracer_find(const char *name)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (strcmp(orders[i].tracer, name) == 0)
            return orders[i].tracer;
    return NULL;
}

const char *dj_tracer_thread_order(const char *tracer)
{
    for (size_t i = 0; tracer && i < sizeof orders / sizeof *orders; i++)
        if (strcmp(orders[i].tracer, tracer) == 0)
            return orders[i].order;
    return "as recorded";
}

bool dj_tracer_counts_elements(const dj_source_info *info)
{
    return info->kind == DJ_CLASS_KEYS && info->tracer && strcmp(info->tracer, DJ_TRACER_ANNOTATIONS) == 0;
}
