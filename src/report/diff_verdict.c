// SPDX-License-Identifier: MIT
// What a comparison comes to, in words.
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "report/diff.h"
#include "report/parts.h"

// From this factor on, "2.3 times" says more than "+130%".
static const double TIMES = 2;

const char *dj_diff_measure(dj_document *document, const dj_diff_view *view)
{
    const dj_diff *diff = view->diff;
    char size[DJ_HUMAN_BYTES];
    if (diff->ranked >= 0)
        return dj_document_format(document, "%s misses", diff->caches[diff->ranked].name);
    if (diff->ranked == DJ_DIFF_CURVE)
        return dj_document_format(
            document, "misses in a cache of %s %s%s", dj_human_count(size, diff->points[diff->worst].size),
            view->profiles[DJ_AFTER]->provenance.unit, diff->points[diff->worst].size == 1 ? "" : "s");
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

bool dj_diff_is_scaled(const dj_diff *diff)
{
    return diff->work[DJ_BEFORE] != 1 || diff->work[DJ_AFTER] != 1;
}

const char *dj_diff_number(dj_document *document, const dj_diff *diff, double value)
{
    char text[DJ_HUMAN_BYTES];
    return dj_document_copy(document, dj_diff_is_scaled(diff) ? dj_human_fraction(text, value)
                                                              : dj_human_short(text, value));
}

// With all digits if fewer would not show the difference.
static const char *name_value(dj_document *document, const dj_diff *diff, const dj_diff_count *count, int run,
                              bool precise)
{
    char text[DJ_HUMAN_BYTES];
    const double value = dj_diff_value(diff, count, run);
    if (!precise)
        return dj_diff_number(document, diff, value);
    return dj_diff_is_scaled(diff) ? dj_document_format(document, "%.10g", value)
                                   : dj_document_copy(document, dj_human_count(text, count->runs[run]));
}

static const char *name_rise(dj_document *document, const dj_diff *diff, const dj_diff_count *count)
{
    const double before = dj_diff_value(diff, count, DJ_BEFORE), after = dj_diff_value(diff, count, DJ_AFTER);
    const char *from = name_value(document, diff, count, DJ_BEFORE, false);
    const char *to = name_value(document, diff, count, DJ_AFTER, false);
    char percent[DJ_HUMAN_BYTES];
    if (strcmp(from, to) == 0) {
        from = name_value(document, diff, count, DJ_BEFORE, true);
        to = name_value(document, diff, count, DJ_AFTER, true);
    }
    if (before == 0)
        return dj_document_format(document, "rose from 0 to %s", to);
    if (after >= TIMES * before)
        return dj_document_format(document, "rose to %.3g times as many, from %s to %s", after / before, from,
                                  to);
    return dj_document_format(document, "%s by %s, from %s to %s", after > before ? "rose" : "fell",
                              dj_human_rough(percent, 100 * fabs(after - before) / before), from, to);
}

static bool curves_differ(const dj_diff *diff)
{
    for (size_t i = 0; i < diff->point_count; i++)
        if (dj_diff_differs(diff, &diff->points[i].misses))
            return true;
    return false;
}

static bool rows_differ(const dj_diff *diff)
{
    for (size_t i = 0; i < diff->row_lists; i++)
        for (size_t r = 0; r < diff->rows[i].count; r++) {
            const dj_diff_row *row = &diff->rows[i].list[r];
            bool differs = dj_diff_differs(diff, &row->accesses);
            for (size_t c = 0; c < diff->cache_count; c++)
                differs |= dj_diff_differs(diff, &row->misses[c]);
            if (differs)
                return true;
        }
    return false;
}

// What did not change, where one might expect it.
static const char *name_unchanged(dj_document *document, const dj_diff *diff)
{
    if (diff->ranked != DJ_DIFF_CURVE || diff->cache_count == 0)
        return "";
    const char *names = "";
    for (size_t c = 0; c < diff->cache_count; c++)
        names = dj_document_format(document, "%s%s%s", names,
                                   c == 0                       ? ""
                                   : c + 1 == diff->cache_count ? " and "
                                                                : ", ",
                                   diff->caches[c].name);
    return dj_document_format(document, " The accesses and the misses in %s are the same.", names);
}

const char *dj_diff_verdict(dj_document *document, const dj_diff_view *view)
{
    static const double HARDLY = 0.001;
    const dj_diff *diff = view->diff;
    const dj_diff_count *total = dj_diff_ranked(diff, NULL);
    if (dj_diff_differs(diff, total)) {
        const bool hardly =
            fabs(dj_diff_change(diff, total)) < HARDLY * dj_diff_value(diff, total, DJ_BEFORE);
        return dj_document_format(document, "%s %s%s %s.%s%s", hardly ? "Hardly any difference: the" : "The",
                                  dj_diff_measure(document, view),
                                  dj_diff_is_scaled(diff) ? " per element of work" : "",
                                  name_rise(document, diff, total), name_unchanged(document, diff),
                                  hardly ? "" : dj_diff_cause(document, view));
    }
    if (dj_diff_differs(diff, &diff->distinct))
        return dj_document_format(document, "Only the number of %s differs: it %s.",
                                  dj_name_distinct(document, view->profiles[DJ_AFTER]),
                                  name_rise(document, diff, &diff->distinct));
    if (dj_diff_differs(diff, &diff->cold) || curves_differ(diff))
        return "Accesses and caches have no difference; the curves differ.";
    if (rows_differ(diff))
        return dj_document_format(document, "No difference in total.%s", dj_diff_exchange(document, diff));
    return diff->estimated ? "No difference beyond the error of the estimates." : "No difference.";
}
