// SPDX-License-Identifier: MIT
#include "observe/joint/phases.h"

#include <math.h>
#include <stdlib.h>

#include "base/fine_bins.h"
#include "observe/joint/kinds.h"

enum { SHORTEST = 12, INDEX_BITS = 16, PHASE_AT = 2 * INDEX_BITS };
#define INDEX_MASK ((UINT64_C(1) << INDEX_BITS) - 1)

int dj_phases_create(dj_phases *p, dj_context *context)
{
    *p = (dj_phases){.shift = SHORTEST, .phases = calloc(DJ_JOINT_PHASES, sizeof *p->phases)};
    if (!p->phases)
        return dj_fail_memory(context, "observer joint", DJ_JOINT_PHASES * sizeof *p->phases);
    return dj_map_create(&p->cells, context, &p->footprint, 0);
}

void dj_phases_free(dj_phases *p)
{
    free(p->phases);
    p->phases = NULL;
    dj_map_destroy(&p->cells);
}

static int count_cell(dj_phases *p, dj_context *context, uint64_t key)
{
    uint64_t *cell = dj_map_at(&p->cells, context, key);
    if (!cell)
        return DJ_ERR_MEMORY;
    ++*cell;
    return DJ_OK;
}

static int count_pending(dj_phases *p, dj_context *context)
{
    int err = DJ_OK;
    for (unsigned i = 0; !err && i < DJ_PHASES_PENDING; i++) {
        err = p->pending[i] ? count_cell(p, context, p->pending[i]) : DJ_OK;
        p->pending[i] = 0;
    }
    return err;
}

// Adds the cells of each pair of phases.
static int pair_cells(dj_phases *p, dj_context *context)
{
    dj_map old = p->cells;
    int err = dj_map_create(&p->cells, context, &p->footprint, old.count / 2);
    for (uint64_t i = 0; !err && i <= old.mask; i++) {
        const dj_map_entry *e = &old.entries[i];
        if (e->value == 0)
            continue;
        const uint64_t phase = e->key >> PHASE_AT, bins = e->key ^ phase << PHASE_AT;
        uint64_t *cell = dj_map_at(&p->cells, context, phase >> 1 << PHASE_AT | bins);
        if (cell)
            *cell += e->value;
        err = cell ? DJ_OK : DJ_ERR_MEMORY;
    }
    dj_map_destroy(&old);
    return err;
}

int dj_phases_widen(dj_phases *p, dj_context *context, uint64_t position)
{
    int err = count_pending(p, context);
    for (; !err && position >> p->shift >= DJ_JOINT_PHASES; p->shift++) {
        for (unsigned i = 0; i < DJ_JOINT_PHASES / 2; i++) {
            dj_phase both = p->phases[2 * i];
            both.cold += p->phases[2 * i + 1].cold;
            dj_dyadic_merge(&both.windows, &p->phases[2 * i + 1].windows, DJ_DYADIC_LEVELS);
            p->phases[i] = both;
        }
        for (unsigned i = DJ_JOINT_PHASES / 2; i < DJ_JOINT_PHASES; i++)
            p->phases[i] = (dj_phase){0};
        err = pair_cells(p, context);
    }
    return err;
}

int dj_phases_count(dj_phases *p, dj_context *context, uint64_t position, uint64_t age, uint64_t distance)
{
    const uint64_t key = position >> p->shift << PHASE_AT |
                         dj_fine_bin(age, DJ_JOINT_TIME_BITS) << INDEX_BITS |
                         dj_fine_bin(distance, DJ_JOINT_DISTANCE_BITS);
    const unsigned at = p->next++ % DJ_PHASES_PENDING;
    const uint64_t oldest = p->pending[at];
    __builtin_prefetch(&p->cells.entries[dj_map_hash(key) & p->cells.mask], 1);
    p->pending[at] = key;
    return oldest ? count_cell(p, context, oldest) : DJ_OK;
}

static int compare_cells(const void *left, const void *right)
{
    const dj_joint_cell *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->distance < b->distance ? -1 : a->distance > b->distance;
}

// Their kind is the phase.
static int list_cells(const dj_phases *p, dj_context *context, dj_joint_sharer *out)
{
    out->cells = malloc((p->cells.count + 1) * sizeof *out->cells);
    if (!out->cells)
        return dj_fail_memory(context, "observer joint", p->cells.count * sizeof *out->cells);
    for (uint64_t i = 0; i <= p->cells.mask; i++) {
        const dj_map_entry *e = &p->cells.entries[i];
        if (e->value)
            out->cells[out->cell_count++] = (dj_joint_cell){
                .kind = e->key >> PHASE_AT,
                .time = dj_fine_bin_low(e->key >> INDEX_BITS & INDEX_MASK, DJ_JOINT_TIME_BITS),
                .distance = dj_fine_bin_low(e->key & INDEX_MASK, DJ_JOINT_DISTANCE_BITS),
                .count = e->value};
    }
    return DJ_OK;
}

static void join_cells(dj_joint_sharer *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->cell_count; i++)
        out->cells[i].kind = out->phases[out->cells[i].kind].kind;
    qsort(out->cells, out->cell_count, sizeof *out->cells, compare_cells);
    for (size_t i = 0; i < out->cell_count; i++)
        if (kept > 0 && compare_cells(&out->cells[kept - 1], &out->cells[i]) == 0)
            out->cells[kept - 1].count += out->cells[i].count;
        else
            out->cells[kept++] = out->cells[i];
    out->cell_count = kept;
}

static int list_windows(const dj_phases *p, dj_context *context, dj_joint_sharer *out, size_t kinds)
{
    out->windows = calloc(DJ_DYADIC_LEVELS, sizeof *out->windows);
    out->kind_windows = calloc(kinds * DJ_DYADIC_LEVELS + 1, sizeof *out->windows);
    if (!out->windows || !out->kind_windows)
        return dj_fail_memory(context, "the windows", 0);
    dj_dyadic_counts all = {0};
    for (size_t i = 0; i < out->phase_count; i++)
        dj_dyadic_merge(&all, &p->phases[i].windows, DJ_DYADIC_LEVELS);
    dj_dyadic_windows(&all, 0, out->windows, &out->window_count);
    for (size_t kind = 0; kinds > 1 && kind < kinds; kind++) {
        dj_dyadic_counts of = {0};
        for (size_t i = 0; i < out->phase_count; i++)
            if (out->phases[i].kind == kind)
                dj_dyadic_merge(&of, &p->phases[i].windows, p->shift);
        dj_dyadic_windows(&of, kind, out->kind_windows, &out->kind_window_count);
    }
    return DJ_OK;
}

int dj_phases_finish(dj_phases *p, dj_context *context, dj_joint_sharer *out)
{
    size_t kinds = 0;
    out->phase_length = UINT64_C(1) << p->shift;
    out->phases = calloc(DJ_JOINT_PHASES, sizeof *out->phases);
    if (!out->phases)
        return dj_fail_memory(context, "observer joint", DJ_JOINT_PHASES * sizeof *out->phases);
    out->phase_count = (size_t)((out->accesses + out->phase_length - 1) >> p->shift);
    for (size_t i = 0; i < out->phase_count; i++)
        out->phases[i].cold = p->phases[i].cold;
    int err = count_pending(p, context);
    if (!err)
        err = list_cells(p, context, out);
    if (!err)
        err = dj_kinds_find(context, out, &kinds);
    if (err)
        return err;
    join_cells(out);
    return list_windows(p, context, out, kinds);
}
