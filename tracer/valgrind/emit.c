// SPDX-License-Identifier: MIT
#include "emit.h"

#include "tool.h"

static IRExpr *constant(uint64_t value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *assign(dj_emitter *e, IRType type, IRExpr *value)
{
    IRTemp t = newIRTemp(e->out->tyenv, type);
    addStmtToIRSB(e->out, IRStmt_WrTmp(t, value));
    return IRExpr_RdTmp(t);
}

static IRExpr *load(dj_emitter *e, const uint64_t *from)
{
    return assign(e, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, constant((uint64_t)from)));
}

static IRExpr *ahead(dj_emitter *e, UInt bytes)
{
    return bytes ? assign(e, Ity_I64, IRExpr_Binop(Iop_Add64, e->cursor, constant(bytes))) : e->cursor;
}

static void store(dj_emitter *e, IRExpr *where, IRExpr *value)
{
    addStmtToIRSB(e->out, IRStmt_Store(Iend_LE, where, value));
}

static void flush_ring(VexGuestAMD64State *guest)
{
    dj_bursts_meet(guest);
    dj_ring_flush();
}

void dj_emit_open(dj_emitter *e)
{
    IRExpr *before = load(e, dj_ring_cursor());
    IRDirty *flush =
        unsafeIRDirty_0_N(0, "flush", VG_(fnptr_to_fnentry)(&flush_ring), mkIRExprVec_1(IRExpr_GSPTR()));
    VG_(memset)(flush->fxState, 0, sizeof flush->fxState[0]); // one effect, since it gets the state
    flush->nFxState = 1;
    flush->fxState[0].fx = Ifx_Read;
    flush->fxState[0].offset = (UShort)DJ_GUEST(RSP);
    flush->fxState[0].size = 8;
    IRExpr *bits = assign(e, Ity_I64, IRExpr_Binop(Iop_And64, before, constant(DJ_RING_SPACE_BITS)));
    IRExpr *has_space = assign(e, Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, bits));
    flush->guard = assign(e, Ity_I1, IRExpr_Unop(Iop_Not1, has_space));
    addStmtToIRSB(e->out, IRStmt_Dirty(flush));
    e->cursor = load(e, dj_ring_cursor());
    e->start = e->end = 0;
}

void dj_emit_begin(dj_emitter *e)
{
    if (e->end > (DJ_RING_SLACK - DJ_SEGMENT_MOST - 8) * sizeof(uint64_t))
        dj_emit_open(e);
    e->start = e->end;
    e->end += sizeof(uint64_t); // the first word is written last
}

UInt dj_emit_words(const dj_emitter *e)
{
    return (e->end - e->start) / (UInt)sizeof(uint64_t) - 1;
}

void dj_emit_word(dj_emitter *e, IRExpr *atom)
{
    store(e, ahead(e, e->end), atom);
    e->end += sizeof(uint64_t);
}

void dj_emit_register(dj_emitter *e, IRExpr *known, Int offset)
{
    dj_emit_word(e, known ? known : assign(e, Ity_I64, IRExpr_Get(offset, Ity_I64)));
}

static void finish_with(dj_emitter *e, IRExpr *record)
{
    store(e, ahead(e, e->start), record);
    store(e, constant((uint64_t)dj_ring_cursor()), ahead(e, e->end));
}

static void finish(dj_emitter *e, UInt type, uint32_t id)
{
    finish_with(e, constant(DJ_RECORD(type, dj_emit_words(e), id)));
}

void dj_emit_end_choice(dj_emitter *e, IRExpr *guard, uint32_t segment, uint32_t otherwise)
{
    UInt words = dj_emit_words(e);
    finish_with(e, assign(e, Ity_I64,
                          IRExpr_ITE(guard, constant(DJ_RECORD(DJ_RECORD_SEGMENT, words, segment)),
                                     constant(DJ_RECORD(DJ_RECORD_SEGMENT, words, otherwise)))));
}

void dj_emit_end(dj_emitter *e, uint32_t segment)
{
    finish(e, DJ_RECORD_SEGMENT, segment);
}

void dj_emit_allocator(dj_emitter *e, UInt allocator)
{
    dj_emit_begin(e);
    dj_emit_register(e, NULL, DJ_GUEST(RDI));
    dj_emit_register(e, NULL, DJ_GUEST(RSI));
    dj_emit_register(e, NULL, DJ_GUEST(RDX));
    dj_emit_register(e, NULL, DJ_GUEST(RSP));
    finish(e, DJ_RECORD_ALLOCATOR, allocator);
}

IRExpr *dj_emit_choice(dj_emitter *e, IRExpr *guard, IRExpr *address)
{
    return assign(e, Ity_I64, IRExpr_ITE(guard, address, constant(DJ_RING_SKIPPED)));
}
