// SPDX-License-Identifier: MIT
#include "locate/contexts.h"

#include "base/grow.h"

#include <stdlib.h>

// Beyond this, calls are counted with their callers, so that memory stays bounded.
enum { CONTEXTS_MOST = 1 << 22 };

int dj_contexts_create(dj_contexts *contexts, dj_context *context)
{
    *contexts = (dj_contexts){0};
    return dj_triples_create(&contexts->children, context);
}

void dj_contexts_destroy(dj_contexts *contexts)
{
    dj_triples_destroy(&contexts->children);
    free(contexts->list);
}

static int add(dj_contexts *contexts, dj_context *context, const dj_context_id *id, uint32_t *node)
{
    int err = dj_grow(context, "the calling contexts", &contexts->list, &contexts->capacity,
                      contexts->count + 1, sizeof *contexts->list);
    if (err)
        return err;
    *node = (uint32_t)contexts->count++;
    contexts->list[*node] = *id;
    return DJ_OK;
}

int dj_contexts_add_root(dj_contexts *contexts, dj_context *context, uint32_t thread, uint32_t *node)
{
    const dj_context_id root = {.parent = DJ_NOWHERE, .thread = thread, .call_site = DJ_NOWHERE};
    return add(contexts, context, &root, node);
}

static uint32_t on_path(const dj_contexts *contexts, uint32_t node, uint32_t function)
{
    while (node != DJ_NOWHERE && contexts->list[node].function != function)
        node = contexts->list[node].parent;
    return node;
}

int dj_contexts_child(dj_contexts *contexts, dj_context *context, uint32_t parent, uint32_t call_site,
                      uint32_t function, uint32_t *node)
{
    uint32_t *known = dj_triples_at(&contexts->children, context, parent, call_site, function);
    if (!known)
        return DJ_ERR_MEMORY;
    if (*known != DJ_TRIPLE_FREE) {
        *node = *known;
        contexts->list[*node].calls++;
        return DJ_OK;
    }
    *node = on_path(contexts, parent, function);
    if (*node != DJ_NOWHERE) {
        contexts->list[*node].recursive = true;
    } else if (contexts->count >= CONTEXTS_MOST) {
        *node = parent;
    } else {
        const dj_context_id id = {parent, contexts->list[parent].thread, function, call_site, false, 0};
        int err = add(contexts, context, &id, node);
        if (err) {
            *known = parent;
            return err;
        }
    }
    *known = *node;
    contexts->list[*node].calls++;
    return DJ_OK;
}
