// SPDX-License-Identifier: MIT
// Phases of a profile with windows.
#include <deja/phases.h>

#include "profile/fields.h"
#include "view/parts.h"

typedef struct phase {
    uint64_t phase, stretches, windows, accesses, cold;
    double distinct;
    uint64_t best_size; // 0: none
    double best_ratio, least_ratio;
} phase;

typedef struct stretch {
    uint64_t phase, window, windows, first, time, accesses, cold;
} stretch;

typedef struct phases {
    double tolerance;
    phase *list;
    size_t count;
    stretch *stretches;
    size_t stretch_count;
} phases;

#define PHASE(type_, member_) DJ_AT(type_, #member_, phase, member_)
static const dj_field phase_fields[] = {
    PHASE(U64, phase),        PHASE(U64, stretches),
    PHASE(U64, windows),      PHASE(U64, accesses),
    PHASE(U64, cold),         PHASE(REAL, distinct),
    PHASE(U64, best_size),    PHASE(REAL, best_ratio),
    PHASE(REAL, least_ratio), DJ_END,
};
static const dj_table phase_row = {phase_fields, sizeof(phase), DJ_ROW_OBJECT};

#define STRETCH(member_) DJ_AT(U64, #member_, stretch, member_)
static const dj_field stretch_fields[] = {
    STRETCH(phase), STRETCH(window),   STRETCH(windows), STRETCH(first),
    STRETCH(time),  STRETCH(accesses), STRETCH(cold),    DJ_END,
};
static const dj_table stretch_row = {stretch_fields, sizeof(stretch), DJ_ROW_OBJECT};

static const dj_field fields[] = {
    DJ_AT(REAL, "tolerance", phases, tolerance),
    {DJ_FIELD_ROWS("list", phases, list, count, phase_row)},
    {DJ_FIELD_ROWS("stretches", phases, stretches, stretch_count, stretch_row)},
    DJ_END,
};

static void fill(const dj_windows *windows, const dj_phase_list *from, phases *to)
{
    for (size_t i = 0; i < from->phase_count; i++) {
        const dj_locality_phase *p = &from->phases[i];
        to->list[i] = (phase){i + 1,       p->stretches, p->windows,    p->accesses, p->cold,
                              p->distinct, p->best,      p->best_ratio, p->least};
    }
    for (size_t i = 0; i < from->stretch_count; i++) {
        const dj_stretch *s = &from->stretches[i];
        const dj_window *first = &windows->rows[s->first];
        to->stretches[i] =
            (stretch){s->phase + 1, s->first, s->count, first->first, first->time, s->accesses, s->cold};
    }
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
    phases all = {
        .tolerance = DJ_PHASE_TOLERANCE, .count = list.phase_count, .stretch_count = list.stretch_count};
    all.list = dj_arena_alloc(&arena, all.count + 1, sizeof *all.list);
    all.stretches = dj_arena_alloc(&arena, all.stretch_count + 1, sizeof *all.stretches);
    if (arena.failed)
        err = dj_fail_memory(sections->context, "a page", 0);
    if (!err) {
        fill(windows, &list, &all);
        err = dj_view_add(sections, "phases", DJ_VIEW_VERSION, 0, fields, &all);
    }
    dj_phase_list_free(&list);
    dj_arena_free(&arena);
    return err;
}
