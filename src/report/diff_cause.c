// SPDX-License-Identifier: MIT
// Where a change comes from, in words: the code and the data with more than half of it. These are two
// statements, since most of a change may be in one line, and most of it on one array, and yet only a part of
// it both.
#include <math.h>
#include <string.h>

#include "report/diff.h"

typedef struct cause {
    const dj_diff_row *row;
    enum dj_by by;
    double change;
    double same, opposite; // of all rows that changed like the total, and of the others
} cause;

static const dj_diff_rows *find_rows(const dj_diff *diff, enum dj_by by)
{
    for (size_t i = 0; i < diff->row_lists; i++)
        if (diff->rows[i].by == by && diff->rows[i].count > 0)
            return &diff->rows[i];
    return NULL;
}

static bool find_cause(const dj_diff *diff, enum dj_by by, cause *out)
{
    const dj_diff_rows *rows = find_rows(diff, by);
    const double total = dj_diff_change(diff, dj_diff_ranked(diff, NULL));
    *out = (cause){.by = by};
    for (size_t i = 0; rows && i < rows->count; i++) {
        const dj_diff_count *count = dj_diff_ranked(diff, &rows->list[i]);
        const double change = dj_diff_change(diff, count);
        *(change * total > 0 ? &out->same : &out->opposite) += change;
        if (change * total > 0 && fabs(change) > fabs(out->change) && dj_diff_differs(diff, count)) {
            out->row = &rows->list[i];
            out->change = change;
        }
    }
    return out->row && fabs(out->change) > fabs(out->same) / 2;
}

static const char *name_place(dj_document *document, const cause *c)
{
    const dj_diff_row *row = c->row;
    const bool names_function = row->function && !strstr(row->name, row->function);
    const bool is_rest = row->name[0] == '(';
    const size_t length = strlen(row->name);
    return dj_document_format(document, "%s%.*s%s%s%s",
                              c->by == DJ_BY_OBJECT   ? "on "
                              : c->by == DJ_BY_THREAD ? "by "
                              : is_rest               ? ""
                                                      : "in ",
                              (int)(is_rest && row->name[length - 1] == ')' ? length - 2 : length),
                              row->name + is_rest, names_function ? " of " : "",
                              names_function ? row->function : "",
                              row->in[DJ_BEFORE] && row->in[DJ_AFTER] ? ""
                              : row->in[DJ_AFTER]                     ? " (new)"
                                                                      : " (removed)");
}

// "84% of it is in plate.c:30 of cool". If other parts changed the other way, it is a share of what rose.
static const char *name_cause(dj_document *document, const dj_diff *diff, const cause *c, bool begins)
{
    static const double ALL = 0.995, CANCELS = 0.01;
    const double share = c->change / c->same;
    const bool rose = c->change > 0, cancels = fabs(c->opposite) > CANCELS * fabs(c->same);
    const char *part =
        share >= ALL ? begins ? "All" : "all" : dj_document_format(document, "%.0f%%", floor(100 * share));
    if (!cancels)
        return dj_document_format(document, "%s of it is %s", part, name_place(document, c));
    return dj_document_format(document, "%s of what %s is %s, while others %s by %s", part,
                              rose ? "rose" : "fell", name_place(document, c), rose ? "fell" : "rose",
                              dj_diff_number(document, diff, fabs(c->opposite)));
}

static const char *name_extreme(dj_document *document, const dj_diff *diff, const dj_diff_rows *rows,
                                bool rose)
{
    const dj_diff_row *found = NULL;
    for (size_t i = 0; !found && i < rows->count; i++) {
        const dj_diff_count *count = dj_diff_ranked(diff, &rows->list[i]);
        if (dj_diff_differs(diff, count) && (dj_diff_change(diff, count) > 0) == rose)
            found = &rows->list[i];
    }
    return found ? dj_document_format(document, "%s has %s %s", found->name,
                                      dj_diff_number(document, diff,
                                                     fabs(dj_diff_change(diff, dj_diff_ranked(diff, found)))),
                                      rose ? "more" : "fewer")
                 : NULL;
}

const char *dj_diff_exchange(dj_document *document, const dj_diff *diff)
{
    for (size_t i = 0; i < diff->row_lists; i++) {
        const char *more = name_extreme(document, diff, &diff->rows[i], true);
        const char *fewer = name_extreme(document, diff, &diff->rows[i], false);
        if (more && fewer)
            return dj_document_format(document, " But %s, and %s.", more, fewer);
    }
    return " But parts of the program differ; --json has all counts.";
}

// That all of it is by the only thread says nothing.
static bool has_threads(const dj_diff_view *view)
{
    for (int run = 0; run < DJ_SIDES; run++) {
        const dj_attribution *a = dj_profile_attribution(view->profiles[run]);
        if (a && a->thread_count > 1)
            return true;
    }
    return false;
}

const char *dj_diff_cause(dj_document *document, const dj_diff_view *view)
{
    const dj_diff *diff = view->diff;
    static const enum dj_by places[] = {DJ_BY_LINE, DJ_BY_LOOP, DJ_BY_FUNCTION, DJ_BY_CALLING_CONTEXT,
                                        DJ_BY_THREAD};
    cause code, data;
    const char *where = NULL;
    // Rows have no counts at other sizes than those of the caches.
    if (diff->ranked == DJ_DIFF_CURVE)
        return "";
    for (size_t i = 0; !where && i < sizeof places / sizeof *places; i++)
        if ((places[i] != DJ_BY_THREAD || has_threads(view)) && find_cause(diff, places[i], &code))
            where = name_cause(document, diff, &code, true);
    const char *what =
        find_cause(diff, DJ_BY_OBJECT, &data) ? name_cause(document, diff, &data, !where) : NULL;
    if (!where && !what)
        return "";
    return dj_document_format(document, " %s%s%s.", where ? where : "", where && what ? ", and " : "",
                              what ? what : "");
}
