// SPDX-License-Identifier: MIT
// The ranking of traces by temporal locality, and what follows from it.
#include <stdlib.h>

#include "report/parts.h"
#include "report/stats.h"

enum { NAMED_MOST = 4 };

const char *const dj_stats_rules[] = {[DJ_LOCALITY_MEAN] = "mean", [DJ_LOCALITY_MEDIAN] = "median", NULL};

const char *dj_stats_rule(enum dj_locality_rule rule)
{
    return rule == DJ_LOCALITY_MEAN
               ? "mean reuse distance; lower is better, no reuse is worst"
               : "median reuse distance relative to the distinct blocks, then the mean likewise; lower is "
                 "better, no reuse is worst";
}

static dj_locality locality_of(const dj_trace_stats *trace)
{
    return dj_temporal_locality(&trace->profile->lanes[0]);
}

static int compare(const dj_trace_stats *a, const dj_trace_stats *b, enum dj_locality_rule rule)
{
    const dj_locality x = locality_of(a), y = locality_of(b);
    return dj_locality_compare(rule, &x, &y);
}

static size_t rank_of(const dj_trace_stats *traces, size_t count, size_t i, enum dj_locality_rule rule)
{
    size_t rank = 1;
    for (size_t j = 0; j < count; j++) {
        const int order = compare(&traces[j], &traces[i], rule);
        rank += order < 0 || (order == 0 && j < i);
    }
    return rank;
}

void dj_stats_rank(dj_trace_stats *traces, size_t count, enum dj_locality_rule rule)
{
    for (size_t i = 0; i < count; i++)
        traces[i].rank = rank_of(traces, count, i, rule);
}

// The traces by rank; NULL if out of memory, which the document remembers.
static const dj_trace_stats **in_order(dj_document *document, const dj_trace_stats *traces, size_t count,
                                       enum dj_locality_rule rule)
{
    const dj_trace_stats **order = dj_document_take(document, count, sizeof(dj_trace_stats *));
    for (size_t i = 0; order && i < count; i++)
        order[rank_of(traces, count, i, rule) - 1] = &traces[i];
    return order;
}

// "a, b and c", "a, b, c and 4 others".
static const char *name_list(dj_document *document, const dj_trace_stats *const *order, size_t from,
                             size_t end)
{
    const char *names = "";
    const size_t named = end - from > NAMED_MOST ? NAMED_MOST - 1 : end - from;
    for (size_t i = 0; i < named; i++)
        names = dj_document_format(document, "%s%s%s", names,
                                   i == 0                                  ? ""
                                   : i + 1 == named && from + named == end ? " and "
                                                                           : ", ",
                                   order[from + i]->profile->provenance.inputs[0]);
    return from + named == end ? names
                               : dj_document_format(document, "%s and %zu others", names, end - from - named);
}

static const char *name_value(dj_document *document, const dj_trace_stats *trace, enum dj_locality_rule rule)
{
    const dj_locality locality = locality_of(trace);
    return rule == DJ_LOCALITY_MEAN ? dj_document_format(document, "%.1f", locality.distance)
                                    : dj_document_format(document, "%.4f", locality.median);
}

// What is between the best and the poorest, and behind.
static const char *name_others(dj_document *document, const dj_trace_stats *const *order, size_t best,
                               size_t reused, size_t count, enum dj_locality_rule rule)
{
    size_t worst = reused;
    const char *text = "";
    while (worst > best && compare(order[worst - 1], order[reused - 1], rule) == 0)
        worst--;
    if (worst > best)
        text = dj_document_format(document, " %s %s.", name_list(document, order, best, worst),
                                  worst - best > 1 ? "follow in this order" : "follows");
    if (reused > best)
        text = dj_document_format(
            document, "%s %s %s the poorest, %s.", text, name_list(document, order, worst, reused),
            reused - worst > 1 ? "have" : "has", name_value(document, order[worst], rule));
    if (count > reused)
        text =
            dj_document_format(document, "%s %s %s nothing.", text, name_list(document, order, reused, count),
                               count - reused > 1 ? "reuse" : "reuses");
    return text;
}

