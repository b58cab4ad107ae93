// SPDX-License-Identifier: MIT
#include "report/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/ink.h"

enum { DEPTH_DRAWN = 12 };

typedef struct branch {
    bool shown;
    unsigned depth; // among those that are shown
} branch;

static bool starts_programs(const char *name)
{
    static const char *const names[] = {
        "_start", "_dl_start_user", "__libc_start_main", "__libc_start_call_main", "start_thread",
        "clone",  "clone3",         "(below main)",      "__libc_start_main_impl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && (name[length] == 0 || name[length] == '@'))
            return true;
    }
    return false;
}

// Nobody is within less than what it calls, so the tree stays whole.
static size_t choose(const dj_tree *tree, branch *branches, double percent)
{
    const dj_breakdown *b = tree->b;
    size_t count = 0, roots = 0;
    for (size_t i = 0; i < b->count; i++)
        roots += b->entities[i].parent == DJ_NOWHERE;
    for (size_t i = 0; i < b->count; i++) {
        const dj_entity *entity = &b->entities[i];
        bool root = entity->parent == DJ_NOWHERE;
        bool frame = root ? roots == 1 : starts_programs(entity->name);
        const branch *around = root ? NULL : &branches[entity->parent];
        branches[i].depth = around ? around->depth + around->shown : 0;
        branches[i].shown = tree->matters(tree->user, entity, true, percent) &&
                            (!frame || tree->matters(tree->user, entity, false, percent));
        count += branches[i].shown;
    }
    return count;
}

// With the line of the call, which tells two calls of one function apart.
static void make_name(char *to, size_t room, const dj_attribution *a, const dj_entity *entity, unsigned depth)
{
    unsigned drawn = depth < DEPTH_DRAWN ? depth : DEPTH_DRAWN;
    uint32_t site = entity->row == DJ_NOWHERE ? DJ_NOWHERE : a->contexts[entity->row].call_site;
    uint32_t line = site == DJ_NOWHERE ? 0 : a->sites[site].line;
    if (line > 0)
        snprintf(to, room, "%*s%.200s (%" PRIu32 ")", 2 * (int)drawn, "", entity->name, line);
    else
        snprintf(to, room, "%*s%.200s", 2 * (int)drawn, "", entity->name);
}

static void print_rows(const dj_tree *tree, const branch *branches, dj_sheet *sheet)
{
    const dj_breakdown *b = tree->b;
    char name[DJ_FIT], cells[DJ_SHEET_COLUMNS][DJ_CELL];
    unsigned widest = 0;
    for (size_t i = 0; i < b->count; i++) {
        make_name(name, sizeof name, tree->a, &b->entities[i], branches[i].depth);
        unsigned columns = branches[i].shown ? dj_fit_columns(name) : 0;
        widest = columns > widest ? columns : widest;
    }
    dj_sheet_lay_out(sheet, widest);
    dj_sheet_print_head(sheet);
    for (size_t i = 0; i < b->count; i++) {
        if (!branches[i].shown)
            continue;
        make_name(name, sizeof name, tree->a, &b->entities[i], branches[i].depth);
        tree->fill(tree->user, &b->entities[i], cells);
        dj_sheet_print_row(sheet, name, cells);
    }
}

int dj_tree_print(dj_context *context, const dj_tree *tree, dj_sheet *sheet, size_t top)
{
    static const double percents[] = {1, 2, 5, 10, 20};
    enum { STEPS = sizeof percents / sizeof *percents };
    size_t count = tree->b->count;
    branch *branches = calloc(count + 1, sizeof *branches);
    if (!branches)
        return dj_fail_memory(context, "a calling-context tree", count * sizeof *branches);
    unsigned step = 0;
    size_t shown = choose(tree, branches, percents[0]);
    while (shown > 3 * top && step + 1 < STEPS)
        shown = choose(tree, branches, percents[++step]);
    print_rows(tree, branches, sheet);
    if (shown < count) {
        dj_ink(sheet->out, sheet->style, DJ_INK_FAINT);
        fprintf(sheet->out, "  %s and %zu more, each with less than %.0f%% or only starting the others\n",
                sheet->style->unicode ? "…" : "...", count - shown, percents[step]);
        dj_ink(sheet->out, sheet->style, DJ_INK_PLAIN);
    }
    if (tree->a->contexts_folded)
        fprintf(sheet->out,
                "  %" PRIu64 " further contexts, with little in them, are counted with their callers\n",
                tree->a->contexts_folded);
    free(branches);
    return DJ_OK;
}
