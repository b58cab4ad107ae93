// SPDX-License-Identifier: MIT
// The calling-context tree. A node is a function on the path that led to it; a call of a function that is
// already on the path leads back to its node, so recursion creates no new nodes and a path contains no
// function twice. If there are very many, rarely called ones are counted with their callers.
#ifndef DEJA_LOCATE_CCT_H
#define DEJA_LOCATE_CCT_H

#include "base/triple.h"
#include "locate/locate.h"

typedef struct dj_cct {
    dj_cct_id *list;
    size_t count, capacity;
    uint64_t rare;       // calls counted with their callers
    dj_triples children; // parent, call site, function → node, or the number of calls
} dj_cct;

int dj_cct_create(dj_cct *contexts, dj_context *context);
void dj_cct_destroy(dj_cct *contexts);

int dj_cct_add_root(dj_cct *contexts, dj_context *context, uint32_t thread, uint32_t *node);
// The node of `function` when it is called in `parent` from `call_site`.
int dj_cct_child(dj_cct *contexts, dj_context *context, uint32_t parent, uint32_t call_site,
                 uint32_t function, uint32_t *node);

#endif
