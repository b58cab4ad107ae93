// SPDX-License-Identifier: MIT
// Emits intermediate code that writes records.
#ifndef DEJA_TRACER_EMIT_H
#define DEJA_TRACER_EMIT_H

#include <stdint.h>

#include "core.h"

#define DJ_GUEST(name) ((Int)offsetof(VexGuestAMD64State, guest_##name))

typedef struct dj_emitter {
    IRSB *out;
    IRExpr *cursor; // at the start of the block
    UInt start;     // bytes from there to the record that is being written
    UInt end;       // and to its next word
} dj_emitter;

void dj_emit_open(dj_emitter *e); // at the start of a block: makes space and loads the cursor
void dj_emit_begin(dj_emitter *e);
UInt dj_emit_words(const dj_emitter *e); // so far
void dj_emit_word(dj_emitter *e, IRExpr *atom);
void dj_emit_register(dj_emitter *e, IRExpr *known, Int offset);
void dj_emit_end(dj_emitter *e, uint32_t segment);
// The record is that of the first segment if the guard is true.
void dj_emit_end_choice(dj_emitter *e, IRExpr *guard, uint32_t segment, uint32_t otherwise);
void dj_emit_allocator(dj_emitter *e, UInt allocator);
IRExpr *dj_emit_choice(dj_emitter *e, IRExpr *guard,
                       IRExpr *address); // DJ_RING_SKIPPED if the guard is false

#endif
