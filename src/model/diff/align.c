// SPDX-License-Identifier: MIT
// Which lines of a function, loops of a function or allocations of one name correspond, if code was inserted,
// removed or changed: the best alignment that keeps their order (Needleman and Wunsch 1970). Lines move
// together, so a pair gains if its lines moved as far as those of the pair before. Only cells near the
// diagonal are filled (Fickett 1984): functions may have thousands of lines.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/diff/side.h"

enum {
    BAND = 256,           // cells on each side of the diagonal, besides the difference in length
    CELLS_MOST = 1 << 25, // of one alignment; more narrow the band
    NARROWEST = 8,
};

// How a cell was reached. A pair continues the one before, or whatever was best before it.
enum { STEP_BEFORE = 1, STEP_AFTER = 2, STEP_PAIR = 3, STEP_MASK = 3, PAIR_CONTINUES = 4 };

typedef struct cell {
    double best;   // of all alignments that end here
    int64_t moved; // how far the last pair of the best one has moved
    double paired; // of those that end with this pair
} cell;

typedef struct alignment {
    enum dj_by by;
    const dj_diff_item *before, *after;
    size_t rows, columns, reach;
    const double *weights[DJ_SIDES];
    double scale; // of the counts, if one run did more work
    cell *above, *now;
    unsigned char *steps;
} alignment;

static int64_t moved(const dj_diff_item *a, const dj_diff_item *b)
{
    return (int64_t)(b->order - a->order);
}

// Without the care for NAN that fmin and fmax take: most of the time goes here.
static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static double similarity(const dj_diff_item *a, const dj_diff_item *b, double scale)
{
    const double reads[] = {scale * (double)(a->accesses - a->writes), (double)(b->accesses - b->writes)};
    const double writes[] = {scale * (double)a->writes, (double)b->writes};
    return (least(reads[0], reads[1]) + least(writes[0], writes[1]) + 1) /
           (most(reads[0], reads[1]) + most(writes[0], writes[1]) + 1);
}

// Positive if two parts may be the same.
static double score(const alignment *w, const dj_diff_item *a, const dj_diff_item *b)
{
    // A line elsewhere with fewer than about half of the accesses, or with twice as many, is another line.
    // Names of objects and functions mean more.
    static const double COUNTS = 2, ALIKE = 0.25, DOUBT = 0.9, NAMED = 1;
    const bool inside = w->by == DJ_BY_LINE || w->by == DJ_BY_LOOP;
    if (a->depth != b->depth)
        return -INFINITY;
    double alike = similarity(a, b, 1);
    if (w->scale != 1)
        alike = most(alike, similarity(a, b, w->scale));
    return COUNTS * alike + (dj_diff_alike(a, b) ? ALIKE : 0) + (inside ? -DOUBT : NAMED);
}

static void pair(dj_diff_run *before, size_t i, dj_diff_run *after, size_t j)
{
    before->items[i].match = after->base + j;
    after->items[j].match = before->base + i;
}

static size_t first_column(const alignment *w, size_t row)
{
    const size_t middle = (size_t)((double)row * (double)w->columns / (double)w->rows);
    return middle > w->reach ? middle - w->reach : 1;
}

static size_t last_column(const alignment *w, size_t row)
{
    const size_t middle = (size_t)((double)row * (double)w->columns / (double)w->rows);
    return middle + w->reach < w->columns ? middle + w->reach : w->columns;
}

static unsigned char *step_at(const alignment *w, size_t row, size_t column)
{
    return &w->steps[row * (2 * w->reach + 2) + column - first_column(w, row)];
}

static void fill_cell(const alignment *w, size_t row, size_t column)
{
    static const double TOGETHER = 0.6;
    const dj_diff_item *a = &w->before[row - 1], *b = &w->after[column - 1];
    // A pair with many accesses is not given up for two with few.
    const double weight = least(w->weights[DJ_BEFORE][row - 1], w->weights[DJ_AFTER][column - 1]);
    const double own = weight * score(w, a, b), together = weight * TOGETHER;
    const cell *diagonal = &w->above[column - 1], *up = &w->above[column], *left = &w->now[column - 1];
    const bool neighbours = row > 1 && column > 1 && moved(a - 1, b - 1) == moved(a, b);
    const double begins = own + diagonal->best + (diagonal->moved == moved(a, b) ? together : 0);
    const double on = neighbours ? own + diagonal->paired + together : -INFINITY;
    cell found = {.best = up->best, .moved = up->moved, .paired = most(begins, on)};
    unsigned char step = STEP_BEFORE;
    if (left->best > found.best) {
        found.best = left->best;
        found.moved = left->moved;
        step = STEP_AFTER;
    }
    if (found.paired >= found.best && isfinite(found.paired)) {
        found.best = found.paired;
        found.moved = moved(a, b);
        step = STEP_PAIR;
    }
    w->now[column] = found;
    *step_at(w, row, column) = (unsigned char)(step | (on > begins ? PAIR_CONTINUES : 0));
}

