// SPDX-License-Identifier: MIT
#include "view/cut.h"

#include <stdlib.h>

// By each measure at least so many rows, and those that have all of it but a share.
enum { LEAST = 40, SHARE = 1000 };

int dj_view_cut_create(dj_context *context, size_t count, size_t most, dj_view_cut *out)
{
    *out = (dj_view_cut){.count = count,
                         .most = most,
                         .kept = calloc(count + 1, sizeof *out->kept),
                         .weights = calloc(count + 1, sizeof *out->weights),
                         .sorted = calloc(count + 1, sizeof *out->sorted)};
    if (out->kept && out->weights && out->sorted)
        return DJ_OK;
    dj_view_cut_free(out);
    return dj_fail_memory(context, "a page", count * (1 + 2 * sizeof *out->weights));
}

void dj_view_cut_free(dj_view_cut *cut)
{
    free(cut->kept);
    free(cut->weights);
    free(cut->sorted);
    *cut = (dj_view_cut){.count = 0};
}

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

// Divides a part of a list, from `low` to `high`, into larger numbers and smaller ones. Returns the position
// of the last larger one; `high` is beyond it.
static size_t divide(uint64_t *list, size_t low, size_t high)
{
    const uint64_t pivot = list[low + (high - low) / 2];
    for (;; low++, high--) {
        while (list[low] > pivot)
            low++;
        while (list[high] < pivot)
            high--;
        if (low >= high)
            return high;
        const uint64_t moved = list[low];
        list[low] = list[high];
        list[high] = moved;
    }
}

// Moves the `most` largest numbers to the front, in any order.
static void select_largest(uint64_t *list, size_t count, size_t most)
{
    if (most == 0 || most >= count)
        return;
    for (size_t low = 0, high = count - 1; low < high;) {
        const size_t last = divide(list, low, high);
        if (most - 1 <= last)
            high = last;
        else
            low = last + 1;
    }
}

// Sets *least to the weight from which on rows are kept, and returns how many there are at most; rows without
// any weight are not kept.
static size_t find_least(dj_view_cut *cut, uint64_t *least)
{
    double total = 0, sum = 0;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < cut->count; i++) {
        if (cut->weights[i])
            cut->sorted[count++] = cut->weights[i];
        total += (double)cut->weights[i];
    }
    if (count == 0 || cut->most == 0)
        return 0;
    select_largest(cut->sorted, count, cut->most);
    qsort(cut->sorted, count < cut->most ? count : cut->most, sizeof *cut->sorted, descending);
    while (kept < count && kept < cut->most && (kept < LEAST || total - sum > total / SHARE))
        sum += (double)cut->sorted[kept++];
    *least = cut->sorted[kept - 1];
    return kept;
}

// Of rows with the least weight the first ones.
void dj_view_cut_keep(dj_view_cut *cut)
{
    uint64_t least = 0;
    size_t room = find_least(cut, &least);
    for (size_t i = 0; room > 0 && i < cut->count; i++)
        if (cut->weights[i] > least) {
            cut->kept[i] = true;
            room--;
        }
    for (size_t i = 0; room > 0 && i < cut->count; i++)
        if (cut->weights[i] == least) {
            cut->kept[i] = true;
            room--;
        }
}

size_t dj_view_cut_size(const dj_view_cut *cut)
{
    size_t size = 0;
    for (size_t i = 0; i < cut->count; i++)
        size += cut->kept[i];
    return size;
}
