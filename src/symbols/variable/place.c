// SPDX-License-Identifier: MIT
// Places of variables: location expressions and lists of DWARF, as far as they name a fixed address, a
// position in the frame, or a register.
#include <stdlib.h>

#include "symbols/data/data.h"
#include "symbols/dwarf_value.h"

enum { RBP = 6, PLACES_MOST = 4096, RBP_BELOW_CFA = 16 };

bool dj_variable_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute memory;
    Dwarf_Block block;
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_attr(die, DW_AT_location, &memory) == NULL || dwarf_formblock(&memory, &block) != 0 ||
        block.length == 0 ||
        (block.data[0] != DW_OP_addr && block.data[0] != DW_OP_addrx &&
         block.data[0] != DW_OP_GNU_addr_index))
        return false;
    if (dwarf_getlocation(&memory, &operations, &count) != 0 || count == 0 || count > 2)
        return false;
    *address = operations[0].number;
    if (operations[0].atom != DW_OP_addr) {
        Dwarf_Attribute result;
        if (dwarf_getlocation_attr(&memory, &operations[0], &result) != 0 ||
            dwarf_formaddr(&result, address) != 0)
            return false;
    }
    if (*address == 0)
        return false;
    return count == 1 || (operations[1].atom == DW_OP_plus_uconst &&
                          !__builtin_add_overflow(*address, operations[1].number, address));
}

// The canonical frame address as a register and an offset, by the unwind tables.
static dj_place_by_register frame_address(dj_data *data, uint64_t pc)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *operations;
    size_t count;
    dj_place_by_register rule = {DJ_REGISTER_NONE, 0};
    data->frame_lo = pc;
    data->frame_hi = pc + 1;
    if (data->cfi == NULL || dwarf_cfi_addrframe(data->cfi, pc, &frame) != 0)
        return (dj_place_by_register){RBP, RBP_BELOW_CFA}; // as in functions with a frame pointer
    if (dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1) {
        unsigned atom = operations[0].atom;
        if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
            rule = (dj_place_by_register){(int)(atom - DW_OP_breg0), (int64_t)operations[0].number};
        else if (atom == DW_OP_bregx && operations[0].number <= INT16_MAX)
            rule = (dj_place_by_register){(int)operations[0].number, (int64_t)operations[0].number2};
    }
    Dwarf_Addr lo, hi;
    bool signal_frame;
    // Where a state was restored, libdw's `lo` is that of the state, which lies further back.
    if (dwarf_frame_info(frame, &lo, &hi, &signal_frame) >= 0 && pc < hi)
        data->frame_hi = hi;
    free(frame);
    return rule;
}

bool dj_frame_offset(dj_data *data, uint64_t pc, dj_place_by_register by, int64_t *offset)
{
    *offset = by.offset;
    if (by.reg == DJ_REGISTER_CFA)
        return true;
    if (!data->frame_known || data->frame_pc != pc) {
        data->frame = frame_address(data, pc);
        data->frame_pc = pc;
        data->frame_known = true;
    }
    return by.reg == data->frame.reg && !__builtin_sub_overflow(by.offset, data->frame.offset, offset);
}

// The frame base of a function, which DW_OP_fbreg is relative to.
static bool frame_base(Dwarf_Die *function, dj_place_by_register *base)
{
    Dwarf_Attribute memory;
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_attr_integrate(function, DW_AT_frame_base, &memory) == NULL ||
        dwarf_getlocation(&memory, &operations, &count) != 0 || count != 1)
        return false;
    unsigned atom = operations[0].atom;
    if (atom == DW_OP_call_frame_cfa)
        *base = (dj_place_by_register){DJ_REGISTER_CFA, 0};
    else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
        *base = (dj_place_by_register){(int)(atom - DW_OP_reg0), 0};
    else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        *base = (dj_place_by_register){(int)(atom - DW_OP_breg0), (int64_t)operations[0].number};
    else
        return false;
    return true;
}

static bool read_place(Dwarf_Die *function, const Dwarf_Op *operations, size_t count, dj_local_place *place)
{
    unsigned atom = count > 0 ? operations[0].atom : 0;
    int64_t more = 0;
    if (count == 2 && operations[1].atom == DW_OP_plus_uconst)
        more = (int64_t)operations[1].number;
    else if (count != 1)
        return false;
    if (atom == DW_OP_fbreg) {
        if (!frame_base(function, &place->by) ||
            __builtin_add_overflow(place->by.offset, (int64_t)operations[0].number, &place->by.offset))
            return false;
    } else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
        place->by = (dj_place_by_register){(int)(atom - DW_OP_breg0), (int64_t)operations[0].number};
    } else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31 && count == 1) {
        place->by = (dj_place_by_register){(int)(atom - DW_OP_reg0), 0};
        place->in_register = true;
    } else {
        return false;
    }
    return !__builtin_add_overflow(place->by.offset, more, &place->by.offset);
}

void dj_locals_read_places(dj_data *data, dj_locals *locals, dj_local *local, Dwarf_Die *function)
{
    Dwarf_Attribute memory;
    Dwarf_Addr base, lo, hi;
    Dwarf_Op *operations;
    size_t count;
    local->first_place = locals->place_count;
    if (dwarf_attr(&local->die, DW_AT_location, &memory) == NULL)
        return;
    for (ptrdiff_t next = 0; local->place_count < PLACES_MOST;) {
        next = dwarf_getlocations(&memory, next, &base, &lo, &hi, &operations, &count);
        if (next <= 0)
            break;
        dj_local_place place = {.lo = lo, .hi = hi};
        if (lo >= hi || !read_place(function, operations, count, &place))
            continue;
        if (!dj_data_reserve(data, &locals->places, locals->place_count, &locals->place_capacity,
                             sizeof *locals->places))
            return;
        locals->places[locals->place_count++] = place;
        local->place_count++;
    }
}
