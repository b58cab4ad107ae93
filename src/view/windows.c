// SPDX-License-Identifier: MIT
// The windows of a page: a long run has windows of several of its own, so pages stay small.
#include "view/windows.h"

#include "base/arena.h"
#include "profile/fields.h"

enum { WINDOWS_MOST = 4096 };

size_t dj_view_windows_joined(const dj_windows *windows)
{
    return windows->count / WINDOWS_MOST + (windows->count % WINDOWS_MOST != 0);
}

void dj_view_add_bins(const dj_window *from, dj_view_bins *to)
{
    to->count = from->bin_count > to->count ? from->bin_count : to->count;
    for (uint32_t i = 0; i < from->bin_count && i < DJ_VIEW_BINS; i++)
        to->list[i] += from->bins[i];
}

// Distinct data of several windows are their mean.
static dj_window join(const dj_window *rows, size_t count, uint64_t *bins)
{
    dj_window to = {.first = rows->first, .time = rows->time, .bins = bins};
    dj_view_bins sum = {.count = 0};
    double distinct = 0;
    for (size_t i = 0; i < count; i++) {
        to.accesses += rows[i].accesses;
        to.cold += rows[i].cold;
        distinct += (double)rows[i].distinct;
        dj_view_add_bins(&rows[i], &sum);
    }
    to.distinct = (uint64_t)(distinct / (double)count + 0.5);
    to.bin_count = sum.count;
    for (uint32_t i = 0; i < sum.count; i++)
        bins[i] = sum.list[i];
    return to;
}

int dj_view_add_windows(dj_view_sections *sections, unsigned lane, const dj_windows *windows)
{
    const dj_section_ops *ops = &dj_section_windows;
    const size_t each = dj_view_windows_joined(windows);
    if (each <= 1)
        return dj_view_add(sections, ops->name, ops->version, lane, ops->table.fields, windows);
    const size_t count = (windows->count + each - 1) / each;
    dj_arena arena = {0};
    dj_windows shown = {.length = windows->length * each, .duration = windows->duration * each};
    shown.rows = dj_arena_alloc(&arena, count, sizeof *shown.rows);
    uint64_t *bins = dj_arena_alloc(&arena, count * DJ_VIEW_BINS, sizeof *bins);
    int err = shown.rows && bins ? DJ_OK : dj_fail_memory(sections->context, "a page", 0);
    for (size_t i = 0; !err && i < count; i++) {
        const size_t left = windows->count - i * each;
        shown.rows[shown.count++] =
            join(&windows->rows[i * each], left < each ? left : each, bins + i * DJ_VIEW_BINS);
    }
    if (!err)
        err = dj_view_add(sections, ops->name, ops->version, lane, ops->table.fields, &shown);
    dj_arena_free(&arena);
    return err;
}
