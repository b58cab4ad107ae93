// SPDX-License-Identifier: MIT
// Which addresses of a block differ by a constant that is known when it is
// translated: fields of a structure, variables of a frame. One of them in the
// stream tells the others.
#ifndef DEJA_TRACER_ORIGINS_H
#define DEJA_TRACER_ORIGINS_H

#include "core.h"

enum { DJ_ORIGINS_MOST = 2048, DJ_ORIGIN_WORDS_MOST = 64 };

typedef struct dj_origin {
    UInt root; // temporary + 1 that the address is a constant away from
    Long offset;
} dj_origin;

typedef struct dj_origins {
    dj_origin known[DJ_ORIGINS_MOST]; // by temporary
    struct {
        dj_origin origin;
        UInt number;
    } word[DJ_ORIGIN_WORDS_MOST]; // addresses that the segment has in the stream
    UInt words;
} dj_origins;

void dj_origins_reset(dj_origins *o, UInt temporaries); // for another block
void dj_origins_begin(dj_origins *o);                   // of a segment
void dj_origins_assign(dj_origins *o, IRTemp t, const IRExpr *e);
void dj_origins_add(dj_origins *o, const IRExpr *address, UInt word);
Bool dj_origins_find(const dj_origins *o, const IRExpr *address, UInt *word, Int *delta);

#endif
