// SPDX-License-Identifier: MIT
// Section `joint` of a lane: its sharers, for predictions of shared caches.
#include <deja/joint.h>

#include "profile/fields.h"

#define REQUIRED .flags = DJ_FIELD_REQUIRED
#define EXACT .flags = DJ_FIELD_REQUIRED | DJ_FIELD_EXACT
static const dj_field phase_fields[] = {
    DJ_AT(U64, "kind", dj_joint_phase, kind, REQUIRED, .about = "phases with similar reuses have the same"),
    DJ_AT(U64, "cold", dj_joint_phase, cold, REQUIRED, .about = "first accesses in it"),
    DJ_END,
};
static const dj_table phase = {phase_fields, sizeof(dj_joint_phase), DJ_ROW_CELLS};

static const dj_field cell_fields[] = {
    DJ_AT(U64, "kind", dj_joint_cell, kind, REQUIRED, .about = "of its phases"),
    DJ_AT(U64, "time", dj_joint_cell, time, REQUIRED, .about = "lowest time distance of its bin"),
    DJ_AT(U64, "distance", dj_joint_cell, distance, REQUIRED, .about = "lowest reuse distance of its bin"),
    DJ_AT(U64, "count", dj_joint_cell, count, REQUIRED),
    DJ_END,
};
static const dj_table cell = {cell_fields, sizeof(dj_joint_cell), DJ_ROW_CELLS};

static const dj_field window_fields[] = {
    DJ_AT(U64, "kind", dj_joint_window, kind, REQUIRED, .about = "of the phases that contain them"),
    DJ_AT(U64, "length", dj_joint_window, length, REQUIRED, .about = "in accesses"),
    DJ_AT(U64, "windows", dj_joint_window, windows, REQUIRED, .about = "that start at multiples of it"),
    DJ_AT(REAL, "mean", dj_joint_window, mean, REQUIRED, .about = "of the distinct blocks in each"),
    DJ_AT(REAL, "variance", dj_joint_window, variance, REQUIRED, .about = "of the distinct blocks in each"),
    DJ_END,
};
static const dj_table window = {window_fields, sizeof(dj_joint_window), DJ_ROW_LINE};

static const dj_field turn_fields[] = {
    DJ_AT(U64, "length", dj_joint_turn, length, REQUIRED, .about = "in accesses of the sharer"),
    DJ_AT(U64, "windows", dj_joint_turn, windows, REQUIRED, .about = "that start at multiples of it"),
    DJ_AT(U64, "others", dj_joint_turn, others, REQUIRED, .about = "accesses of the others in all of them"),
    DJ_END,
};
static const dj_table turn = {turn_fields, sizeof(dj_joint_turn), DJ_ROW_CELLS};

static const dj_field row_fields[] = {
    DJ_AT(U64, "id", dj_joint_sharer, id, REQUIRED, .about = "of the thread, device, file or program"),
    DJ_AT(TEXT, "name", dj_joint_sharer, name, .flags = DJ_FIELD_OMIT),
    DJ_AT(U64, "accesses", dj_joint_sharer, accesses, REQUIRED, .about = "including those of a warm-up"),
    DJ_AT(U64, "distinct", dj_joint_sharer, distinct, REQUIRED, .about = "blocks"),
    DJ_AT(HISTOGRAM, "time", dj_joint_sharer, time, EXACT, .about = "of the time distances"),
    DJ_AT(HISTOGRAM, "first", dj_joint_sharer, first, EXACT, .about = "of first accesses, counted from 1"),
    DJ_AT(HISTOGRAM, "last", dj_joint_sharer, last, EXACT,
          .about = "of last accesses, counted from the end, from 1"),
    DJ_AT(U64, "phase_length", dj_joint_sharer, phase_length, REQUIRED, .about = "in accesses"),
    DJ_AT(LIST, "phases", dj_joint_sharer, phases, .rows = &phase,
          .count_at = offsetof(dj_joint_sharer, phase_count), REQUIRED, .most = DJ_JOINT_PHASES,
          .about = "of equal length; the last may be shorter"),
    DJ_AT(LIST, "cells", dj_joint_sharer, cells, .rows = &cell,
          .count_at = offsetof(dj_joint_sharer, cell_count), REQUIRED,
          .about = "reuses by kind of phase, time distance and reuse distance"),
    DJ_AT(LIST, "windows", dj_joint_sharer, windows, .rows = &window,
          .count_at = offsetof(dj_joint_sharer, window_count), REQUIRED, .most = 64,
          .about = "distinct blocks in windows of 2, 4, 8, ... accesses"),
    DJ_AT(LIST, "kind_windows", dj_joint_sharer, kind_windows, .rows = &window,
          .count_at = offsetof(dj_joint_sharer, kind_window_count), REQUIRED, .most = 64 * DJ_JOINT_KINDS,
          .about = "the same within phases of each kind, if there are several"),
    DJ_AT(LIST, "turns", dj_joint_sharer, turns, .rows = &turn,
          .count_at = offsetof(dj_joint_sharer, turn_count), .flags = DJ_FIELD_OMIT,
          .about = "accesses of others between accesses of the sharer"),
    DJ_NUMBER_LIST("sample", dj_joint_sharer, sample, sample_count,
                   .flags = DJ_FIELD_REQUIRED | DJ_FIELD_FLAT, .most = DJ_JOINT_SAMPLE,
                   .about = "lowest hashes of the blocks"),
    DJ_NUMBER_LIST("sample_first", dj_joint_sharer, sample_first, sample_first_count,
                   .flags = DJ_FIELD_REQUIRED | DJ_FIELD_FLAT, .most = DJ_JOINT_SAMPLE,
                   .about = "first access to each of them, counted from 1"),
    DJ_END,
};
static const dj_table row = {row_fields, sizeof(dj_joint_sharer), DJ_ROW_OBJECT};

