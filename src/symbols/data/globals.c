// SPDX-License-Identifier: MIT
// Variables with static storage, sorted by address. Where several overlap (EQUIVALENCE, COMMON blocks with
// different declarations, aliases), the one that starts first, then the larger one, gets the memory.
#include <stdlib.h>

#include "symbols/data/data.h"

static int by_address(const void *left, const void *right)
{
    const dj_global *a = left, *b = right;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    if (a->hi != b->hi)
        return a->hi > b->hi ? -1 : 1;
    return (a->die.addr > b->die.addr) - (a->die.addr < b->die.addr);
}

static int subprograms_by_address(const void *left, const void *right)
{
    const dj_subprogram *a = left, *b = right;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    return (a->die.addr > b->die.addr) - (a->die.addr < b->die.addr);
}

// `extern int a[]` and structures that end with a[] have the size of their symbol.
static bool is_open_ended(dj_types *types, dj_type *type)
{
    for (unsigned depth = 0; depth < DJ_TYPE_DEPTH_MOST; depth++) {
        if (type->bytes == 0)
            return true;
        if (type->kind != DJ_TYPE_RECORD)
            return type->kind == DJ_TYPE_DESCRIPTOR;
        dj_type_expand(types, type);
        if (type->member_count == 0)
            return false;
        type = type->members[type->member_count - 1].type;
    }
    return false;
}

static void take_sizes(dj_data *data)
{
    for (size_t i = 0; i < data->global_count; i++) {
        dj_global *global = &data->globals[i];
        const dj_object_symbol *object = dj_data_object_at(data, global->lo);
        if (object != NULL && object->bytes != global->hi - global->lo &&
            is_open_ended(&data->types, dj_type_of_typed(&data->types, &global->die)))
            global->hi = global->lo + object->bytes;
    }
}

static void separate_overlaps(dj_data *data)
{
    size_t kept = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < data->global_count; i++) {
        dj_global global = data->globals[i];
        if (global.lo < end) {
            uint64_t hidden = (end < global.hi ? end : global.hi) - global.lo;
            global.skip = hidden;
            global.lo += hidden;
        }
        if (global.lo >= global.hi)
            continue;
        end = global.hi;
        data->globals[kept++] = global;
    }
    data->global_count = kept;
}

// Only where DWARF has nothing: a symbol may be a COMMON block or include padding.
static void add_objects(dj_data *data)
{
    size_t known = data->global_count, at = 0;
    for (size_t i = 0; i < data->object_count; i++) {
        const dj_object_symbol *object = &data->objects[i];
        while (at < known && data->globals[at].hi <= object->lo)
            at++;
        if (at < known && data->globals[at].lo < object->lo + object->bytes)
            continue;
        if (!dj_data_reserve(data, &data->globals, data->global_count, &data->global_capacity,
                             sizeof *data->globals))
            return;
        data->globals[data->global_count++] =
            (dj_global){.lo = object->lo, .hi = object->lo + object->bytes, .symbol = object->name};
    }
}

// What no segment loads has no offset.
static void drop_unloaded(dj_data *data)
{
    const dj_module *module = data->module;
    size_t kept = 0;
    for (size_t i = 0; i < data->global_count; i++) {
        const dj_global *global = &data->globals[i];
        if (global->lo >= module->base && global->hi <= module->end && global->hi - module->base <= INT64_MAX)
            data->globals[kept++] = *global;
    }
    data->global_count = kept;
}

void dj_data_order_globals(dj_data *data)
{
    take_sizes(data);
    for (int pass = 0; pass < 2; pass++) {
        if (data->global_count > 0)
            qsort(data->globals, data->global_count, sizeof *data->globals, by_address);
        separate_overlaps(data);
        if (pass == 0)
            add_objects(data);
    }
    drop_unloaded(data);
    if (data->subprogram_count > 0)
        qsort(data->subprograms, data->subprogram_count, sizeof *data->subprograms, subprograms_by_address);
}

dj_global *dj_data_global_at(const dj_data *data, uint64_t address, size_t *before)
{
    size_t lo = 0, hi = data->global_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (data->globals[middle].hi <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    *before = lo;
    return lo < data->global_count && data->globals[lo].lo <= address ? &data->globals[lo] : NULL;
}

const dj_subprogram *dj_data_subprogram_at(const dj_data *data, uint64_t address)
{
    size_t lo = 0, hi = data->subprogram_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (data->subprograms[middle].lo <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo > 0 && address < data->subprograms[lo - 1].hi ? &data->subprograms[lo - 1] : NULL;
}