static void fill(alignment *w)
{
    static const cell none = {-INFINITY, 0, -INFINITY}, start = {0, 0, -INFINITY};
    for (size_t j = 0; j <= w->columns; j++)
        w->now[j] = start;
    for (size_t i = 1; i <= w->rows; i++) {
        const size_t first = first_column(w, i), last = last_column(w, i);
        cell *const done = w->now;
        w->now = w->above;
        w->above = done;
        if (i > 1 && last_column(w, i - 1) < last)
            for (size_t j = last_column(w, i - 1) + 1; j <= last; j++)
                w->above[j] = none;
        w->now[first - 1] = first == 1 ? start : none;
        for (size_t j = first; j <= last; j++)
            fill_cell(w, i, j);
    }
}

static void trace_back(const alignment *w, dj_diff_run *before, dj_diff_run *after)
{
    size_t i = w->rows, j = w->columns;
    bool paired = false; // the pair after this one continues it
    while (i > 0 && j > 0 && j >= first_column(w, i) && j <= last_column(w, i)) {
        const unsigned char step = *step_at(w, i, j);
        const unsigned char how = paired ? STEP_PAIR : step & STEP_MASK;
        if (how == STEP_PAIR) {
            paired = step & PAIR_CONTINUES;
            pair(before, --i, after, --j);
        } else if (how == STEP_BEFORE)
            i--;
        else
            j--;
    }
}

// A line that was changed has other counts. Between the same neighbours, as many lines as before are these.
static void close_gaps(dj_diff_run *before, dj_diff_run *after)
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

static bool same_place(const dj_diff_item *a, const dj_diff_item *b, int64_t by)
{
    return a->depth == b->depth && dj_diff_alike(a, b) && moved(a, b) == by;
}

// What is alike at the beginning and at the end needs no alignment.
static dj_diff_run cut_ends(dj_diff_run *before, dj_diff_run *after, dj_diff_run *rest_after)
{
    size_t first = 0, last = 0;
    const size_t shorter = before->count < after->count ? before->count : after->count;
    while (first < shorter && same_place(&before->items[first], &after->items[first], 0)) {
        pair(before, first, after, first);
        first++;
    }
    while (first + last < shorter) {
        const size_t i = before->count - 1 - last, j = after->count - 1 - last;
        const int64_t by = moved(&before->items[before->count - 1], &after->items[after->count - 1]);
        if (!same_place(&before->items[i], &after->items[j], by))
            break;
        pair(before, i, after, j);
        last++;
    }
    *rest_after = (dj_diff_run){after->items + first, after->base + first, after->count - first - last};
    return (dj_diff_run){before->items + first, before->base + first, before->count - first - last};
}

static double *weigh(const dj_diff_run *run)
{
    double *weights = malloc((run->count + 1) * sizeof *weights);
    for (size_t i = 0; weights && i < run->count; i++)
        weights[i] = 1 + log2(1 + (double)run->items[i].accesses);
    return weights;
}

// The band contains the corners, and code that was inserted or removed at one place.
static size_t choose_reach(size_t rows, size_t columns)
{
    const size_t difference = rows > columns ? rows - columns : columns - rows;
    const size_t narrowest = columns / rows + NARROWEST, affordable = CELLS_MOST / rows / 2;
    const size_t wanted = difference + BAND < affordable ? difference + BAND : affordable;
    const size_t reach = wanted > narrowest ? wanted : narrowest;
    return reach < columns ? reach : columns;
}

static int align(dj_context *context, enum dj_by by, double scale, dj_diff_run *before, dj_diff_run *after)
{
    alignment w = {.by = by,
                   .before = before->items,
                   .after = after->items,
                   .rows = before->count,
                   .columns = after->count,
                   .scale = scale,
                   .reach = choose_reach(before->count, after->count)};
    double *const weights[DJ_SIDES] = {weigh(before), weigh(after)};
    cell *cells = calloc(2 * (w.columns + 1), sizeof *cells);
    w.weights[DJ_BEFORE] = weights[DJ_BEFORE];
    w.weights[DJ_AFTER] = weights[DJ_AFTER];
    w.above = cells;
    w.now = cells ? cells + w.columns + 1 : NULL;
    w.steps = calloc(w.rows + 1, 2 * w.reach + 2);
    const bool complete = weights[DJ_BEFORE] && weights[DJ_AFTER] && cells && w.steps;
    if (complete) {
        fill(&w);
        trace_back(&w, before, after);
    }
    free(weights[DJ_BEFORE]);
    free(weights[DJ_AFTER]);
    free(cells);
    free(w.steps);
    return complete ? DJ_OK : dj_fail_memory(context, "a comparison", (w.rows + 1) * (2 * w.reach + 2));
}

int dj_diff_align(dj_context *context, enum dj_by by, double scale, dj_diff_run before, dj_diff_run after)
{
    dj_diff_run rest_after, rest_before = cut_ends(&before, &after, &rest_after);
    int err = rest_before.count > 0 && rest_after.count > 0
                  ? align(context, by, scale, &rest_before, &rest_after)
                  : DJ_OK;
    if (!err)
        close_gaps(&before, &after);
    return err;
}
