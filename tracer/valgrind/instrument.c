// SPDX-License-Identifier: MIT
// Inserts the stores that write the stream into translated code. A block loads the cursor once; each of its
// segments writes its record at a constant offset from there, and stores the new cursor when it is complete.
#include "tool.h"

#include "emit.h"
#include "origins.h"

typedef struct block {
    dj_emitter emit;
    dj_descriptor *segment;
    Addr start;
    Bool open;   // the segment is in the stream: it has an access, or a jump that loops may depend on
    Bool any;    // so was one before it
    Bool begins; // the next instruction is the first one of the segment
    Addr first_pc;
    Addr pc, after; // this instruction, and the address after it
    UInt flags;     // enum dj_access_flag of this instruction
    IRExpr *last;   // address of the last access, if a write may be merged with it
    UInt last_size; // and its size
    Addr last_pc;
    IRExpr *rsp, *rax; // the last values that the block stored there, or NULL
} block;

// Static, since Valgrind's stacks are small and translation is never re-entered.
static dj_descriptor the_segment;
static dj_origins origins;

static void begin_segment(block *b)
{
    if (b->open)
        return;
    b->open = b->any = True;
    dj_descriptor_begin(b->segment, b->first_pc);
    dj_origins_begin(&origins);
    dj_emit_begin(&b->emit);
}

static void close_segment(block *b)
{
    b->open = False;
    b->last = NULL;
    b->first_pc = b->pc;
    b->begins = True;
}

static void end_segment(block *b, enum dj_segment_ending ending, uint64_t target)
{
    if (b->open) {
        dj_descriptor_span(b->segment, b->pc, b->after);
        dj_descriptor_define(b->segment, ending, target);
        dj_emit_end(&b->emit, b->segment->id);
    }
    close_segment(b);
}

// Ends it with a jump whose direction the analyzer must know: there are two descriptors.
static void end_with_branch(block *b, IRExpr *guard, uint64_t taken, uint64_t other)
{
    dj_descriptor_span(b->segment, b->pc, b->after);
    dj_descriptor_define(b->segment, DJ_ENDING_NONE, other);
    uint32_t stays = b->segment->id;
    dj_descriptor_define(b->segment, DJ_ENDING_NONE, taken);
    dj_emit_end_choice(&b->emit, guard, b->segment->id, stays);
    close_segment(b);
}

static void add_access(block *b, UInt kind, IRExpr *address, UInt size, IRExpr *guard)
{
    if (b->open && b->segment->count == DJ_SEGMENT_MOST)
        end_segment(b, DJ_ENDING_NONE, b->pc);
    begin_segment(b);
    UInt word = dj_emit_words(&b->emit);
    Int delta = 0;
    if (!guard && dj_origins_find(&origins, address, &word, &delta)) {
        dj_descriptor_add(b->segment, b->pc, size, kind, b->flags | DJ_ACCESS_RELATIVE);
        dj_descriptor_refer(b->segment, word, delta);
    } else {
        dj_descriptor_add(b->segment, b->pc, size, kind, b->flags);
        dj_emit_word(&b->emit, guard ? dj_emit_choice(&b->emit, guard, address) : address);
        if (!guard)
            dj_origins_add(&origins, address, word);
    }
    b->last = kind == DJ_TRACED_READ && !guard ? address : NULL;
    b->last_size = size;
    b->last_pc = b->pc;
}

static void add_read(block *b, IRExpr *address, UInt size)
{
    add_access(b, DJ_TRACED_READ, address, size, NULL);
}

// A write directly after a read of the same address by the same instruction is one modification; cachegrind
// also counts it once.
static void add_write(block *b, IRExpr *address, UInt size)
{
    if (b->last && b->last_size == size && b->last_pc == b->pc && eqIRAtom(b->last, address)) {
        dj_descriptor_modify(b->segment);
        b->last = NULL;
        return;
    }
    add_access(b, DJ_TRACED_WRITE, address, size, NULL);
}

