// SPDX-License-Identifier: MIT
// The effect of single instructions on the address of a heap block and on addresses with names. Registers
// written by other instructions become unknown.
#include "symbols/pointer/pointer.h"

// The DWARF number of a register or of a part of it; −1 for others.
static int register_number(unsigned reg)
{
    static const unsigned names[][4] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
        {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
        {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
        {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
        {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
        {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
        {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
        {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
        {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
        {X86_REG_RIP, X86_REG_EIP, X86_REG_IP, X86_REG_RIP},
    };
    if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15)
        return DJ_REGISTER_XMM0 + (int)(reg - X86_REG_XMM0);
    if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM15)
        return DJ_REGISTER_XMM0 + (int)(reg - X86_REG_YMM0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < 4; k++)
            if (names[i][k] == reg)
                return (int)i;
    return -1;
}

// The position in the frame that an operand names; false if it does not.
static bool frame_place(dj_follow *follow, const x86_op_mem *memory, int64_t *cfa_offset)
{
    int base = register_number(memory->base);
    return base >= 0 && base != DJ_REGISTER_RIP && memory->index == X86_REG_INVALID &&
           follow->now.values[base].kind == DJ_VALUE_NONE &&
           dj_frame_offset(follow->data, follow->pc, (dj_place_by_register){base, memory->disp}, cfa_offset);
}

// The address of an operand.
static dj_value address_of(dj_follow *follow, const x86_op_mem *memory)
{
    int base = register_number(memory->base), index = register_number(memory->index);
    int64_t cfa_offset;
    dj_value value;
    if (base == DJ_REGISTER_RIP)
        return dj_value_static(follow, follow->next + (uint64_t)memory->disp);
    if (frame_place(follow, memory, &cfa_offset))
        return dj_value_local(follow, cfa_offset);
    if (base < 0 && memory->disp > 0) {
        value = dj_value_static(follow, (uint64_t)memory->disp);
        value.any |= index >= 0;
        return value;
    }
    value = dj_value_register(follow, base);
    if (index >= 0) {
        dj_value other = {0};
        if (memory->scale == 1)
            other = dj_value_register(follow, index);
        value = dj_value_indexed(&value, &other);
    }
    value.offset += memory->disp;
    return value;
}

static void set(dj_follow *follow, int reg, const dj_value *value)
{
    if (reg >= 0 && reg < DJ_REGISTER_COUNT)
        follow->now.values[reg] = *value;
}

static void store(dj_follow *follow, const x86_op_mem *memory, const dj_value *value)
{
    int64_t cfa_offset;
    dj_value place = dj_value_named(follow, address_of(follow, memory), value->kind == DJ_VALUE_BLOCK);
    if (value->kind == DJ_VALUE_BLOCK && place.kind == DJ_VALUE_ADDRESS)
        dj_follow_store(follow, &place, value);
    if (!frame_place(follow, memory, &cfa_offset))
        return;
    size_t at = 0;
    while (at < follow->now.spill_count && follow->now.spills[at].cfa_offset != cfa_offset)
        at++;
    if (at < follow->now.spill_count)
        follow->now.spills[at] = follow->now.spills[--follow->now.spill_count];
    if ((place.kind == DJ_VALUE_NONE || value->kind == DJ_VALUE_BLOCK) && value->kind != DJ_VALUE_NONE &&
        follow->now.spill_count < DJ_SPILLS_MOST)
        follow->now.spills[follow->now.spill_count++] = (dj_spill){cfa_offset, *value};
}

static dj_value load(dj_follow *follow, const x86_op_mem *memory)
{
    int64_t cfa_offset;
    if (frame_place(follow, memory, &cfa_offset))
        for (size_t i = 0; i < follow->now.spill_count; i++)
            if (follow->now.spills[i].cfa_offset == cfa_offset)
                return follow->now.spills[i].value;
    dj_value from = dj_value_named(follow, address_of(follow, memory), false);
    return dj_value_load(follow->data, &from, 0);
}

// A move of eight bytes, or of the lower half of a vector register.
static void move(dj_follow *follow, const cs_x86_op *to, const cs_x86_op *from)
{
    dj_value value = {0};
    if (from->type == X86_OP_REG && (from->size >= 8))
        value = dj_value_register(follow, register_number(from->reg));
    else if (from->type == X86_OP_MEM && from->size == 8)
        value = load(follow, &from->mem);
    if (to->type == X86_OP_REG)
        set(follow, register_number(to->reg), &value);
    else if (to->type == X86_OP_MEM)
        store(follow, &to->mem, &value);
}

static void add(dj_follow *follow, const cs_x86_op *to, const cs_x86_op *from, int64_t sign)
{
    dj_value value, other = {0};
    if (to->type != X86_OP_REG)
        return;
    value = dj_value_register(follow, register_number(to->reg));
    if (from->type == X86_OP_IMM) {
        value.offset += sign * from->imm;
    } else {
        if (from->type == X86_OP_REG)
            other = dj_value_register(follow, register_number(from->reg));
        value = sign > 0 || other.kind == DJ_VALUE_NONE ? dj_value_indexed(&value, &other) : (dj_value){0};
    }
    set(follow, register_number(to->reg), &value);
}

static void forget_written(dj_follow *follow, csh handle, const cs_insn *insn)
{
    cs_regs reads, writes;
    uint8_t read_count = 0, write_count = 0;
    if (cs_regs_access(handle, insn, reads, &read_count, writes, &write_count) != 0)
        return;
    for (uint8_t i = 0; i < write_count; i++)
        set(follow, register_number(writes[i]), &(dj_value){0});
}

static void forget_scratch(dj_follow *follow)
{
    static const int kept[] = {3, 6, 7, 12, 13, 14, 15}; // rbx, rbp, rsp, r12 to r15
    bool keep[DJ_REGISTER_COUNT] = {false};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        keep[kept[i]] = true;
    for (int i = 0; i < DJ_REGISTER_COUNT; i++)
        if (!keep[i])
            follow->now.values[i] = (dj_value){0};
}

bool dj_follow_step(dj_follow *follow, csh handle, const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
    dj_value address;
    switch (insn->id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVQ:
    case X86_INS_MOVAPS:
    case X86_INS_MOVUPS:
    case X86_INS_MOVDQA:
    case X86_INS_MOVDQU:
        move(follow, to, from);
        break;
    case X86_INS_PUNPCKLQDQ:
    case X86_INS_MOVHPS:
    case X86_INS_TEST:
    case X86_INS_CMP:
        break; // the lower half stays
    case X86_INS_LEA:
        address = address_of(follow, &from->mem);
        set(follow, register_number(to->reg), &address);
        break;
    case X86_INS_ADD:
        add(follow, to, from, 1);
        break;
    case X86_INS_SUB:
        add(follow, to, from, -1);
        break;
    case X86_INS_CALL:
        forget_scratch(follow);
        follow->now.values[DJ_REGISTER_RAX] = (dj_value){.kind = DJ_VALUE_RESULT, .call = follow->next};
        break;
    case X86_INS_RET:
        // The function is an allocation wrapper, and its caller holds the block.
        if (follow->now.values[DJ_REGISTER_RAX].kind == DJ_VALUE_BLOCK &&
            follow->best.merit <= DJ_MERIT_UNTYPED)
            follow->best = (dj_holder){.returned = true};
        return false;
    default:
        forget_written(follow, handle, insn);
        break;
    }
    return true;
}
