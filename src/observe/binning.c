// SPDX-License-Identifier: MIT
#include "observe/places/places.h"

#include <stdlib.h>

static uint64_t eighth_start(unsigned eighth)
{
    if (eighth < 2 * DJ_EIGHTHS)
        return eighth;
    unsigned octave = eighth / DJ_EIGHTHS + 2;
    return (UINT64_C(1) << octave) + ((uint64_t)(eighth % DJ_EIGHTHS) << (octave - 3));
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int dj_binning_create(dj_binning_table *table, dj_context *context, const uint64_t *cuts, size_t cut_count)
{
    *table = (dj_binning_table){0};
    table->edges = calloc(DJ_EIGHTH_LAST + 1 + cut_count, sizeof *table->edges);
    table->first = calloc(DJ_EIGHTH_COUNT, sizeof *table->first);
    table->inner = calloc(DJ_EIGHTH_COUNT, sizeof *table->inner);
    if (!table->edges || !table->first || !table->inner) {
        dj_binning_destroy(table);
        return dj_fail_memory(context, "the bins of distances", 0);
    }
    size_t n = 0;
    for (unsigned eighth = 0; eighth <= DJ_EIGHTH_LAST; eighth++)
        table->edges[n++] = eighth_start(eighth);
    for (size_t i = 0; i < cut_count; i++)
        table->edges[n++] = cuts[i];
    qsort(table->edges, n, sizeof *table->edges, by_value);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || table->edges[i] != table->edges[i - 1])
            table->edges[table->count++] = table->edges[i];
    uint16_t bin = 0;
    for (unsigned eighth = 0; eighth < DJ_EIGHTH_COUNT; eighth++) {
        uint64_t start = eighth_start(eighth <= DJ_EIGHTH_LAST ? eighth : DJ_EIGHTH_LAST);
        while (bin + 1u < table->count && table->edges[bin + 1] <= start)
            bin++;
        table->first[eighth] = bin;
        uint64_t end = eighth < DJ_EIGHTH_LAST ? eighth_start(eighth + 1) : UINT64_MAX;
        table->inner[eighth] =
            bin + 1u < table->count && table->edges[bin + 1] < end ? table->edges[bin + 1] : UINT64_MAX;
        table->crowded = table->crowded || (bin + 2u < table->count && table->edges[bin + 2] < end);
    }
    return DJ_OK;
}

void dj_binning_destroy(dj_binning_table *table)
{
    free(table->edges);
    free(table->first);
    free(table->inner);
    *table = (dj_binning_table){0};
}
