// SPDX-License-Identifier: MIT
// The calling-context tree, without what hardly matters and without the frames
// that start every program.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/attribution.h"
#include "report/ink.h"
#include "report/sheet.h"

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

// At least `percent` of the accesses, or of the misses that the tree is sorted by.
static bool matters(const dj_attribution *a, const dj_breakdown *b, const dj_tally *tally,
                    const uint64_t *misses, double percent)
{
    size_t cut = b->sort_cut;
    return 100 * (double)tally->accesses >= percent * (double)b->total.accesses ||
           (cut < a->cut_count && 100 * (double)misses[cut] >= percent * (double)b->total_misses[cut]);
}

// Nobody is within less than what it calls, so the tree stays whole.
static size_t choose(const dj_attribution *a, const dj_breakdown *b, branch *branches, double percent)
{
    size_t count = 0, roots = 0;
    for (size_t i = 0; i < b->count; i++)
        roots += b->entities[i].parent == DJ_NOWHERE;
    for (size_t i = 0; i < b->count; i++) {
        const dj_entity *entity = &b->entities[i];
        bool root = entity->parent == DJ_NOWHERE;
        bool frame = root ? roots == 1 : starts_programs(entity->name);
        const branch *around = root ? NULL : &branches[entity->parent];
        branches[i].depth = around ? around->depth + around->shown : 0;
        branches[i].shown = matters(a, b, &entity->inclusive, entity->inclusive_misses, percent) &&
                            (!frame || matters(a, b, &entity->exclusive, entity->misses, percent));
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

static void add_columns(dj_sheet *sheet, const dj_attribution *a, size_t sort_cut)
{
    static const char *const titles[] = {"incl.", "excl."};
    for (unsigned side = 0; side < 2; side++) {
        dj_sheet_add(sheet, titles[side], 6, 0);
        dj_sheet_add(sheet, "%", 4, side == 0 ? 1 : 4);
        for (size_t i = 0; i < a->cut_count; i++)
            dj_sheet_add(sheet, a->cuts[i].name, 4, i == sort_cut ? side : 3 + side);
    }
}

static void fill(char (*cells)[DJ_CELL], const dj_attribution *a, const dj_breakdown *b,
                 const dj_entity *entity)
{
    unsigned at = 0;
    for (unsigned side = 0; side < 2; side++) {
        const dj_tally *tally = side == 0 ? &entity->inclusive : &entity->exclusive;
        const uint64_t *misses = side == 0 ? entity->inclusive_misses : entity->misses;
        for (size_t i = 0; i < a->cut_count + 2 && at < DJ_SHEET_COLUMNS; i++, at++)
            if (i == 0)
                dj_figure_short(cells[at], (double)tally->accesses);
            else if (i == 1)
                dj_figure_share(cells[at], (double)tally->accesses, (double)b->total.accesses);
            else
                dj_figure_share(cells[at], (double)misses[i - 2], (double)b->total_misses[i - 2]);
    }
}

static void print_rows(const dj_attribution_page *page, const dj_breakdown *b, const branch *branches,
                       dj_sheet *sheet)
{
    char name[DJ_FIT], cells[DJ_SHEET_COLUMNS][DJ_CELL];
    unsigned widest = 0;
    for (size_t i = 0; i < b->count; i++) {
        make_name(name, sizeof name, page->a, &b->entities[i], branches[i].depth);
        unsigned columns = branches[i].shown ? dj_fit_columns(name) : 0;
        widest = columns > widest ? columns : widest;
    }
    dj_sheet_lay_out(sheet, widest);
    dj_sheet_print_head(sheet);
    for (size_t i = 0; i < b->count; i++) {
        if (!branches[i].shown)
            continue;
        make_name(name, sizeof name, page->a, &b->entities[i], branches[i].depth);
        fill(cells, page->a, b, &b->entities[i]);
        dj_sheet_print_row(sheet, name, cells);
    }
}

int dj_page_tree(dj_context *context, const dj_attribution_page *page, const dj_breakdown *b, size_t top)
{
    static const double percents[] = {1, 2, 5, 10, 20};
    enum { STEPS = sizeof percents / sizeof *percents };
    branch *branches = calloc(b->count + 1, sizeof *branches);
    if (!branches)
        return dj_fail_memory(context, "a calling-context tree", b->count * sizeof *branches);
    unsigned step = 0;
    size_t shown = choose(page->a, b, branches, percents[0]);
    while (shown > 3 * top && step + 1 < STEPS)
        shown = choose(page->a, b, branches, percents[++step]);
    dj_sheet sheet = {.style = page->style, .out = page->out, .name_title = "calling contexts"};
    add_columns(&sheet, page->a, b->sort_cut);
    print_rows(page, b, branches, &sheet);
    if (shown < b->count) {
        dj_ink(page->out, page->style, DJ_INK_FAINT);
        fprintf(page->out, "  %s and %zu more, each with less than %.0f%% or only starting the others\n",
                page->style->unicode ? "…" : "...", b->count - shown, percents[step]);
        dj_ink(page->out, page->style, DJ_INK_PLAIN);
    }
    if (page->a->contexts_folded)
        fprintf(page->out,
                "  %" PRIu64 " further contexts, with little in them, are counted with their callers\n",
                page->a->contexts_folded);
    free(branches);
    return DJ_OK;
}
