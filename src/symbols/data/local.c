// SPDX-License-Identifier: MIT
// Finds the local variable at a position in a stack frame. Variables of separate scopes may share it, so
// the pc decides, and then the innermost scope. Optimized code writes to a variable slightly before its
// scope or its location begins, so a variable without competitors is accepted there too.
#include "symbols/data/data.h"

typedef struct candidate {
    size_t local;
    int64_t lo, hi;
    bool valid; // at this pc
    unsigned depth;
} candidate;

static bool is_better(const candidate *a, const candidate *b)
{
    if (a->valid != b->valid)
        return a->valid;
    if (a->depth != b->depth)
        return a->depth > b->depth;
    if (a->hi - a->lo != b->hi - b->lo)
        return a->hi - a->lo > b->hi - b->lo;
    return a->local < b->local;
}

static bool make_candidate(dj_data *data, const dj_locals *locals, size_t index, uint64_t pc,
                           const dj_local_place *place, candidate *out)
{
    const dj_local *local = &locals->list[index];
    const int64_t return_address = -(int64_t)sizeof(uint64_t);
    int64_t lo;
    if (place->in_register || local->bytes == 0 || !dj_frame_offset(data, pc, place->by, &lo) ||
        lo > INT32_MAX || lo < -(INT64_MAX / 2))
        return false;
    // clang counts from the stack pointer and does not report when that moves at the end of the function.
    if (lo < 0 && lo + (int64_t)local->bytes > return_address)
        return false;
    *out = (candidate){.local = index,
                       .lo = lo,
                       .hi = lo + (int64_t)local->bytes,
                       .depth = locals->scopes[local->scope].depth};
    return true;
}

// The place of a local at this pc; otherwise any in its frame, marked as not valid.
static bool find_candidate(dj_data *data, const dj_locals *locals, size_t index, uint64_t pc, candidate *out)
{
    const dj_local *local = &locals->list[index];
    const dj_local_place *place = dj_local_place_at(locals, local, pc);
    if (place != NULL && make_candidate(data, locals, index, pc, place, out)) {
        out->valid = dj_locals_in_scope(locals, local->scope, pc);
        return true;
    }
    for (size_t i = 0; i < local->place_count; i++)
        if (make_candidate(data, locals, index, pc, &locals->places[local->first_place + i], out))
            return true;
    return false;
}

// Cuts `out` at every boundary of a candidate, so that the answer is valid for all of it.
static void narrow(const candidate *list, size_t count, int64_t offset, dj_extent *out)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t borders[] = {list[i].lo, list[i].hi};
        for (int k = 0; k < 2; k++) {
            if (borders[k] <= offset && borders[k] > out->lo)
                out->lo = borders[k];
            if (borders[k] > offset && borders[k] < out->hi)
                out->hi = borders[k];
        }
    }
}

uint32_t dj_local_variable(dj_data *data, const dj_locals *locals, dj_local *local, uint32_t function)
{
    dj_variable *variable;
    if (local->variable == 0) {
        local->variable = dj_variable_add(data, &local->die, 0, &variable);
        if (variable != NULL) {
            variable->info.function = function;
            variable->inlined = locals->scopes[local->scope].inlined;
        }
    }
    return local->variable;
}

// A variable whose beginning is hidden has a separate number: one for each part that is visible somewhere.
static uint32_t variable_of(dj_data *data, dj_locals *locals, uint32_t function, const candidate *winner,
                            int64_t lo)
{
    dj_local *local = &locals->list[winner->local];
    if (lo == winner->lo)
        return dj_local_variable(data, locals, local, function);
    dj_variable *variable;
    uint64_t skip = (uint64_t)(lo - winner->lo);
    for (uint32_t part = local->part; part != 0; part = variable->part) {
        variable = dj_numbered_get(&data->symbols->variables, part);
        if (variable->skip == skip)
            return part;
    }
    uint32_t number = dj_variable_add(data, &local->die, 0, &variable);
    if (variable != NULL) {
        variable->info.function = function;
        variable->skip = skip;
        variable->part = local->part;
        local->part = number;
    }
    return number;
}

static bool choose(dj_data *data, dj_locals *locals, const candidate *list, size_t count, uint32_t function,
                   int64_t offset, dj_extent *out)
{
    const candidate *winner = NULL;
    bool contested = false;
    for (size_t i = 0; i < count; i++) {
        if (offset < list[i].lo || offset >= list[i].hi)
            continue;
        contested |= winner != NULL && !list[i].valid && !winner->valid;
        if (winner == NULL || is_better(&list[i], winner))
            winner = &list[i];
    }
    if (winner == NULL || (!winner->valid && contested)) {
        narrow(list, count, offset, out);
        return false;
    }
    *out = (dj_extent){.lo = winner->lo, .hi = winner->hi};
    for (size_t i = 0; i < count; i++)
        if (&list[i] != winner && (!winner->valid || is_better(&list[i], winner)))
            narrow(&list[i], 1, offset, out);
    out->variable = variable_of(data, locals, function, winner, out->lo);
    return out->variable != 0;
}

// The candidates at an address, freed by the caller; NULL: none.
static candidate *list_candidates(dj_data *data, const dj_locals *locals, uint64_t address, size_t *count)
{
    candidate *list =
        dj_footprint_array(&data->footprint, data->symbols->quiet, "candidates", locals->count, sizeof *list);
    *count = 0;
    for (size_t i = 0; list != NULL && i < locals->count; i++)
        *count += find_candidate(data, locals, i, address, &list[*count]);
    return list;
}

