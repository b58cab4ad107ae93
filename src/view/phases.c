// SPDX-License-Identifier: MIT
// Phases of a profile with windows.
#include <deja/phases.h>

#include "profile/fields.h"
#include "view/cut.h"
#include "view/parts.h"
#include "view/windows.h"

enum { STRETCHES_MOST = 1000 };

typedef struct phase {
    uint64_t phase, stretches, windows, accesses, cold;
    double distinct;
    uint64_t best_size; // 0: none
    double best_ratio, least_ratio;
    uint64_t *bins; // the sum of its windows
    uint32_t bin_count;
} phase;

typedef struct stretch {
    uint64_t phase, window, last; // windows of the page
    uint64_t windows, first, time, accesses, cold;
} stretch;

// The sum of the stretches that a page does not list.
typedef struct stretch_rest {
    uint64_t rows, windows, accesses, cold;
} stretch_rest;

typedef struct phases {
    double tolerance;
    uint64_t joined;    // how many windows of the run are one in the page
    uint64_t *phase_of; // of each window of the page: that of its first window
    size_t window_count;
    phase *list;
    size_t count;
    stretch *stretches;
    size_t stretch_count;
    stretch_rest *rest; // NULL: nothing
} phases;

#define PHASE(type_, member_) DJ_AT(type_, #member_, phase, member_)
static const dj_field phase_fields[] = {
    PHASE(U64, phase),
    PHASE(U64, stretches),
    PHASE(U64, windows),
    PHASE(U64, accesses),
    PHASE(U64, cold),
    PHASE(REAL, distinct),
    PHASE(U64, best_size),
    PHASE(REAL, best_ratio),
    PHASE(REAL, least_ratio),
    DJ_NUMBER_LIST("bins", phase, bins, bin_count, .flags = DJ_FIELD_COUNT32),
    DJ_END,
};
static const dj_table phase_row = {phase_fields, sizeof(phase), DJ_ROW_OBJECT};

#define STRETCH(member_) DJ_AT(U64, #member_, stretch, member_)
static const dj_field stretch_fields[] = {
    STRETCH(phase), STRETCH(window),   STRETCH(last), STRETCH(windows), STRETCH(first),
    STRETCH(time),  STRETCH(accesses), STRETCH(cold), DJ_END,
};
static const dj_table stretch_row = {stretch_fields, sizeof(stretch), DJ_ROW_OBJECT};

#define REST(member_) DJ_AT(U64, #member_, stretch_rest, member_)
static const dj_field rest_fields[] = {REST(rows), REST(windows), REST(accesses), REST(cold), DJ_END};
static const dj_table rest_row = {rest_fields, sizeof(stretch_rest), DJ_ROW_OBJECT};

static const dj_field fields[] = {
    DJ_AT(REAL, "tolerance", phases, tolerance),
    DJ_AT(U64, "joined", phases, joined),
    DJ_NUMBER_LIST("phase_of", phases, phase_of, window_count, .flags = 0),
    {DJ_FIELD_ROWS("list", phases, list, count, phase_row)},
    {DJ_FIELD_ROWS("stretches", phases, stretches, stretch_count, stretch_row)},
    {DJ_FIELD(POINTER, "rest", phases, rest), .rows = &rest_row},
    DJ_END,
};

static void add_windows(const dj_windows *windows, const dj_phase_list *from, dj_view_bins *sums, phases *to)
{
    for (size_t i = 0; i < from->stretch_count; i++) {
        const dj_stretch *s = &from->stretches[i];
        for (size_t w = s->first; w < s->first + s->count; w++) {
            dj_view_add_bins(&windows->rows[w], &sums[s->phase]);
            if (w % to->joined == 0)
                to->phase_of[w / to->joined] = s->phase;
        }
    }
    for (size_t i = 0; i < to->count; i++) {
        to->list[i].bins = sums[i].list;
        to->list[i].bin_count = sums[i].count;
    }
}

// The longest stretches; positions are in windows of the page.
static void add_stretches(const dj_windows *windows, const dj_phase_list *from, const dj_view_cut *cut,
                          stretch_rest *rest, phases *to)
{
    for (size_t i = 0; i < from->stretch_count; i++) {
        const dj_stretch *s = &from->stretches[i];
        const dj_window *first = &windows->rows[s->first];
        const uint64_t begin = s->first / to->joined, last = (s->first + s->count - 1) / to->joined;
        if (cut->kept[i]) {
            to->stretches[to->stretch_count++] = (stretch){s->phase + 1, begin,       last,        s->count,
                                                           first->first, first->time, s->accesses, s->cold};
            continue;
        }
        to->rest = rest;
        rest->rows++;
        rest->windows += s->count;
        rest->accesses += s->accesses;
        rest->cold += s->cold;
    }
}

static int fill(dj_context *context, const dj_windows *windows, const dj_phase_list *from, dj_arena *arena,
                phases *to)
{
    dj_view_cut cut;
    int err = dj_view_cut_create(context, from->stretch_count, STRETCHES_MOST, &cut);
    if (err)
        return err;
    for (size_t i = 0; i < from->stretch_count; i++)
        cut.weights[i] = from->stretches[i].accesses;
    dj_view_cut_keep(&cut);
    *to = (phases){.tolerance = DJ_PHASE_TOLERANCE,
                   .joined = dj_view_windows_joined(windows),
                   .count = from->phase_count,
                   .list = dj_arena_alloc(arena, from->phase_count + 1, sizeof *to->list),
                   .stretches = dj_arena_alloc(arena, dj_view_cut_size(&cut) + 1, sizeof *to->stretches)};
    to->window_count = (windows->count + to->joined - 1) / to->joined;
    to->phase_of = dj_arena_alloc(arena, to->window_count + 1, sizeof *to->phase_of);
    stretch_rest *rest = dj_arena_alloc(arena, 1, sizeof *rest);
    dj_view_bins *sums = dj_arena_alloc(arena, from->phase_count + 1, sizeof *sums);
    if (!sums || !to->list || !to->stretches || !to->phase_of || !rest)
        err = dj_fail_memory(context, "a page", 0);
    for (size_t i = 0; !err && i < from->phase_count; i++) {
        const dj_locality_phase *p = &from->phases[i];
        to->list[i] = (phase){.phase = i + 1,
                              .stretches = p->stretches,
                              .windows = p->windows,
                              .accesses = p->accesses,
                              .cold = p->cold,
                              .distinct = p->distinct,
                              .best_size = p->best,
                              .best_ratio = p->best_ratio,
                              .least_ratio = p->least};
    }
    if (!err) {
        add_windows(windows, from, sums, to);
        add_stretches(windows, from, &cut, rest, to);
    }
    dj_view_cut_free(&cut);
    return err;
}

int dj_view_add_phases(dj_view_sections *sections, const dj_profile *profile)
{
    const dj_windows *windows = dj_lane_windows(&profile->lanes[0]);
    dj_phase_list list;
    if (!windows || windows->count == 0)
        return DJ_OK;
    int err = dj_phases_find(sections->context, windows, &list);
    if (err)
        return err;
    dj_arena arena = {0};
    phases all;
    err = fill(sections->context, windows, &list, &arena, &all);
    if (!err)
        err = dj_view_add(sections, "phases", DJ_VIEW_VERSION, 0, fields, &all);
    dj_phase_list_free(&list);
    dj_arena_free(&arena);
    return err;
}