// One step of rep movs or similar: prefixes, then the opcode of a string instruction.
static UInt string_flag(Addr pc, UInt length)
{
    const UChar *code = (const UChar *)pc;
    Bool repeats = False;
    for (UInt i = 0; i < length; i++) {
        UChar byte = code[i];
        if (byte == 0xf2 || byte == 0xf3)
            repeats = True;
        else if (byte != 0x66 && byte != 0x67 && (byte & 0xf0) != 0x40 && byte != 0x64 && byte != 0x65)
            return repeats && ((byte >= 0xa4 && byte <= 0xa7) || (byte >= 0xaa && byte <= 0xaf))
                       ? DJ_ACCESS_STRING
                       : 0;
    }
    return 0;
}

static UInt type_size(block *b, const IRExpr *expression)
{
    return (UInt)sizeofIRType(typeOfIRExpr(b->emit.out->tyenv, expression));
}

static void visit_put(block *b, const IRStmt *s)
{
    Bool whole = typeOfIRExpr(b->emit.out->tyenv, s->Ist.Put.data) == Ity_I64;
    Int from = s->Ist.Put.offset, to = from + (Int)type_size(b, s->Ist.Put.data);
    struct {
        Int offset;
        IRExpr **kept;
    } registers[] = {{DJ_GUEST(RSP), &b->rsp}, {DJ_GUEST(RAX), &b->rax}};
    for (UInt i = 0; i < 2; i++) {
        Int offset = registers[i].offset;
        if (from < offset + 8 && offset < to)
            *registers[i].kept = whole && from == offset ? s->Ist.Put.data : NULL;
    }
}

static void visit_dirty(block *b, const IRDirty *d)
{
    if (d->nFxState) {
        b->rsp = NULL;
        b->rax = NULL;
    }
    if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
        add_read(b, d->mAddr, (UInt)d->mSize);
    if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
        add_write(b, d->mAddr, (UInt)d->mSize);
}

static void visit_cas(block *b, const IRCAS *cas)
{
    UInt size = type_size(b, cas->dataLo) * (cas->dataHi ? 2 : 1);
    add_read(b, cas->addr, size);
    add_write(b, cas->addr, size);
}

static void visit_llsc(block *b, const IRStmt *s)
{
    if (s->Ist.LLSC.storedata)
        add_write(b, s->Ist.LLSC.addr, type_size(b, s->Ist.LLSC.storedata));
    else
        add_read(b, s->Ist.LLSC.addr,
                 (UInt)sizeofIRType(typeOfIRTemp(b->emit.out->tyenv, s->Ist.LLSC.result)));
}

static void visit_guarded_load(block *b, const IRLoadG *load)
{
    IRType wide, type;
    typeOfIRLoadGOp(load->cvt, &wide, &type);
    add_access(b, DJ_TRACED_READ, load->addr, (UInt)sizeofIRType(type), load->guard);
}

static void visit_mark(block *b, const IRStmt *s)
{
    b->pc = s->Ist.IMark.addr + s->Ist.IMark.delta;
    b->after = b->pc + s->Ist.IMark.len;
    b->flags = string_flag(s->Ist.IMark.addr, s->Ist.IMark.len);
    if (b->begins)
        b->first_pc = b->pc;
    b->begins = False;
}

static uint64_t constant_of(const IRConst *c)
{
    return c->tag == Ico_U64 ? c->Ico.U64 : DJ_NEXT_ANYWHERE;
}

static uint64_t next_of(const IRSB *in)
{
    return in->next->tag == Iex_Const ? constant_of(in->next->Iex.Const.con) : DJ_NEXT_ANYWHERE;
}

// Where control goes if the exit at statement `at` is not taken.
static uint64_t other_of(const IRSB *in, Int at)
{
    for (Int i = at + 1; i < in->stmts_used; i++)
        if (in->stmts[i]->tag == Ist_IMark)
            return in->stmts[i]->Ist.IMark.addr + in->stmts[i]->Ist.IMark.delta;
    return next_of(in);
}

// Each iteration of a loop contains a jump that goes back. A jump far away may be the last call of a
// function.
enum { FAR = 4096 };

