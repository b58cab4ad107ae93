// SPDX-License-Identifier: MIT
// The local variables and parameters of a function and of functions inlined into it, with their scopes.
#include <stdlib.h>

#include "symbols/data/data.h"
#include "symbols/dwarf_value.h"

enum { DEPTH_MOST = 64, LOCALS_MOST = 1 << 18, RANGES_MOST = 1 << 12 };

typedef struct walk {
    dj_data *data;
    dj_locals *locals;
    Dwarf_Die function;
} walk;

static bool add_scope(walk *at, Dwarf_Die *die, size_t parent, unsigned depth)
{
    dj_locals *locals = at->locals;
    Dwarf_Addr base, lo, hi;
    if (!dj_data_reserve(at->data, &locals->scopes, locals->scope_count, &locals->scope_capacity,
                         sizeof *locals->scopes))
        return false;
    dj_block_scope scope = {.parent = parent, .depth = depth, .first_range = locals->range_count};
    scope.inlined =
        depth > 0 && (locals->scopes[parent].inlined || dwarf_tag(die) == DW_TAG_inlined_subroutine);
    // The function itself contains every pc that is looked up.
    for (ptrdiff_t next = 0; depth > 0 && scope.range_count < RANGES_MOST;) {
        next = dwarf_ranges(die, next, &base, &lo, &hi);
        if (next <= 0)
            break;
        if (!dj_data_reserve(at->data, &locals->ranges, locals->range_count, &locals->range_capacity,
                             sizeof *locals->ranges))
            return false;
        locals->ranges[locals->range_count][0] = lo;
        locals->ranges[locals->range_count++][1] = hi;
        scope.range_count++;
    }
    locals->scopes[locals->scope_count++] = scope;
    return true;
}

static bool add_local(walk *at, Dwarf_Die *die, size_t scope)
{
    dj_locals *locals = at->locals;
    dj_local local = {.die = *die, .scope = scope};
    uint64_t address;
    if (dj_variable_address(die, &address))
        return true;
    dj_locals_read_places(at->data, locals, &local, &at->function);
    // A pointer may be needed for its name alone.
    enum dj_type_kind kind = dj_type_of_typed(&at->data->types, die)->kind;
    if (local.place_count == 0 && kind != DJ_TYPE_POINTER && kind != DJ_TYPE_DESCRIPTOR)
        return true;
    if (!dj_data_reserve(at->data, &locals->list, locals->count, &locals->capacity, sizeof *locals->list))
        return false;
    local.bytes = dj_type_of_typed(&at->data->types, die)->bytes;
    if (local.bytes <= INT32_MAX)
        locals->list[locals->count++] = local;
    return true;
}

static bool is_scope(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
           tag == DW_TAG_catch_block;
}

static void read_all(walk *at)
{
    Dwarf_Die stack[DEPTH_MOST];
    size_t scopes[DEPTH_MOST] = {0};
    unsigned depth = 0;
    if (!add_scope(at, &at->function, 0, 0) || dwarf_child(&at->function, &stack[0]) != 0)
        return;
    while (at->locals->count < LOCALS_MOST && at->locals->scope_count < LOCALS_MOST &&
           at->data->entries_left > 0) {
        at->data->entries_left--;
        Dwarf_Die *die = &stack[depth];
        int tag = dwarf_tag(die);
        if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && !add_local(at, die, scopes[depth]))
            return;
        if (is_scope(tag) && depth + 1 < DEPTH_MOST && dwarf_child(die, &stack[depth + 1]) == 0) {
            if (!add_scope(at, die, scopes[depth], depth + 1))
                return;
            scopes[++depth] = at->locals->scope_count - 1;
            continue;
        }
        while (dwarf_siblingof(&stack[depth], &stack[depth]) != 0)
            if (depth-- == 0)
                return;
    }
}

dj_locals *dj_locals_get(dj_data *data, const dj_subprogram *subprogram)
{
    if (subprogram->die.addr == NULL)
        return NULL;
    uint64_t *place = dj_map_at(&data->locals, data->symbols->quiet, (uintptr_t)subprogram->die.addr);
    if (place == NULL)
        return NULL;
    if (*place != 0)
        return (dj_locals *)(uintptr_t)*place;
    dj_locals *locals =
        dj_footprint_array(&data->footprint, data->symbols->quiet, "locals", 1, sizeof *locals);
    *place = (uintptr_t)locals;
    if (locals == NULL)
        return NULL;
    walk at = {data, locals, subprogram->die};
    read_all(&at);
    return locals;
}

void dj_locals_free(dj_data *data, dj_locals *locals)
{
    dj_footprint_free(&data->footprint, locals->scopes, locals->scope_capacity, sizeof *locals->scopes);
    dj_footprint_free(&data->footprint, locals->ranges, locals->range_capacity, sizeof *locals->ranges);
    dj_footprint_free(&data->footprint, locals->places, locals->place_capacity, sizeof *locals->places);
    dj_footprint_free(&data->footprint, locals->list, locals->capacity, sizeof *locals->list);
    dj_footprint_free(&data->footprint, locals, 1, sizeof *locals);
}

bool dj_locals_in_scope(const dj_locals *locals, size_t scope, uint64_t pc)
{
    for (;;) {
        const dj_block_scope *at = &locals->scopes[scope];
        bool inside = at->range_count == 0;
        for (size_t i = 0; i < at->range_count && !inside; i++) {
            const uint64_t *range = locals->ranges[at->first_range + i];
            inside = pc >= range[0] && pc < range[1];
        }
        if (!inside || at->depth == 0)
            return inside;
        scope = at->parent;
    }
}

const dj_local_place *dj_local_place_at(const dj_locals *locals, const dj_local *local, uint64_t pc)
{
    for (size_t i = 0; i < local->place_count; i++) {
        const dj_local_place *place = &locals->places[local->first_place + i];
        if (pc >= place->lo && pc < place->hi)
            return place;
    }
    return NULL;
}
