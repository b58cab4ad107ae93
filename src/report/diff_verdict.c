// SPDX-License-Identifier: MIT
// What a comparison comes to, in words.
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "report/diff.h"

// From this factor on, "2.3 times" says more than "+130%".
static const double TIMES = 2;

const char *dj_diff_measure(dj_document *document, const dj_diff_view *view)
{
    const dj_diff *diff = view->diff;
    char size[DJ_HUMAN_BYTES];
    if (diff->ranked >= 0)
        return dj_document_format(document, "%s misses", diff->caches[diff->ranked].name);
    if (diff->ranked == DJ_DIFF_CURVE)
        return dj_document_format(document, "misses in %s %ss",
                                  dj_human_count(size, diff->points[diff->worst].size),
                                  view->profiles[DJ_AFTER]->provenance.unit);
    return "accesses";
}

const char *dj_diff_percent(dj_document *document, const dj_diff *diff, const dj_diff_count *count)
{
    enum { PRECISE = 10, MANY = 1000 }; // percent
    const double before = dj_diff_value(diff, count, DJ_BEFORE), change = dj_diff_change(diff, count);
    const double percent = 100 * change / before;
    if (change == 0)
        return "0";
    if (before == 0)
        return "new";
    if (percent >= MANY)
        return dj_document_format(document, "×%.0f", (before + change) / before);
    if (fabs(percent) < 0.01)
        return percent > 0 ? "+<0.01%" : "-<0.01%";
    return dj_document_format(document, fabs(percent) < PRECISE ? "%+.2f%%" : "%+.0f%%", percent);
}

static const char *name_value(dj_document *document, const dj_diff *diff, const dj_diff_count *count, int run)
{
    char text[DJ_HUMAN_BYTES];
    return dj_document_copy(document, dj_human_short(text, dj_diff_value(diff, count, run)));
}

static const char *name_rise(dj_document *document, const dj_diff *diff, const dj_diff_count *count)
{
    const double before = dj_diff_value(diff, count, DJ_BEFORE), after = dj_diff_value(diff, count, DJ_AFTER);
    const char *from = name_value(document, diff, count, DJ_BEFORE);
    const char *to = name_value(document, diff, count, DJ_AFTER);
    if (before == 0)
        return dj_document_format(document, "rose from 0 to %s", to);
    if (after >= TIMES * before)
        return dj_document_format(document, "rose to %.3g times as many, from %s to %s", after / before, from,
                                  to);
    return dj_document_format(document, "%s by %.2g%%, from %s to %s", after > before ? "rose" : "fell",
                              100 * fabs(after - before) / before, from, to);
}

static const dj_diff_rows *find_rows(const dj_diff *diff, enum dj_by by)
{
    for (size_t i = 0; i < diff->row_lists; i++)
        if (diff->rows[i].by == by && diff->rows[i].count > 0)
            return &diff->rows[i];
    return NULL;
}

// The row that explains at least half of the change, if there is one.
static const dj_diff_row *find_cause(const dj_diff *diff, enum dj_by by)
{
    const dj_diff_rows *rows = find_rows(diff, by);
    const double total = dj_diff_change(diff, dj_diff_ranked(diff, NULL));
    for (size_t i = 0; rows && i < rows->count; i++) {
        const dj_diff_count *count = dj_diff_ranked(diff, &rows->list[i]);
        const double change = dj_diff_change(diff, count);
        if (change * total > 0)
            return fabs(change) >= fabs(total) / 2 && dj_diff_differs(diff, count) ? &rows->list[i] : NULL;
    }
    return NULL;
}

static const char *name_state(const dj_diff_row *row)
{
    return row->in[DJ_BEFORE] && row->in[DJ_AFTER] ? "" : row->in[DJ_AFTER] ? " (new)" : " (removed)";
}

static const char *name_cause(dj_document *document, const dj_diff *diff)
{
    static const enum dj_by code[] = {DJ_BY_LINE, DJ_BY_LOOP, DJ_BY_FUNCTION, DJ_BY_CALLING_CONTEXT,
                                      DJ_BY_THREAD};
    const dj_diff_row *where = NULL, *data = find_cause(diff, DJ_BY_OBJECT);
    for (size_t i = 0; !where && i < sizeof code / sizeof *code; i++)
        where = find_cause(diff, code[i]);
    if (!where && !data)
        return "";
    const bool names_function = where && where->function && !strstr(where->name, where->function);
    const char *place =
        !where ? ""
               : dj_document_format(document, " in %s%s%s%s", where->name, name_state(where),
                                    names_function ? " of " : "", names_function ? where->function : "");
    return dj_document_format(document, " Most of it is%s%s%s%s.", place,
                              where && data ? ", on "
                              : data        ? " on "
                                            : "",
                              data ? data->name : "", data ? name_state(data) : "");
}

static bool rows_differ(const dj_diff *diff)
{
    for (size_t i = 0; i < diff->row_lists; i++)
        for (size_t r = 0; r < diff->rows[i].count; r++)
            if (dj_diff_differs(diff, dj_diff_ranked(diff, &diff->rows[i].list[r])))
                return true;
    return false;
}

static bool totals_differ(const dj_diff *diff)
{
    bool differ = dj_diff_differs(diff, &diff->accesses);
    for (size_t c = 0; c < diff->cache_count; c++)
        differ |= dj_diff_differs(diff, &diff->misses[c]);
    for (size_t i = 0; i < diff->point_count; i++)
        differ |= dj_diff_differs(diff, &diff->points[i].misses);
    return differ;
}

const char *dj_diff_verdict(dj_document *document, const dj_diff_view *view)
{
    const dj_diff *diff = view->diff;
    const dj_diff_count *total = dj_diff_ranked(diff, NULL);
    const bool scaled = diff->work[DJ_BEFORE] != 1 || diff->work[DJ_AFTER] != 1;
    if (dj_diff_differs(diff, total))
        return dj_document_format(document, "The %s%s %s.%s", dj_diff_measure(document, view),
                                  scaled ? " per element of work" : "", name_rise(document, diff, total),
                                  name_cause(document, diff));
    if (totals_differ(diff))
        return "Only small caches differ.";
    if (rows_differ(diff))
        return "No difference in total; code and data differ only in who makes the accesses.";
    return diff->estimated ? "No difference beyond the error of the estimates." : "No difference.";
}
