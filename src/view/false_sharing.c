// SPDX-License-Identifier: MIT
// False sharing, by the data and the lines on both sides.
#include <deja/false_sharing.h>

#include "profile/fields.h"
#include "view/matches.h"
#include "view/parts.h"

enum { LISTED_MOST = 1000 };

typedef struct side {
    const char *data, *at;
    uint32_t file, line;
} side;

typedef struct row {
    side missed, written;
    uint64_t misses, true_sharing, sharers;
    const char *text;
    uint32_t match;
} row;

typedef struct table {
    row *list;
    size_t count;
    uint64_t left_out, misses, misses_left_out, true_sharing;
} table;

static const dj_field row_fields[] = {
    DJ_AT(TEXT, "missed", row, missed.data),
    DJ_AT(TEXT, "missed_at", row, missed.at),
    DJ_AT(INDEX, "missed_file", row, missed.file),
    DJ_AT(U32, "missed_line", row, missed.line),
    DJ_AT(TEXT, "written", row, written.data),
    DJ_AT(TEXT, "written_at", row, written.at),
    DJ_AT(INDEX, "written_file", row, written.file),
    DJ_AT(U32, "written_line", row, written.line),
    DJ_AT(U64, "misses", row, misses),
    DJ_AT(U64, "true_sharing", row, true_sharing),
    DJ_AT(U64, "sharers", row, sharers),
    DJ_AT(TEXT, "text", row, text),
    DJ_AT(INDEX, "match", row, match),
    DJ_END,
};
static const dj_table row_table = {row_fields, sizeof(row), DJ_ROW_OBJECT};
static const dj_field table_fields[] = {
    {DJ_FIELD_ROWS("list", table, list, count, row_table)},
    DJ_AT(U64, "left_out", table, left_out),
    DJ_AT(U64, "misses", table, misses),
    DJ_AT(U64, "misses_left_out", table, misses_left_out),
    DJ_AT(U64, "true_sharing", table, true_sharing),
    DJ_END,
};

static side side_of(const dj_attribution *a, const char *data, const char *at, uint32_t place)
{
    const dj_site_row *site = &a->sites[a->places[place].site];
    return (side){data, at, site->file, site->line};
}

// Rows correspond if the lines and the data on both sides do.
static int match(dj_view_sections *sections, const dj_attribution *a, const dj_false_sharing *s,
                 uint32_t *out)
{
    const dj_view_matches *m = sections->matches;
    const unsigned run = sections->profile;
    const dj_view_references references = {DJ_MATCHED_FALSE_SHARING,
                                           {dj_view_match_place(m, run, DJ_BY_LINE, s->from),
                                            dj_view_match_place(m, run, DJ_BY_LINE, s->to),
                                            dj_view_match_place(m, run, DJ_BY_OBJECT, s->from),
                                            dj_view_match_place(m, run, DJ_BY_OBJECT, s->to)},
                                           4,
                                           dj_view_part_of(a, a->places[s->to].object, s->missed)};
    return dj_view_match(sections->matches, sections->context, &references, out);
}

static int fill(dj_view_sections *sections, const dj_attribution *a, const dj_false_sharings *all, table *to)
{
    int err = DJ_OK;
    to->misses = all->misses;
    to->true_sharing = all->true_sharing;
    for (size_t i = 0; !err && i < all->count; i++) {
        const dj_false_sharing *s = &all->list[i];
        if (i >= LISTED_MOST) {
            to->left_out++;
            to->misses_left_out += all->list[i].misses;
            continue;
        }
        row *added = &to->list[to->count++];
        *added = (row){.missed = side_of(a, s->missed, s->missed_line, s->to),
                       .written = side_of(a, s->written, s->written_line, s->from),
                       .misses = s->misses,
                       .true_sharing = s->true_sharing,
                       .sharers = (uint64_t)__builtin_popcountll(s->sharers),
                       .text = s->text};
        err = match(sections, a, s, &added->match);
    }
    return err;
}

int dj_view_add_false_sharing(dj_view_sections *sections, const dj_profile *profile)
{
    dj_false_sharings *all = NULL;
    int err = dj_false_sharings_create(sections->context, profile, &all);
    if (err)
        return err;
    dj_arena arena = {0};
    table t = {.count = 0};
    t.list =
        dj_arena_alloc(&arena, (all->count < LISTED_MOST ? all->count : LISTED_MOST) + 1, sizeof *t.list);
    err = t.list ? fill(sections, dj_profile_attribution(profile), all, &t)
                 : dj_fail_memory(sections->context, "a page", 0);
    if (!err)
        err = dj_view_add(sections, "false_sharing", DJ_VIEW_VERSION, 0, table_fields, &t);
    dj_false_sharings_destroy(all);
    dj_arena_free(&arena);
    return err;
}