// The data of the module and the locals of the subprogram there; NULL: none.
static dj_locals *find_locals(dj_symbols *symbols, uint32_t function, uint64_t pc, dj_data **data,
                              uint64_t *address)
{
    const dj_function_info *info = dj_symbols_function_info(symbols, function);
    *data = info != NULL ? dj_data_get(symbols, info->module) : NULL;
    if (*data == NULL || __builtin_add_overflow(pc, (*data)->module->base, address))
        return NULL;
    const dj_subprogram *subprogram = dj_data_subprogram_at(*data, *address);
    dj_locals *locals = subprogram != NULL ? dj_locals_get(*data, subprogram) : NULL;
    return locals != NULL && locals->count > 0 ? locals : NULL;
}

bool dj_files_local(dj_symbols *symbols, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out)
{
    dj_data *data;
    uint64_t address;
    size_t count;
    *out = (dj_extent){.lo = INT64_MIN, .hi = INT64_MAX};
    dj_locals *locals = find_locals(symbols, function, pc, &data, &address);
    candidate *list = locals != NULL ? list_candidates(data, locals, address, &count) : NULL;
    if (list == NULL)
        return false;
    bool found = choose(data, locals, list, count, function, cfa_offset, out);
    dj_footprint_free(&data->footprint, list, locals->count, sizeof *list);
    return found;
}

static void narrow_code(dj_frame_variables *frame, uint64_t address, uint64_t lo, uint64_t hi)
{
    const uint64_t borders[] = {lo, hi};
    for (int k = 0; k < 2; k++) {
        if (borders[k] <= address && borders[k] > frame->lo)
            frame->lo = borders[k];
        if (borders[k] > address && borders[k] < frame->hi)
            frame->hi = borders[k];
    }
}

// Cuts the code of a frame wherever a variable in memory may begin or cease to be where it is.
static void narrow_by_local(dj_data *data, const dj_locals *locals, const dj_local *local, uint64_t address,
                            dj_frame_variables *frame)
{
    bool in_memory = false;
    for (size_t i = 0; i < local->place_count; i++)
        in_memory |= !locals->places[local->first_place + i].in_register;
    if (!in_memory || local->bytes == 0)
        return;
    for (size_t i = 0; i < local->place_count; i++) {
        const dj_local_place *place = &locals->places[local->first_place + i];
        int64_t ignored;
        narrow_code(frame, address, place->lo, place->hi);
        if (!place->in_register && place->by.reg != DJ_REGISTER_CFA) {
            dj_frame_offset(data, address, place->by, &ignored);
            narrow_code(frame, address, data->frame_lo, data->frame_hi);
        }
    }
    for (size_t scope = local->scope;; scope = locals->scopes[scope].parent) {
        const dj_block_scope *at = &locals->scopes[scope];
        for (size_t i = 0; i < at->range_count; i++)
            narrow_code(frame, address, locals->ranges[at->first_range + i][0],
                        locals->ranges[at->first_range + i][1]);
        if (at->depth == 0)
            return;
    }
}

// The code around an address for which it belongs to the same subprogram, or to none.
static void narrow_to_subprogram(const dj_data *data, uint64_t address, dj_frame_variables *frame)
{
    const dj_subprogram *list = data->subprograms;
    size_t lo = 0, hi = data->subprogram_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (list[middle].lo <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (lo > 0)
        narrow_code(frame, address, list[lo - 1].lo, list[lo - 1].hi);
    if (lo < data->subprogram_count)
        narrow_code(frame, address, list[lo].lo, list[lo].hi);
}

static void list_extents(dj_data *data, dj_locals *locals, uint32_t function, uint64_t address,
                         dj_frame_variables *out)
{
    size_t count;
    candidate *list = list_candidates(data, locals, address, &count);
    int64_t offset = INT64_MIN;
    out->count = 0;
    while (list != NULL && offset < INT64_MAX) {
        if (out->count == DJ_FRAME_EXTENTS_MOST) {
            out->count = 0;
            break;
        }
        dj_extent *next = &out->extents[out->count++];
        *next = (dj_extent){.lo = INT64_MIN, .hi = INT64_MAX};
        (void)choose(data, locals, list, count, function, offset, next);
        offset = next->hi;
    }
    if (list != NULL)
        dj_footprint_free(&data->footprint, list, locals->count, sizeof *list);
}

void dj_files_frame(dj_symbols *symbols, uint32_t function, uint64_t pc, dj_frame_variables *out)
{
    dj_data *data;
    uint64_t address = 0;
    dj_locals *locals = find_locals(symbols, function, pc, &data, &address);
    out->count = 1;
    out->extents[0] = (dj_extent){.lo = INT64_MIN, .hi = INT64_MAX};
    out->lo = 0;
    out->hi = UINT64_MAX;
    if (data == NULL || pc > UINT64_MAX - data->module->base)
        return;
    narrow_to_subprogram(data, address, out);
    for (size_t i = 0; locals != NULL && i < locals->count; i++)
        narrow_by_local(data, locals, &locals->list[i], address, out);
    if (locals != NULL)
        list_extents(data, locals, function, address, out);
    // As offsets, like pc.
    uint64_t base = data->module->base;
    out->lo = out->lo < base ? 0 : out->lo - base;
    out->hi -= base;
}