static const char *name_other_rule(dj_document *document, const dj_trace_stats *traces, size_t count,
                                   const dj_trace_stats *const *order, enum dj_locality_rule rule)
{
    const enum dj_locality_rule other = rule == DJ_LOCALITY_MEAN ? DJ_LOCALITY_MEDIAN : DJ_LOCALITY_MEAN;
    const dj_trace_stats **there = in_order(document, traces, count, other);
    bool same = true;
    for (size_t i = 0; there && i < count; i++)
        same = same && order[i] == there[i];
    if (!there || same)
        return "";
    return dj_document_format(document, " By the %s (--rank %s) the order is %s.",
                              other == DJ_LOCALITY_MEAN ? "mean reuse distance"
                                                        : "median relative to the distinct blocks",
                              dj_stats_rules[other], name_list(document, there, 0, count));
}

const char *dj_stats_verdict(dj_document *document, const dj_trace_stats *traces, size_t count,
                             enum dj_locality_rule rule)
{
    const dj_trace_stats **order = in_order(document, traces, count, rule);
    size_t best = 1, reused = 0;
    bool exact = true;
    if (!order)
        return "";
    while (reused < count && locality_of(order[reused]).any)
        reused++;
    if (reused == 0)
        return "No trace reuses anything, so none has temporal locality.";
    while (best < reused && compare(order[best], order[0], rule) == 0)
        best++;
    for (size_t i = 0; i < count; i++)
        exact = exact && traces[i].profile->provenance.exact;
    return dj_document_format(
        document, "%s %s %s temporal locality: the %s %s reuse distance%s, %s.%s%s%s",
        name_list(document, order, 0, best), best > 1 ? "have" : "has", best == count ? "equal" : "the best",
        best == count ? "same" : "lowest", dj_stats_rules[rule],
        rule == DJ_LOCALITY_MEAN ? "" : " relative to the distinct blocks",
        name_value(document, order[0], rule), name_others(document, order, best, reused, count, rule),
        name_other_rule(document, traces, count, order, rule),
        exact ? "" : " These are estimates: traces with nearly the same value may be in the other order.");
}

void dj_add_stats_ranking(dj_document *document, const dj_trace_stats *traces, size_t count,
                          enum dj_locality_rule rule)
{
    static const dj_sheet_column ranks[] = {DJ_COLUMN("rank", NULL, 4, 0),
                                            DJ_COLUMN("mean", NULL, 12, 0),
                                            DJ_COLUMN("median/distinct", NULL, 16, 1),
                                            DJ_COLUMN("mean/distinct", NULL, 15, 2),
                                            {.title = "trace", .left = true}};
    const dj_trace_stats **order = in_order(document, traces, count, rule);
    document->summary = dj_stats_verdict(document, traces, count, rule);
    dj_document_say(document, DJ_TEXT_HEADING, 0, "temporal locality, best first");
    dj_document_say(document, DJ_TEXT_LEGEND, 2, "%s", dj_stats_rule(rule))->gap = false;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "");
    dj_sheet_node(table)->gap = false;
    DJ_COLUMNS(table, ranks);
    for (size_t i = 0; order && i < count; i++) {
        const dj_locality locality = locality_of(order[i]);
        const dj_datum none = dj_datum_none("no reuse");
        const dj_datum cells[] = {dj_datum_whole(DJ_DATUM_NUMBER, i + 1),
                                  locality.any ? dj_datum_real(DJ_DATUM_REAL, locality.distance, 4) : none,
                                  locality.any ? dj_datum_real(DJ_DATUM_REAL, locality.median, 4) : none,
                                  locality.any ? dj_datum_real(DJ_DATUM_REAL, locality.mean, 4) : none,
                                  dj_datum_text(order[i]->profile->provenance.inputs[0])};
        DJ_CELLS(table, cells);
    }
}