static Bool matters(uint64_t to, Addr from)
{
    return to <= from || to - from > FAR;
}

static void visit_exit(block *b, const IRSB *in, Int at)
{
    const IRStmt *s = in->stmts[at];
    // A fault ends the block for good, so it is not worth the stores.
    if (s->Ist.Exit.jk == Ijk_SigSEGV || s->Ist.Exit.jk == Ijk_SigBUS)
        return;
    uint64_t taken = constant_of(s->Ist.Exit.dst), other = other_of(in, at);
    // A block that repeats itself without accesses does not matter.
    Bool idle = !b->any && (taken == b->start || other == b->start);
    if ((matters(taken, b->pc) || matters(other, b->pc)) && !idle) {
        begin_segment(b);
        end_with_branch(b, s->Ist.Exit.guard, taken, other);
    } else {
        end_segment(b, DJ_ENDING_NONE, 0);
    }
}

static void visit(block *b, const IRSB *in, Int at)
{
    const IRStmt *s = in->stmts[at];
    switch (s->tag) {
    case Ist_IMark:
        visit_mark(b, s);
        break;
    case Ist_Put:
        visit_put(b, s);
        break;
    case Ist_WrTmp:
        dj_origins_assign(&origins, s->Ist.WrTmp.tmp, s->Ist.WrTmp.data);
        if (s->Ist.WrTmp.data->tag == Iex_Load)
            add_read(b, s->Ist.WrTmp.data->Iex.Load.addr, (UInt)sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty));
        break;
    case Ist_Store:
        add_write(b, s->Ist.Store.addr, type_size(b, s->Ist.Store.data));
        break;
    case Ist_LoadG:
        visit_guarded_load(b, s->Ist.LoadG.details);
        break;
    case Ist_StoreG:
        add_access(b, DJ_TRACED_WRITE, s->Ist.StoreG.details->addr, type_size(b, s->Ist.StoreG.details->data),
                   s->Ist.StoreG.details->guard);
        break;
    case Ist_CAS:
        visit_cas(b, s->Ist.CAS.details);
        break;
    case Ist_LLSC:
        visit_llsc(b, s);
        break;
    case Ist_Dirty:
        visit_dirty(b, s->Ist.Dirty.details);
        break;
    case Ist_Exit:
        visit_exit(b, in, at);
        break;
    default:
        break;
    }
}

static void add_ending(block *b, const IRSB *in)
{
    if (in->jumpkind == Ijk_Ret) {
        begin_segment(b);
        dj_emit_register(&b->emit, b->rsp, DJ_GUEST(RSP));
        dj_emit_register(&b->emit, b->rax, DJ_GUEST(RAX));
        end_segment(b, DJ_ENDING_RETURN, 0);
    } else if (in->jumpkind == Ijk_Call) {
        Bool known = in->next->tag == Iex_Const;
        begin_segment(b);
        dj_emit_register(&b->emit, b->rsp, DJ_GUEST(RSP));
        if (!known)
            dj_emit_word(&b->emit, in->next);
        end_segment(b, known ? DJ_ENDING_CALL : DJ_ENDING_CALL_INDIRECT,
                    known ? in->next->Iex.Const.con->Ico.U64 : 0);
    } else {
        uint64_t next = next_of(in);
        Bool after_exit = b->any && b->begins; // which says where control goes
        if (matters(next, b->pc) && !after_exit && (b->any || next != b->start))
            begin_segment(b);
        end_segment(b, DJ_ENDING_NONE, next);
    }
}

// Whether loops may depend on its jumps, even if it has no accesses.
static Bool jumps(const IRSB *in, Addr start)
{
    Addr pc = start;
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *s = in->stmts[i];
        if (s->tag == Ist_IMark)
            pc = s->Ist.IMark.addr + s->Ist.IMark.delta;
        if (s->tag != Ist_Exit || s->Ist.Exit.jk == Ijk_SigSEGV || s->Ist.Exit.jk == Ijk_SigBUS)
            continue;
        uint64_t taken = constant_of(s->Ist.Exit.dst), other = other_of(in, i);
        if ((matters(taken, pc) || matters(other, pc)) && taken != start && other != start)
            return True;
    }
    return matters(next_of(in), pc) && next_of(in) != start;
}

