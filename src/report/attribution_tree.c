// SPDX-License-Identifier: MIT
// Calling contexts with their accesses and misses.
#include "report/attribution.h"
#include "report/tree.h"

// What the tree is of.
typedef struct subject {
    const dj_attribution *a;
    const dj_breakdown *b;
} subject;

// At least `percent` of the accesses, or of the misses that the tree is sorted by.
static bool matters(const void *user, const dj_entity *entity, bool inclusive, double percent)
{
    const subject *s = user;
    const dj_tally *tally = inclusive ? &entity->inclusive : &entity->exclusive;
    const uint64_t *misses = inclusive ? entity->inclusive_misses : entity->misses;
    size_t cut = s->b->sort_cut;
    return 100 * (double)tally->accesses >= percent * (double)s->b->total.accesses ||
           (cut < s->a->cut_count && 100 * (double)misses[cut] >= percent * (double)s->b->total_misses[cut]);
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

static void fill(const void *user, const dj_entity *entity, char (*cells)[DJ_CELL])
{
    const subject *s = user;
    unsigned at = 0;
    for (unsigned side = 0; side < 2; side++) {
        const dj_tally *tally = side == 0 ? &entity->inclusive : &entity->exclusive;
        const uint64_t *misses = side == 0 ? entity->inclusive_misses : entity->misses;
        for (size_t i = 0; i < s->a->cut_count + 2 && at < DJ_SHEET_COLUMNS; i++, at++)
            if (i == 0)
                dj_figure_short(cells[at], (double)tally->accesses);
            else if (i == 1)
                dj_figure_share(cells[at], (double)tally->accesses, (double)s->b->total.accesses);
            else
                dj_figure_share(cells[at], (double)misses[i - 2], (double)s->b->total_misses[i - 2]);
    }
}

int dj_page_tree(dj_context *context, const dj_attribution_page *page, const dj_breakdown *b, size_t top)
{
    const subject user = {page->a, b};
    const dj_tree tree = {page->a, b, matters, fill, &user};
    dj_sheet sheet = {.style = page->style, .out = page->out, .name_title = "calling contexts"};
    add_columns(&sheet, page->a, b->sort_cut);
    return dj_tree_print(context, &tree, &sheet, top);
}
