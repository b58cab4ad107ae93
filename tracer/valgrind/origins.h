// SPDX-License-Identifier: MIT
// Addresses of a block that differ by a constant known at translation: fields of a structure, variables of a
// frame. With one of them in the stream, the others can be computed.
#ifndef DEJA_TRACER_ORIGINS_H
#define DEJA_TRACER_ORIGINS_H

#include "core.h"

enum { DJ_ORIGINS_MOST = 2048, DJ_ORIGIN_WORDS_MOST = 64 };

typedef struct dj_origin {
    UInt root; // temporary + 1; the address is that temporary plus `offset`
    Long offset;
} dj_origin;

typedef struct dj_origins {
    dj_origin known[DJ_ORIGINS_MOST]; // by temporary
    struct {
        dj_origin origin;
        UInt number;
    } word[DJ_ORIGIN_WORDS_MOST]; // addresses of the segment that are in the stream
    UInt words;
} dj_origins;

void dj_origins_reset(dj_origins *o, UInt temporaries); // for another block
void dj_origins_begin(dj_origins *o);                   // of a segment
void dj_origins_assign(dj_origins *o, IRTemp t, const IRExpr *e);
void dj_origins_add(dj_origins *o, const IRExpr *address, UInt word);
Bool dj_origins_find(const dj_origins *o, const IRExpr *address, UInt *word, Int *delta);

#endif
