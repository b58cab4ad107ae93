// SPDX-License-Identifier: MIT
// The parts of the report of an attribution.
#ifndef DEJA_REPORT_ATTRIBUTION_H
#define DEJA_REPORT_ATTRIBUTION_H

#include <deja/reuse.h>

#include "report/parts.h"

typedef struct dj_attribution_page {
    const dj_profile *profile;
    const dj_attribution *a;
    dj_document *document;
    dj_ranking_options ranked; // which reuses are long, where there is a spatial part
    bool all;                  // also entities that people are not shown
} dj_attribution_page;

// A breakdown as a table, worst first, or, by context, as a tree: at most `top`
// entities for people, and what the others come to. It is data, too.
int dj_add_breakdown(dj_context *context, const dj_attribution_page *page, const dj_breakdown *b, size_t top);
// The breakdowns as data alone.
int dj_add_breakdown_data(dj_context *context, const dj_attribution_page *page, const enum dj_by *by,
                          size_t count);

// Which contexts are shown: without what hardly matters and without the frames
// that start every program. About three times `top` at most.
typedef struct dj_branch {
    bool shown;
    unsigned depth; // among those that are shown
} dj_branch;

typedef struct dj_tree {
    const dj_attribution *a;
    const dj_breakdown *b; // by context
    // Whether an entity, with all that it calls or alone, has that much of the whole.
    bool (*matters)(const void *user, const dj_entity *entity, bool inclusive, double percent);
    const void *user;
} dj_tree;

// Fills in b->count branches, and a rest line in `table`.
void dj_tree_choose(const dj_tree *tree, size_t top, dj_branch *branches, dj_sheet *table);
// With the line of the call, which tells two calls of one function apart.
const char *dj_tree_name(const dj_tree *tree, dj_document *document, const dj_entity *entity);
// Contexts that are counted with their callers, where there are.
void dj_tree_say_folded(const dj_tree *tree, dj_document *document);

int dj_add_reuses(dj_context *context, const dj_attribution_page *page, const dj_reuses *reuses, size_t top);
// Which modules lack debug information, where it matters.
int dj_add_debug_advice(dj_context *context, const dj_attribution_page *page);

// What tables are sorted by: "L2 misses", "accesses".
const char *dj_name_measure(const dj_attribution_page *page, size_t sort_cut);

#endif
