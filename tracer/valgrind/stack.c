// SPDX-License-Identifier: MIT
// Unwinds the stack of a thread. The core finds return addresses; the analyzer knows a call by its own
// address, which was seen when the call was translated.
#include "tool.h"

enum { DEPTH_MOST = 2048 }; // calls; the outermost of a deeper stack are left out

typedef struct call {
    struct _VgHashNode *next;
    UWord after;
    Addr pc;
} call;

static VgHashTable *calls; // by return address

void dj_stack_note_call(const IRSB *block)
{
    Int last = block->stmts_used - 1;
    while (last >= 0 && block->stmts[last]->tag != Ist_IMark)
        last--;
    if (last < 0)
        return;
    Addr pc = block->stmts[last]->Ist.IMark.addr, after = pc + block->stmts[last]->Ist.IMark.len;
    if (!calls)
        calls = VG_(HT_construct)("deja.calls");
    call *known = VG_(HT_lookup)(calls, after);
    if (!known) {
        known = VG_(malloc)("deja.call", sizeof *known);
        known->after = after;
        VG_(HT_add_node)(calls, known);
    }
    known->pc = pc;
}

Addr dj_stack_call_before(Addr pc)
{
    const call *known = calls ? VG_(HT_lookup)(calls, pc) : NULL;
    return known ? known->pc : pc - 1;
}

// Static, since Valgrind's stacks are small.
void dj_stack_send(ThreadId tid)
{
    static Addr pc[DEPTH_MOST], sp[DEPTH_MOST];
    static uint64_t words[2 * DEPTH_MOST];
    UInt depth = VG_(get_StackTrace)(tid, pc, DEPTH_MOST, sp, NULL, 0), count = 0;
    for (UInt i = depth; i-- > 1;) {
        words[count++] = dj_stack_call_before(pc[i] + 1) + 1;
        words[count++] = sp[i];
    }
    dj_ring_put(DJ_RECORD_STACK, 1, words, count);
}
