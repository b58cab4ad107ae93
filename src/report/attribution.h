// SPDX-License-Identifier: MIT
// Parts of the attribution report.
#ifndef DEJA_REPORT_ATTRIBUTION_H
#define DEJA_REPORT_ATTRIBUTION_H

#include <deja/reuse.h>

#include "report/parts.h"

// Signs that the tables of a report use and its legend explains.
typedef struct dj_signs {
    bool inclusive;  // a column "incl."
    bool loose_heap; // the object "heap outside of blocks"
    bool ranges;     // columns "range" and "rank"
    bool simulated;  // misses are those of simulated caches
    bool conflicts;  // a column "conflict"
    bool memory;     // a column "memory"
    const char *own; // a column "own": what it leaves out, or ""; NULL: none
    // Of the verdict:
    bool weak;  // the miss ratio is too uncertain
    bool named; // it says where misses come from
} dj_signs;

typedef struct dj_attribution_page {
    const dj_profile *profile;
    const dj_attribution *a;
    dj_document *document;
    dj_ranking_options ranked;   // which reuses are long, if the profile has a spatial part
    dj_signs *signs;             // set by what is added; may be NULL
    bool hidden;                 // tables are for csv alone: no trees
    bool all;                    // includes entities that are hidden from people
    const char *own;             // folder of the user's own code; NULL: the sources of the executable
    const dj_stall_model *stall; // also shows stall time, and sorts by it; NULL: no
} dj_attribution_page;

// Adds a breakdown as a table, worst first, or, by context, as a tree. People see at most `top`
// entities and the sum of the rest. csv exports the table.
int dj_add_breakdown(dj_context *context, const dj_attribution_page *page, const dj_breakdown *b, size_t top);
// Adds breakdowns for csv alone.
int dj_add_breakdown_data(dj_context *context, const dj_attribution_page *page, const enum dj_by *by,
                          size_t count);

// Selects the contexts to show, about three times `top` at most: none with a negligible share, and no
// frames that start every program.
typedef struct dj_branch {
    bool shown;
    unsigned depth; // among the shown ones
} dj_branch;

typedef struct dj_tree {
    const dj_attribution *a;
    const dj_breakdown *b; // by context
    // Whether an entity, with or without its callees, has at least `percent` of the total.
    bool (*matters)(const void *user, const dj_entity *entity, bool inclusive, double percent);
    const void *user;
} dj_tree;

// Fills in b->count branches, and the rest line of `table`.
void dj_tree_choose(const dj_tree *tree, size_t top, dj_branch *branches, dj_sheet *table);
// The name with the line of the call, as in "main (58)", which distinguishes calls of one function.
const char *dj_tree_name(const dj_tree *tree, dj_document *document, const dj_entity *entity);
// Adds the legend of a tree, and how many contexts are counted with their callers.
void dj_tree_add_legend(const dj_tree *tree, dj_document *document);

// A line for each of the best pieces of advice; and all of them with their reasons, at most `top`.
void dj_add_best_advice(const dj_attribution_page *page, const dj_advice_list *list);
void dj_add_advice(const dj_attribution_page *page, const dj_reuses *reuses, const dj_advice_list *list,
                   size_t top);
int dj_add_reuses(dj_context *context, const dj_attribution_page *page, const dj_reuses *reuses, size_t top);
// Names the modules that lack debug information and have at least 1% of the accesses.
int dj_add_debug_advice(dj_context *context, const dj_attribution_page *page);

// The summary of the document: the miss ratio, and where most misses come from. The breakdowns are those by
// object, and by line or, without line numbers, function.
int dj_say_attribution_verdict(dj_context *context, dj_document *document, const dj_profile *profile,
                               const dj_breakdown *first, const dj_breakdown *second);
// Whether at least half of the accesses have line numbers; otherwise functions are more informative.
bool dj_attribution_has_lines(const dj_attribution *a);

// Misses as tables show them: those of the simulated cache, if the breakdown is sorted by these.
uint64_t dj_shown_misses(const dj_breakdown *b, const dj_tally *tally, const uint64_t *misses, size_t cut);
// The facts about estimated time, if the page shows it.
void dj_add_time(const dj_attribution_page *page);
// The three columns of a row for people, and those for csv.
void dj_put_stall(dj_sheet *table, dj_sheet_row *row, const dj_seconds *stall);
// "1.23 ms".
const char *dj_name_seconds(dj_document *document, double seconds);

// The measure that tables are sorted by: "L2 misses", "accesses".
const char *dj_name_measure(const dj_attribution_page *page, size_t sort_cut);
// "L1d, L2, L3"; "" if no caches were measured.
const char *dj_name_caches(dj_document *document, const dj_attribution *a);

#endif
