// SPDX-License-Identifier: MIT
// Functions of which a helper records the arguments at their entry: annotations (deja/record.h), for which
// the program calls functions that do nothing, those of tracer/marks; and functions that join threads.
#include "emit.h"
#include "tool.h"

enum { TEXT_BYTES = 1024 };

const HChar *dj_text_read(Addr from, HChar *to, SizeT capacity)
{
    SizeT length = 0;
    for (; length + 1 < capacity; length++) {
        Addr at = from + length;
        if ((length == 0 || VG_IS_PAGE_ALIGNED(at)) && !VG_(am_is_valid_for_client)(at, 1, VKI_PROT_READ))
            break;
        to[length] = *(const HChar *)at;
        if (!to[length])
            break;
    }
    to[length] = 0;
    return to;
}

// Called by translated code; a to d are the arguments of the function.
static void record_call(ULong record, ULong a, ULong b, ULong c, ULong d, ULong sp)
{
    HChar text[TEXT_BYTES];
    uint64_t words[3] = {a, b, c};
    switch (record) {
    case DJ_RECORD_DATA:
        dj_ring_put_text(DJ_RECORD_DATA, 0, words, 3, dj_text_read(d, text, sizeof text));
        break;
    case DJ_RECORD_STATEMENT:
        dj_ring_put(DJ_RECORD_STATEMENT, 0, (const uint64_t *)sp, 1); // the return address
        break;
    case DJ_RECORD_REGION:
        dj_ring_put_text(DJ_RECORD_REGION, (UInt)b != 0, NULL, 0, dj_text_read(a, text, sizeof text));
        break;
    case DJ_RECORD_SYNC:
        dj_threads_join(VG_(get_running_tid)(), a);
        break;
    default:
        dj_threads_name(VG_(get_running_tid)(), dj_text_read(a, text, sizeof text));
        break;
    }
}

static IRExpr *get(IRSB *out, Int offset)
{
    IRTemp t = newIRTemp(out->tyenv, Ity_I64);
    addStmtToIRSB(out, IRStmt_WrTmp(t, IRExpr_Get(offset, Ity_I64)));
    return IRExpr_RdTmp(t);
}

void dj_marks_instrument(IRSB *out, UInt record)
{
    IRExpr **arguments =
        mkIRExprVec_6(IRExpr_Const(IRConst_U64(record)), get(out, DJ_GUEST(RDI)), get(out, DJ_GUEST(RSI)),
                      get(out, DJ_GUEST(RDX)), get(out, DJ_GUEST(RCX)), get(out, DJ_GUEST(RSP)));
    addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(0, "record_call", VG_(fnptr_to_fnentry)(&record_call),
                                                      arguments)));
}
