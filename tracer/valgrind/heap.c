// SPDX-License-Identifier: MIT
// Allocations of a program that is traced in bursts: they must be known all the time, and one may begin
// inside a burst and end outside. Helpers at the entries of allocation functions, and where these return, see
// to that.
#include "emit.h"
#include "tool.h"

// The outermost allocation function that a thread is in.
typedef struct pending {
    UInt allocator; // 0: none
    ULong argument[3];
    Addr sp; // at its entry: of the return address
    Addr pc; // the return address
} pending;

typedef struct return_site {
    struct _VgHashNode *next;
    UWord pc;
} return_site;

static pending *threads; // by Valgrind's number
static VgHashTable *return_sites;

Bool dj_heap_returns_to(Addr pc)
{
    return return_sites && VG_(HT_lookup)(return_sites, pc) != NULL;
}

// Code there may have been translated before the first such call.
static void watch_return(Addr pc)
{
    if (!return_sites)
        return_sites = VG_(HT_construct)("deja.return_sites");
    if (dj_heap_returns_to(pc))
        return;
    return_site *site = VG_(malloc)("deja.return_site", sizeof *site);
    site->pc = pc;
    VG_(HT_add_node)(return_sites, site);
    VG_(discard_translations)(pc, 1, "deja");
}

static pending *of_thread(void)
{
    if (!threads)
        threads = VG_(calloc)("deja.pending", VG_N_THREADS, sizeof *threads);
    return &threads[VG_(get_running_tid)()];
}

// Called by translated code at the entry of an allocation function.
static void enter(ULong allocator, ULong a, ULong b, ULong c, ULong sp)
{
    pending *p = of_thread();
    Addr pc = *(const Addr *)sp;
    // If its return address has been overwritten, the other one was left by an exception or longjmp.
    if (p->allocator && sp < p->sp && *(const Addr *)p->sp == p->pc)
        return;
    *p = (pending){(UInt)allocator, {a, b, c}, sp, pc};
    if (allocator == DJ_ALLOCATOR_FREE && a)
        dj_ring_put(DJ_RECORD_FREE, 0, (const uint64_t *)&a, 1);
    watch_return(pc);
}

static void send_block(const pending *p, Addr block, ULong bytes, Addr replaced)
{
    ThreadId tid = VG_(get_running_tid)();
    uint64_t words[5] = {dj_stack_call_before(p->pc) + 1, p->sp + sizeof(Addr), block, bytes, replaced};
    if (!block && !replaced)
        return;
    if (!dj_bursts_tracing())
        dj_stack_send(tid);
    dj_ring_put(DJ_RECORD_ALLOC, 0, words, 5);
}

static void complete(const pending *p, Addr result)
{
    const ULong *argument = p->argument;
    switch (p->allocator) {
    case DJ_ALLOCATOR_MALLOC:
        send_block(p, result, argument[0], 0);
        break;
    case DJ_ALLOCATOR_CALLOC:
        send_block(p, result, argument[0] * argument[1], 0);
        break;
    case DJ_ALLOCATOR_REALLOC:
        if (result || !argument[1]) // otherwise it failed, and the old block remains
            send_block(p, result, argument[1], argument[0]);
        break;
    case DJ_ALLOCATOR_MEMALIGN:
        send_block(p, result, argument[1], 0);
        break;
    case DJ_ALLOCATOR_POSIX:
        if (result == 0)
            send_block(p, *(const Addr *)argument[0], argument[2], 0);
        break;
    default:
        break;
    }
}

// Called by translated code where an allocation function may have returned to.
static void leave(ULong result, ULong sp)
{
    pending *p = of_thread(), done = *p;
    if (!p->allocator || sp < p->sp + sizeof(Addr))
        return;
    p->allocator = 0;
    if (sp == done.sp + sizeof(Addr))
        complete(&done, result);
}

static IRExpr *get(IRSB *out, Int offset)
{
    IRTemp t = newIRTemp(out->tyenv, Ity_I64);
    addStmtToIRSB(out, IRStmt_WrTmp(t, IRExpr_Get(offset, Ity_I64)));
    return IRExpr_RdTmp(t);
}

void dj_heap_instrument_entry(IRSB *out, UInt allocator)
{
    IRExpr **arguments =
        mkIRExprVec_5(IRExpr_Const(IRConst_U64(allocator)), get(out, DJ_GUEST(RDI)), get(out, DJ_GUEST(RSI)),
                      get(out, DJ_GUEST(RDX)), get(out, DJ_GUEST(RSP)));
    addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(0, "enter", VG_(fnptr_to_fnentry)(&enter), arguments)));
}

void dj_heap_instrument_return(IRSB *out)
{
    IRExpr **arguments = mkIRExprVec_2(get(out, DJ_GUEST(RAX)), get(out, DJ_GUEST(RSP)));
    addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(0, "leave", VG_(fnptr_to_fnentry)(&leave), arguments)));
}