static Bool needs_records(const IRSB *in, Addr start)
{
    if (in->jumpkind == Ijk_Call || in->jumpkind == Ijk_Ret || jumps(in, start))
        return True;
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *s = in->stmts[i];
        if (s->tag == Ist_Store || s->tag == Ist_LoadG || s->tag == Ist_StoreG || s->tag == Ist_CAS ||
            s->tag == Ist_LLSC || (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load) ||
            (s->tag == Ist_Dirty && s->Ist.Dirty.details->mFx != Ifx_None))
            return True;
    }
    return False;
}

// Calls whose arguments helpers record, at the start of a block; True: there was one.
static Bool add_helpers(IRSB *out, dj_function function, Bool returned)
{
    Bool allocator = function.record == DJ_RECORD_ALLOCATOR;
    if (returned)
        dj_heap_instrument_return(out);
    if (allocator && dj_bursts_used())
        dj_heap_instrument_entry(out, function.id);
    if (function.record && !allocator)
        dj_marks_instrument(out, function.record);
    return returned || (function.record && (!allocator || dj_bursts_used()));
}

static Int copy_preamble(IRSB *out, const IRSB *in)
{
    Int i = 0;
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(out, in->stmts[i]);
    return i;
}

// Outside of bursts.
static IRSB *follow_only(IRSB *in, dj_function function, Bool returned)
{
    Int first = 0;
    while (first < in->stmts_used && in->stmts[first]->tag != Ist_IMark)
        first++;
    const IRStmt *mark = first < in->stmts_used ? in->stmts[first] : NULL;
    Bool string = mark && dj_strings_begin(mark->Ist.IMark.addr, mark->Ist.IMark.len);
    if (!function.record && !returned && !string)
        return in;
    IRSB *out = deepCopyIRSBExceptStmts(in);
    Int i = copy_preamble(out, in);
    if (string)
        dj_strings_instrument(out, mark->Ist.IMark.addr, mark->Ist.IMark.len);
    add_helpers(out, function, returned);
    for (; i < in->stmts_used; i++)
        addStmtToIRSB(out, in->stmts[i]);
    return out;
}

static IRSB *trace(IRSB *in, Addr pc, dj_function function, Bool returned)
{
    if (!function.record && !returned && !needs_records(in, pc))
        return in;
    block b = {.segment = &the_segment, .start = pc, .begins = True, .first_pc = pc, .pc = pc, .after = pc};
    b.emit.out = deepCopyIRSBExceptStmts(in);
    dj_origins_reset(&origins, (UInt)in->tyenv->types_used);
    Int i = copy_preamble(b.emit.out, in);
    if (i < in->stmts_used)
        dj_strings_instrument(b.emit.out, in->stmts[i]->Ist.IMark.addr, in->stmts[i]->Ist.IMark.len);
    Bool helped = add_helpers(b.emit.out, function, returned);
    dj_emit_open(&b.emit);
    if (function.record == DJ_RECORD_ALLOCATOR && !helped)
        dj_emit_allocator(&b.emit, function.id);
    for (; i < in->stmts_used; i++) {
        visit(&b, in, i);
        addStmtToIRSB(b.emit.out, in->stmts[i]);
    }
    add_ending(&b, in);
    return b.emit.out;
}

IRSB *dj_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word)
{
    (void)layout, (void)host, (void)guest_word, (void)host_word;
    if (!dj_ring_live())
        return in;
    Addr pc = extents->base[0];
    dj_modules_notice(pc);
    dj_function function = {0, 0};
    if (closure->nraddr == closure->readdr)
        function = dj_function_at(pc);
    Bool returned = dj_heap_returns_to(pc);
    dj_bursts_translate();
    if (dj_bursts_used() && in->jumpkind == Ijk_Call)
        dj_stack_note_call(in);
    return dj_bursts_tracing() ? trace(in, pc, function, returned) : follow_only(in, function, returned);
}
