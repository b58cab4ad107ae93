// SPDX-License-Identifier: MIT
// Selects the part of a calling-context tree that is worth showing.
#include <inttypes.h>
#include <string.h>

#include "report/attribution.h"

// Names that look alike are followed by a space and what distinguishes them.
static bool starts_programs(const char *name)
{
    static const char *const names[] = {
        "_start", "_dl_start_user", "__libc_start_main", "__libc_start_call_main", "start_thread",
        "clone",  "clone3",         "(below main)",      "__libc_start_main_impl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && strchr("@ ", name[length]))
            return true;
    }
    return false;
}

// A node has at least the inclusive share of each of its callees, so the selection stays a tree.
static size_t choose(const dj_tree *tree, dj_branch *branches, double percent)
{
    const dj_breakdown *b = tree->b;
    size_t count = 0, roots = 0;
    for (size_t i = 0; i < b->count; i++)
        roots += b->entities[i].parent == DJ_NOWHERE;
    for (size_t i = 0; i < b->count; i++) {
        const dj_entity *entity = &b->entities[i];
        bool root = entity->parent == DJ_NOWHERE;
        bool frame = root ? roots == 1 : starts_programs(entity->name);
        branches[i].depth = root ? 0 : branches[entity->parent].depth + branches[entity->parent].shown;
        branches[i].shown = tree->matters(tree->user, entity, true, percent) &&
                            (!frame || tree->matters(tree->user, entity, false, percent));
        count += branches[i].shown;
    }
    return count;
}

void dj_tree_choose(const dj_tree *tree, size_t top, dj_branch *branches, dj_sheet *table)
{
    static const double percents[] = {1, 2, 5, 10, 20};
    enum { STEPS = sizeof percents / sizeof *percents };
    unsigned step = 0;
    size_t shown = choose(tree, branches, percents[0]);
    while (shown > 3 * top && step + 1 < STEPS)
        shown = choose(tree, branches, percents[++step]);
    if (shown < tree->b->count)
        table->rest = dj_document_format(table->document,
                                         "… and %zu more, each below %.0f%% or part of the program start",
                                         tree->b->count - shown, percents[step]);
}

const char *dj_tree_name(const dj_tree *tree, dj_document *document, const dj_entity *entity)
{
    const dj_attribution *a = tree->a;
    uint32_t site = entity->row == DJ_NOWHERE ? DJ_NOWHERE : a->cct[entity->row].call_site;
    uint32_t line = site == DJ_NOWHERE ? 0 : a->sites[site].line;
    return line > 0 ? dj_document_format(document, "%s (%" PRIu32 ")", entity->name, line) : entity->name;
}

void dj_tree_add_legend(const dj_tree *tree, dj_document *document)
{
    const dj_attribution *a = tree->a;
    bool any = false;
    for (size_t i = 0; i < a->cct_count && !any; i++)
        any = a->cct[i].call_site != DJ_NOWHERE && a->sites[a->cct[i].call_site].line > 0;
    if (any)
        dj_document_say(document, DJ_TEXT_LEGEND, 2,
                        "(N) after a function: it is called at line N of its caller")
            ->gap = false;
    if (tree->a->cct_folded)
        dj_document_say(document, DJ_TEXT_LINE, 2,
                        "%" PRIu64 " contexts with few accesses are counted with their callers",
                        tree->a->cct_folded);
}
