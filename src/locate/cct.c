// SPDX-License-Identifier: MIT
#include "locate/cct.h"

#include "base/grow.h"

#include <stdlib.h>

// The first TIER contexts are created at once. After each further TIER, a call must occur 64 times as often
// as before to get its own context; until then it is counted with its caller. So hot contexts exist even in
// programs with millions of them, and memory is bounded.
enum { TIER = 1 << 14, TIER_CALLS_BITS = 6, TIERS_MOST = 5 };

// Numbers from here on are not nodes but count calls.
#define RARE UINT32_C(0x80000000)
#define RARE_CALLS_MOST UINT32_C(0x7ffffff0)

static uint64_t calls_needed(const dj_cct *contexts)
{
    size_t tier = contexts->count / TIER;
    return tier >= TIERS_MOST ? UINT64_MAX : UINT64_C(1) << tier * TIER_CALLS_BITS;
}

int dj_cct_create(dj_cct *contexts, dj_context *context)
{
    *contexts = (dj_cct){0};
    return dj_triples_create(&contexts->children, context);
}

void dj_cct_destroy(dj_cct *contexts)
{
    dj_triples_destroy(&contexts->children);
    free(contexts->list);
}

static int add(dj_cct *contexts, dj_context *context, const dj_cct_id *id, uint32_t *node)
{
    int err = dj_grow(context, "the calling contexts", &contexts->list, &contexts->capacity,
                      contexts->count + 1, sizeof *contexts->list);
    if (err)
        return err;
    *node = (uint32_t)contexts->count++;
    contexts->list[*node] = *id;
    return DJ_OK;
}

int dj_cct_add_root(dj_cct *contexts, dj_context *context, uint32_t thread, uint32_t *node)
{
    const dj_cct_id root = {.parent = DJ_NOWHERE, .thread = thread, .call_site = DJ_NOWHERE};
    return add(contexts, context, &root, node);
}

static uint32_t on_path(const dj_cct *contexts, uint32_t node, uint32_t function)
{
    while (node != DJ_NOWHERE && contexts->list[node].function != function)
        node = contexts->list[node].parent;
    return node;
}

// Counts a call that has no context yet.
static bool is_rare(const dj_cct *contexts, uint32_t calls, uint32_t *known)
{
    if (calls >= calls_needed(contexts))
        return false;
    *known = RARE + (calls < RARE_CALLS_MOST ? calls : RARE_CALLS_MOST);
    return true;
}

int dj_cct_child(dj_cct *contexts, dj_context *context, uint32_t parent, uint32_t call_site,
                 uint32_t function, uint32_t *node)
{
    uint32_t *known = dj_triples_at(&contexts->children, context, parent, call_site, function);
    if (!known)
        return DJ_ERR_MEMORY;
    if (*known < RARE) {
        *node = *known;
        contexts->list[*node].calls++;
        return DJ_OK;
    }
    *node = on_path(contexts, parent, function);
    if (*node != DJ_NOWHERE) {
        contexts->list[*node].recursive = true;
        contexts->list[*node].calls++;
        *known = *node;
        return DJ_OK;
    }
    *node = parent;
    uint32_t calls = *known == DJ_TRIPLE_FREE ? 1 : *known - RARE + 1;
    contexts->rare += calls == 1;
    if (is_rare(contexts, calls, known))
        return DJ_OK;
    contexts->rare--;
    const dj_cct_id id = {.parent = parent,
                          .thread = contexts->list[parent].thread,
                          .function = function,
                          .call_site = call_site,
                          .calls = calls};
    *known = parent; // any value, if out of memory
    int err = add(contexts, context, &id, node);
    *known = *node;
    return err;
}
