// SPDX-License-Identifier: MIT
// The calling-context tree. A node is a function on the path that led to it;
// a call of a function that is on the path already leads back to its node, so
// that recursion makes no new nodes and a path holds no function twice. Where
// there are very many, those that are rarely called are counted with their callers.
#ifndef DEJA_LOCATE_CCT_H
#define DEJA_LOCATE_CCT_H

#include "base/triple.h"
#include "locate/locate.h"

typedef struct dj_cct {
    dj_cct_id *list;
    size_t count, capacity;
    uint64_t rare;       // calls that are counted with their callers
    dj_triples children; // parent, call site, function → node, or how often it was called
} dj_cct;

int dj_cct_create(dj_cct *contexts, dj_context *context);
void dj_cct_destroy(dj_cct *contexts);

int dj_cct_add_root(dj_cct *contexts, dj_context *context, uint32_t thread, uint32_t *node);
// The node of `function` when it is called in `parent` from `call_site`.
int dj_cct_child(dj_cct *contexts, dj_context *context, uint32_t parent, uint32_t call_site,
                 uint32_t function, uint32_t *node);

#endif
