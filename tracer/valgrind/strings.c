// SPDX-License-Identifier: MIT
// rep movs and rep stos. Valgrind runs them step by step, one block each, which for bytes is a hundred times
// slower than the processor. A helper at the start of the block executes all steps but the last at once if it
// is certain that none can fault; records report what it did, line by line.
#include "emit.h"
#include "tool.h"

enum { WORTHWHILE = 8, LINE = 64, MOVS = 0xa4, STOS = 0xaa };

typedef struct string_instruction {
    UInt step; // bytes; 0: not such an instruction
    Bool moves;
} string_instruction;

static string_instruction recognize(const UChar *code, UInt length)
{
    string_instruction none = {0, False};
    Bool repeats = False, small = False, large = False;
    UInt i = 0;
    for (; i + 1 < length && (code[i] == 0xf3 || code[i] == 0x66); i++) {
        repeats = repeats || code[i] == 0xf3;
        small = small || code[i] == 0x66;
    }
    if (i + 1 < length && (code[i] & 0xf0) == 0x40)
        large = (code[i++] & 8) != 0;
    if (!repeats || i + 1 != length || ((code[i] & 0xfe) != MOVS && (code[i] & 0xfe) != STOS))
        return none;
    UInt wide = large ? 8 : small ? 2 : 4;
    return (string_instruction){code[i] & 1 ? wide : 1, (code[i] & 0xfe) == MOVS};
}

static Bool is_ours(Addr start, uint64_t bytes, UInt permission)
{
    return start + bytes > start && VG_(am_is_valid_for_client)(start, bytes, permission);
}

// Upwards, as the processor does: a target just above its source repeats it.
static void do_steps(const VexGuestAMD64State *guest, uint64_t bytes, UInt step, Bool moves)
{
    UChar *to = (UChar *)guest->guest_RDI;
    const UChar *from = moves ? (const UChar *)guest->guest_RSI : (const UChar *)&guest->guest_RAX;
    if (moves && to - from >= (Long)bytes) {
        VG_(memcpy)(to, from, bytes);
    } else if (moves && to <= from) {
        VG_(memmove)(to, from, bytes);
    } else if (!moves && step == 1) {
        VG_(memset)(to, *from, bytes);
    } else {
        for (uint64_t i = 0; i < bytes; i++)
            to[i] = moves ? from[i] : from[i % step];
    }
}

static void record(uint32_t segment, Addr from, Addr to, uint64_t bytes, Bool moves)
{
    while (bytes) {
        uint64_t piece = LINE - to % LINE;
        piece = piece < bytes ? piece : bytes;
        uint64_t words[3] = {from, to, piece};
        dj_ring_put(DJ_RECORD_STRING, segment, moves ? words : words + 1, moves ? 3 : 2);
        from += piece;
        to += piece;
        bytes -= piece;
    }
}

// Called by translated code before a block that begins with such an instruction. segment 0: nothing is
// recorded.
static void do_most(VexGuestAMD64State *guest, ULong segment, ULong step, ULong moves)
{
    uint64_t steps = guest->guest_RCX - 1;
    uint64_t bytes = steps * step;
    if (guest->guest_DFLAG != 1 || steps >> 40 || !is_ours(guest->guest_RDI, bytes, VKI_PROT_WRITE) ||
        (moves && !is_ours(guest->guest_RSI, bytes, VKI_PROT_READ)))
        return;
    do_steps(guest, bytes, (UInt)step, moves != 0);
    if (segment)
        record((uint32_t)segment, guest->guest_RSI, guest->guest_RDI, bytes, moves != 0);
    guest->guest_RCX = 1;
    guest->guest_RDI += bytes;
    if (moves)
        guest->guest_RSI += bytes;
}

static void add_effect(IRDirty *call, IREffect effect, Int offset)
{
    Int i = call->nFxState++;
    VG_(memset)(&call->fxState[i], 0, sizeof call->fxState[i]);
    call->fxState[i].fx = effect;
    call->fxState[i].offset = (UShort)offset;
    call->fxState[i].size = 8;
}

static uint32_t describe(Addr pc, UInt length, string_instruction s)
{
    static dj_descriptor segment;
    dj_descriptor_begin(&segment, pc);
    if (s.moves)
        dj_descriptor_add(&segment, pc, s.step, DJ_TRACED_READ, DJ_ACCESS_STRING);
    dj_descriptor_add(&segment, pc, s.step, DJ_TRACED_WRITE, DJ_ACCESS_STRING);
    dj_descriptor_span(&segment, pc, pc + length);
    dj_descriptor_define(&segment, DJ_ENDING_NONE, pc);
    return segment.id;
}

Bool dj_strings_begin(Addr pc, UInt length)
{
    return recognize((const UChar *)pc, length).step != 0;
}

void dj_strings_instrument(IRSB *out, Addr pc, UInt length)
{
    string_instruction s = recognize((const UChar *)pc, length);
    if (!s.step)
        return;
    uint32_t segment = dj_bursts_tracing() ? describe(pc, length, s) : 0;
    IRExpr **arguments = mkIRExprVec_4(IRExpr_GSPTR(), IRExpr_Const(IRConst_U64(segment)),
                                       IRExpr_Const(IRConst_U64(s.step)), IRExpr_Const(IRConst_U64(s.moves)));
    IRDirty *call = unsafeIRDirty_0_N(0, "do_most", VG_(fnptr_to_fnentry)(&do_most), arguments);
    IRTemp steps = newIRTemp(out->tyenv, Ity_I64), many = newIRTemp(out->tyenv, Ity_I1);
    addStmtToIRSB(out, IRStmt_WrTmp(steps, IRExpr_Get(DJ_GUEST(RCX), Ity_I64)));
    addStmtToIRSB(out, IRStmt_WrTmp(many, IRExpr_Binop(Iop_CmpLT64U, IRExpr_Const(IRConst_U64(WORTHWHILE)),
                                                       IRExpr_RdTmp(steps))));
    call->guard = IRExpr_RdTmp(many);
    add_effect(call, Ifx_Modify, DJ_GUEST(RCX));
    add_effect(call, Ifx_Modify, DJ_GUEST(RSI));
    add_effect(call, Ifx_Modify, DJ_GUEST(RDI));
    add_effect(call, Ifx_Read, DJ_GUEST(RAX));
    add_effect(call, Ifx_Read, DJ_GUEST(DFLAG));
    addStmtToIRSB(out, IRStmt_Dirty(call));
}