static const dj_field fields[] = {
    DJ_AT(LIST, "rows", dj_joint, rows, .rows = &row, .count_at = offsetof(dj_joint, count), REQUIRED,
          .about = "each thread, device, file or program"),
    DJ_END,
};

// Kinds are numbered in the order of their appearance. Phases cover the trace.
static bool phases_fit(const dj_joint_sharer *s, uint64_t *kinds)
{
    uint64_t cold = 0;
    const uint64_t length = s->phase_length;
    *kinds = 0;
    if (length == 0 || (length & (length - 1)) != 0 ||
        s->phase_count != s->accesses / length + (s->accesses % length > 0))
        return false;
    for (size_t i = 0; i < s->phase_count; i++) {
        const dj_joint_phase *p = &s->phases[i];
        const uint64_t accesses = i + 1 < s->phase_count ? length : s->accesses - i * length;
        if (p->kind > *kinds || p->kind >= DJ_JOINT_KINDS || p->cold > accesses)
            return false;
        *kinds += p->kind == *kinds;
        cold += p->cold;
    }
    return cold == s->distinct;
}

static bool cells_fit(const dj_joint_sharer *s, uint64_t kinds, uint64_t reuses)
{
    bool good = true;
    for (size_t i = 0; good && i < s->cell_count; i++) {
        const dj_joint_cell *c = &s->cells[i];
        const bool later =
            i == 0 || c->kind > c[-1].kind ||
            (c->kind == c[-1].kind &&
             (c->time > c[-1].time || (c->time == c[-1].time && c->distance > c[-1].distance)));
        good = later && c->kind < kinds && c->time > 0 && c->time <= s->accesses &&
               c->distance < s->distinct && c->count <= reuses;
        reuses -= good ? c->count : 0;
    }
    return good;
}

static bool windows_fit(const dj_joint_sharer *s, const dj_joint_window *windows, size_t count,
                        uint64_t kinds, uint64_t longest)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        const dj_joint_window *w = &windows[i];
        const bool begins = i == 0 || w->kind > w[-1].kind;
        good = w->kind < kinds && (begins || w->kind == w[-1].kind) &&
               w->length == (begins ? 2 : 2 * w[-1].length) && w->length <= longest && w->windows > 0 &&
               w->windows <= s->accesses / w->length && w->mean >= 0 && w->variance >= 0;
    }
    return good;
}

static bool turns_fit(const dj_joint_sharer *s)
{
    bool good = true;
    for (size_t i = 0; good && i < s->turn_count; i++) {
        const dj_joint_turn *t = &s->turns[i];
        const bool begins = i == 0 || t->length > t[-1].length;
        good = t->length > 0 && (t->length & (t->length - 1)) == 0 && t->windows > 0 &&
               t->windows <= s->accesses / t->length && (begins || t->length == t[-1].length);
    }
    return good;
}

static bool fits(const dj_joint_sharer *s)
{
    const uint64_t left = s->time ? dj_histogram_moments(s->time).count : 0;
    uint64_t kinds = 0;
    bool good = s->time && s->first && s->last && s->distinct <= s->accesses &&
                left == s->accesses - s->distinct && dj_histogram_moments(s->time).max <= s->accesses &&
                dj_histogram_moments(s->first).count == s->distinct &&
                dj_histogram_moments(s->first).max <= s->accesses &&
                dj_histogram_moments(s->last).count == s->distinct &&
                dj_histogram_moments(s->last).max <= s->accesses && phases_fit(s, &kinds) && turns_fit(s) &&
                cells_fit(s, kinds, left) && windows_fit(s, s->windows, s->window_count, 1, s->accesses) &&
                windows_fit(s, s->kind_windows, s->kind_window_count, kinds, s->phase_length);
    for (size_t i = 1; good && i < s->sample_count; i++)
        good = s->sample[i] > s->sample[i - 1];
    return good && s->sample_count <= s->distinct && s->sample_first_count == s->sample_count;
}

static int check(dj_context *context, void *value)
{
    const dj_joint *j = value;
    for (size_t i = 0; i < j->count; i++)
        if (!fits(&j->rows[i]))
            return dj_fail(context, DJ_ERR_INPUT, "joint: the counts of rows[%zu] do not add up", i);
    return DJ_OK;
}

const dj_joint *dj_lane_joint(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_joint);
}

const dj_section_ops dj_section_joint = {
    .name = "joint",
    .summary = "time and reuse distances of each sharer together",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .table = {fields, sizeof(dj_joint), DJ_ROW_OBJECT},
    .check = check,
};
