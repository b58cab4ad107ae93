// SPDX-License-Identifier: MIT
// Limits that are crossed, in words.
#include "report/crossings.h"

#include <math.h>
#include <string.h>

#include "base/human.h"

enum { SAID = 10 }; // of each limit

static bool is_ratio(const dj_crossing *c)
{
    return c->limit->measure == DJ_LIMIT_RATIO;
}

static const char *name_value(dj_document *document, const dj_crossing *c, double value)
{
    char text[DJ_HUMAN_BYTES];
    return is_ratio(c) ? dj_document_format(document, "%.4g%%", 100 * value)
                       : dj_document_copy(document, dj_human_fraction(text, value));
}

// A change, in the unit of the limit.
static const char *name_change(dj_document *document, const dj_crossing *c, double change)
{
    const char *sign = change < 0 ? "-" : "+";
    char text[DJ_HUMAN_BYTES];
    if (c->limit->kind == DJ_LIMIT_VALUE)
        return name_value(document, c, change);
    if (isinf(change))
        return "more than any percentage";
    if (c->limit->kind == DJ_LIMIT_PERCENT)
        return dj_document_format(document, "%s%.3g%%", sign, fabs(change));
    return is_ratio(c) ? dj_document_format(document, "%s%.3g pp", sign, 100 * fabs(change))
                       : dj_document_format(document, "%s%s", sign, dj_human_fraction(text, fabs(change)));
}

static const char *name_found(dj_document *document, const dj_crossing *c)
{
    const char *now = name_value(document, c, c->after);
    const bool is_value = c->limit->kind == DJ_LIMIT_VALUE;
    if (c->low < c->high)
        return dj_document_format(document, "%s between %s and %s", is_value ? "is" : "changed by",
                                  name_change(document, c, c->low), name_change(document, c, c->high));
    if (is_value)
        return dj_document_format(document, "is %s", now);
    const char *before = name_value(document, c, c->before);
    if (strcmp(before, now) == 0 && !is_ratio(c)) // fewer digits do not show the difference
        return dj_document_format(document, "changed by %s, from %.10g to %.10g",
                                  name_change(document, c, c->change), c->before, c->after);
    return dj_document_format(document, "changed by %s, from %s to %s", name_change(document, c, c->change),
                              before, now);
}

static const char *name_crossing(dj_document *document, const dj_crossing *c)
{
    const char *state = c->certain   ? "crossed"
                        : c->crossed ? "may be crossed"
                                     : "cannot be decided: the runs are estimates";
    return dj_document_format(document, "limit '%s' %s: %s%s%s%s %s", c->limit->text, state, c->measure,
                              c->part ? " of '" : "", c->part ? c->part : "", c->part ? "'" : "",
                              name_found(document, c));
}

void dj_crossings_say(dj_document *document, const dj_crossings *crossings, dj_crossing_line *line,
                      void *user)
{
    size_t said = 0;
    for (size_t i = 0; crossings && i < crossings->count; i++) {
        const dj_crossing *c = &crossings->list[i];
        const bool first = i == 0 || c->limit != c[-1].limit,
                   last = i + 1 == crossings->count || c->limit != c[1].limit;
        said = first ? 1 : said + 1;
        if (said <= SAID)
            line(user, c->crossed, name_crossing(document, c));
        else if (last)
            line(
                user, c->crossed,
                dj_document_format(document, "limit '%s': %zu more like these", c->limit->text, said - SAID));
    }
}

static void write_one(dj_json_writer *json, const dj_crossing *c)
{
    dj_json_begin_row(json, NULL);
    dj_json_text(json, "limit", c->limit->text);
    dj_json_text(json, "measure", c->measure);
    if (c->part) {
        dj_json_text(json, "by", dj_by_name(c->limit->by));
        dj_json_text(json, "name", c->part);
    }
    if (!isnan(c->before))
        dj_json_real(json, "before", c->before);
    dj_json_real(json, "after", c->after);
    if (c->low < c->high) {
        dj_json_real(json, "low", c->low);
        if (isfinite(c->high))
            dj_json_real(json, "high", c->high);
    }
    dj_json_end_object(json);
}

static void write_list(dj_json_writer *json, const char *key, const dj_crossings *crossings, bool crossed)
{
    dj_json_begin_list(json, key);
    for (size_t i = 0; crossings && i < crossings->count; i++)
        if (crossings->list[i].crossed == crossed)
            write_one(json, &crossings->list[i]);
    dj_json_end_list(json);
}

void dj_crossings_json(dj_json_writer *json, const dj_crossings *crossings)
{
    write_list(json, "crossed", crossings, true);
    for (size_t i = 0; crossings && i < crossings->count; i++)
        if (!crossings->list[i].crossed) {
            write_list(json, "undecided", crossings, false);
            return;
        }
}
