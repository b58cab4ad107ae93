// SPDX-License-Identifier: MIT
// Which lines of a function, loops of a function or allocations of one name correspond, if code was inserted,
// removed or changed: the best alignment that keeps their order (Needleman and Wunsch 1970).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/diff/side.h"

// Parts that are aligned at once at most, as a product; more are matched by their position alone.
enum { CELLS_MOST = 1 << 22 };

enum { STEP_BOTH = 1, STEP_BEFORE, STEP_AFTER };

static double similarity(uint64_t a, uint64_t b)
{
    const double low = (double)(a < b ? a : b), high = (double)(a < b ? b : a);
    return (low + 1) / (high + 1);
}

// Positive if two parts may be the same.
static double score(enum dj_by by, const dj_diff_item *a, const dj_diff_item *b)
{
    // A line at another position with fewer than about half of the accesses, or with twice as many, is
    // another line. Names of objects and functions mean more.
    static const double DOUBT = 0.9, SAME_ORDER = 1, SAME_COUNT = 2, NAMED = 1;
    const bool inside = by == DJ_BY_LINE || by == DJ_BY_LOOP;
    if (a->depth != b->depth)
        return 0;
    // A pair with many accesses is not given up for two with few.
    const double weight = 1 + log2(1 + (double)(a->accesses < b->accesses ? a->accesses : b->accesses));
    return weight * (SAME_COUNT * similarity(a->accesses, b->accesses) +
                     (a->order == b->order ? SAME_ORDER : 0) + (inside ? -DOUBT : NAMED));
}

static void pair(const dj_diff_run *before, size_t i, const dj_diff_run *after, size_t j)
{
    before->items[i].match = after->base + j;
    after->items[j].match = before->base + i;
}

static void by_position(const dj_diff_run *before, const dj_diff_run *after)
{
    size_t i = 0, j = 0;
    while (i < before->count && j < after->count) {
        const dj_diff_item *a = &before->items[i], *b = &after->items[j];
        if (a->order == b->order && a->depth == b->depth)
            pair(before, i++, after, j++);
        else if (a->order <= b->order)
            i++;
        else
            j++;
    }
}

static void fill(enum dj_by by, const dj_diff_run *before, const dj_diff_run *after, double *row,
                 unsigned char *steps)
{
    const size_t width = after->count + 1;
    for (size_t j = 0; j < width; j++)
        row[j] = 0;
    for (size_t i = 1; i <= before->count; i++) {
        double diagonal = 0; // the cell to the upper left
        for (size_t j = 1; j < width; j++) {
            const double s = score(by, &before->items[i - 1], &after->items[j - 1]), up = row[j];
            double best = up;
            unsigned char step = STEP_BEFORE;
            if (row[j - 1] > best) {
                best = row[j - 1];
                step = STEP_AFTER;
            }
            if (s > 0 && diagonal + s >= best) {
                best = diagonal + s;
                step = STEP_BOTH;
            }
            diagonal = up;
            row[j] = best;
            steps[i * width + j] = step;
        }
    }
}

static void trace_back(const dj_diff_run *before, const dj_diff_run *after, const unsigned char *steps)
{
    size_t i = before->count, j = after->count;
    while (i > 0 && j > 0) {
        const unsigned char step = steps[i * (after->count + 1) + j];
        if (step == STEP_BOTH)
            pair(before, --i, after, --j);
        else if (step == STEP_BEFORE)
            i--;
        else
            j--;
    }
}

// A line that was changed has other counts. Between the same neighbours, as many lines as before are these.
static void close_gaps(const dj_diff_run *before, const dj_diff_run *after)
{
    size_t i = 0, j = 0;
    while (i < before->count || j < after->count) {
        size_t to_i = i, to_j = j;
        while (to_i < before->count && before->items[to_i].match == SIZE_MAX)
            to_i++;
        while (to_j < after->count && after->items[to_j].match == SIZE_MAX)
            to_j++;
        for (; to_i - i == to_j - j && i < to_i; i++, j++)
            if (before->items[i].depth == after->items[j].depth)
                pair(before, i, after, j);
        i = to_i + 1;
        j = to_j + 1;
        if (to_i >= before->count || to_j >= after->count)
            return;
    }
}

int dj_diff_align(dj_context *context, enum dj_by by, dj_diff_run before, dj_diff_run after)
{
    if (before.count == 0 || after.count == 0)
        return DJ_OK;
    if (before.count > CELLS_MOST / after.count) {
        by_position(&before, &after);
        return DJ_OK;
    }
    double *row = malloc((after.count + 1) * sizeof *row);
    unsigned char *steps = calloc((before.count + 1) * (after.count + 1), sizeof *steps);
    if (!row || !steps) {
        free(row);
        free(steps);
        return dj_fail_memory(context, "a comparison", (before.count + 1) * (after.count + 1));
    }
    fill(by, &before, &after, row, steps);
    trace_back(&before, &after, steps);
    close_gaps(&before, &after);
    free(row);
    free(steps);
    return DJ_OK;
}
