// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "model/diff/side.h"

static size_t group_end(const dj_diff_side *side, size_t begin)
{
    size_t end = begin + 1;
    while (end < side->count && strcmp(side->items[end].group, side->items[begin].group) == 0)
        end++;
    return end;
}

// A function with another name that did exactly the same, and is the only such one on both sides.
static int by_counts(const void *left, const void *right)
{
    const dj_diff_item *a = *(dj_diff_item *const *)left, *b = *(dj_diff_item *const *)right;
    const dj_tally *x = &a->entity->exclusive, *y = &b->entity->exclusive;
    if (x->accesses != y->accesses)
        return x->accesses < y->accesses ? -1 : 1;
    return x->writes < y->writes ? -1 : x->writes > y->writes;
}

static dj_diff_item **unmatched(dj_diff_side *side, size_t *count)
{
    dj_diff_item **list = malloc((side->count + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < side->count; i++)
        if (side->items[i].match == SIZE_MAX && side->items[i].entity->row != DJ_NOWHERE)
            list[(*count)++] = &side->items[i];
    if (list)
        qsort(list, *count, sizeof *list, by_counts);
    return list;
}

static bool is_unique(dj_diff_item **list, size_t count, size_t at)
{
    return (at == 0 || by_counts(&list[at - 1], &list[at]) != 0) &&
           (at + 1 == count || by_counts(&list[at], &list[at + 1]) != 0);
}

static int match_renamed(dj_context *context, dj_diff_side *before, dj_diff_side *after)
{
    enum { FEW = 1000 }; // accesses that several functions may have by chance
    size_t counts[DJ_SIDES];
    dj_diff_item **a = unmatched(before, &counts[0]), **b = unmatched(after, &counts[1]);
    for (size_t i = 0, j = 0; a && b && i < counts[0] && j < counts[1];) {
        const int order = by_counts(&a[i], &b[j]);
        if (order == 0 && a[i]->accesses >= FEW && is_unique(a, counts[0], i) && is_unique(b, counts[1], j)) {
            a[i]->match = (size_t)(b[j] - after->items);
            b[j]->match = (size_t)(a[i] - before->items);
        }
        i += order <= 0;
        j += order >= 0;
    }
    const bool complete = a && b;
    free(a);
    free(b);
    return complete ? DJ_OK : dj_fail_memory(context, "a comparison", before->count * sizeof *a);
}

static double accesses_of(const dj_diff_side *side)
{
    double sum = 0;
    for (size_t i = 0; i < side->count; i++)
        sum += (double)side->items[i].accesses;
    return sum;
}

int dj_diff_match(dj_context *context, enum dj_by by, dj_diff_side *before, dj_diff_side *after)
{
    const double scale = (accesses_of(after) + 1) / (accesses_of(before) + 1);
    int err = DJ_OK;
    for (size_t i = 0, j = 0; !err && i < before->count && j < after->count;) {
        const int order = strcmp(before->items[i].group, after->items[j].group);
        const size_t i_end = group_end(before, i), j_end = group_end(after, j);
        if (order == 0)
            err = dj_diff_align(context, by, scale, (dj_diff_run){before->items + i, i, i_end - i},
                                (dj_diff_run){after->items + j, j, j_end - j});
        i = order <= 0 ? i_end : i;
        j = order >= 0 ? j_end : j;
    }
    return err || by != DJ_BY_FUNCTION ? err : match_renamed(context, before, after);
}
