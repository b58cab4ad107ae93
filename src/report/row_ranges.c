// SPDX-License-Identifier: MIT
#include "report/row_ranges.h"

#include <math.h>
#include <stdlib.h>

#include "base/human.h"

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// How many of the sorted values are below `value`, or equal to it.
static size_t count_up_to(const double *sorted, size_t count, double value, bool equal)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        const size_t middle = (lo + hi) / 2;
        if (sorted[middle] < value || (equal && sorted[middle] == value))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

// A row may come before all others whose range does not lie above its own, and after those that do not lie
// below.
int dj_rank_rows(dj_context *context, dj_row_rank *ranks, size_t count)
{
    double *lows = malloc((2 * count + 1) * sizeof *lows);
    if (!lows)
        return dj_fail_memory(context, "the ranks of a table", 2 * count * sizeof *lows);
    double *highs = lows + count;
    for (size_t i = 0; i < count; i++) {
        lows[i] = ranks[i].range.low;
        highs[i] = ranks[i].range.high;
    }
    qsort(lows, count, sizeof *lows, by_value);
    qsort(highs, count, sizeof *highs, by_value);
    for (size_t i = 0; i < count; i++) {
        ranks[i].first = 1 + count - count_up_to(lows, count, ranks[i].range.high, true);
        ranks[i].last = count - count_up_to(highs, count, ranks[i].range.low, false);
    }
    free(lows);
    return DJ_OK;
}

int dj_row_ranks(dj_context *context, const dj_profile *profile, const dj_breakdown *b, dj_row_rank **out)
{
    dj_row_range none;
    *out = NULL;
    if (b->count == 0 || !dj_tally_range(profile, &b->total, b->sort_cut, &none))
        return DJ_OK;
    dj_row_rank *ranks = calloc(b->count, sizeof *ranks);
    if (!ranks)
        return dj_fail_memory(context, "the ranks of a table", b->count * sizeof *ranks);
    for (size_t i = 0; i < b->count; i++)
        dj_tally_range(profile, &b->entities[i].exclusive, b->sort_cut, &ranks[i].range);
    int err = dj_rank_rows(context, ranks, b->count);
    if (err)
        free(ranks);
    else
        *out = ranks;
    return err;
}

const char *dj_name_range(dj_document *document, const dj_row_range *range)
{
    char low[DJ_HUMAN_BYTES], high[DJ_HUMAN_BYTES];
    const double from = round(range->low), to = round(range->high);
    return dj_document_format(document, "%s%s–%s%s", from < 0 ? "-" : "", dj_human_short(low, fabs(from)),
                              to < 0 ? "-" : "", dj_human_short(high, fabs(to)));
}

const char *dj_name_rank(dj_document *document, const dj_row_rank *rank)
{
    return rank->first == rank->last ? dj_document_format(document, "%zu", rank->first)
                                     : dj_document_format(document, "%zu–%zu", rank->first, rank->last);
}
