// SPDX-License-Identifier: MIT
// The report of 'deja co-run'.
#include <deja/corun.h>
#include <deja/version.h>

#include <math.h>

#include "base/human.h"
#include "report/parts.h"

static const char *name_others(dj_document *document, const dj_corun_view *view, const dj_corun_group *group,
                               size_t own)
{
    const char *text = "";
    for (size_t k = 0; k < group->count; k++)
        if (k != own)
            text = dj_document_format(document, "%s%s%s", text, *text ? " + " : "",
                                      view->names[group->sharer[k]]);
    return text;
}

double dj_corun_slowdown(const dj_corun_view *view, const dj_corun_group *group, size_t member)
{
    for (size_t g = 0; view->cores && g < view->group_count; g++)
        if (view->groups[g].count == 1 && view->groups[g].sharer[0] == group->sharer[member])
            return group->cycles[member] / view->groups[g].cycles[0];
    return NAN;
}

static void add_row(dj_document *document, dj_sheet *table, const dj_corun_view *view,
                    const dj_corun_group *group, size_t member, double alone)
{
    const bool timed = view->cores != NULL;
    const dj_datum cells[] = {
        dj_datum_text(view->names[group->sharer[member]]),
        dj_datum_text(dj_document_format(document, "%s%s", name_others(document, view, group, member),
                                         group->second ? ", other speeds" : "")),
        dj_datum_part(DJ_DATUM_PERCENT, group->ratio[member], 1),
        dj_datum_part(DJ_DATUM_PERCENT, alone, 1),
        timed ? dj_datum_real(DJ_DATUM_REAL, group->cycles[member], 2) : dj_datum_none(""),
        timed ? dj_datum_real(DJ_DATUM_REAL, dj_corun_slowdown(view, group, member), 3) : dj_datum_none("")};
    dj_sheet_add_cells(table, cells, timed ? 6 : 4);
}

static void add_groups(dj_document *document, const dj_corun_view *view)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "sharer"},
        {.title = "with", .name = "others"},
        {.title = "miss ratio", .name = "miss_ratio", .width = 9},
        {.title = "alone", .name = "alone", .width = 9, .rank = 1},
        {.title = "cycles", .name = "cycles", .width = 8, .rank = 2},
        {.title = "slowdown", .name = "slowdown", .width = 8},
    };
    bool second = false;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE,
                                        dj_document_format(document, "in a shared %s", view->cache));
    dj_sheet_node(table)->data = true;
    dj_sheet_add_columns(table, columns, view->cores ? 6 : 4);
    for (size_t sharer = 0; sharer < view->corun->count; sharer++) {
        double alone = 0;
        for (size_t g = 0; g < view->group_count; g++)
            for (size_t k = 0; k < view->groups[g].count; k++) {
                const dj_corun_group *group = &view->groups[g];
                if (group->sharer[k] != sharer)
                    continue;
                alone = group->count == 1 ? group->ratio[k] : alone;
                second = second || group->second;
                if (group->count > 1)
                    add_row(document, table, view, group, k, alone);
            }
    }
    if (view->cores)
        dj_document_say(document, DJ_TEXT_LEGEND, 0,
                        "cycles: of an access, misses included. slowdown: the same relative to the program "
                        "alone in this cache.");
    if (second)
        dj_document_say(document, DJ_TEXT_SENTENCES, 0,
                        "Where two different speeds fit the miss ratios, both are listed. Which of them "
                        "occurs depends on what happened before.");
}

static void add_pairs(dj_document *document, const dj_corun_view *view)
{
    char misses[DJ_HUMAN_BYTES];
    const char *text = "";
    for (size_t i = 0; i < view->corun->count; i++) {
        const size_t k = view->partner[i];
        if (k > i)
            text = dj_document_format(document, "%s%s%s with %s", text, *text ? ", " : "", view->names[i],
                                      view->names[k]);
        else if (k == i)
            text = dj_document_format(document, "%s%s%s alone", text, *text ? ", " : "", view->names[i]);
    }
    document->summary =
        view->by_slowdown
            ? dj_document_format(
                  document,
                  "Best pairs: %s. Their mean slowdown is %.3f, the least of all ways to pair them.", text,
                  view->cost / (double)view->corun->count)
            : dj_document_format(
                  document,
                  "Best pairs: %s. They have %s misses together, the fewest of all ways to pair them.", text,
                  dj_human_count(misses, (uint64_t)llround(view->cost)));
}

int dj_document_corun(dj_context *context, const dj_corun_view *view, dj_document **out)
{
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    char blocks[DJ_HUMAN_BYTES];
    dj_document_say(document, DJ_TEXT_TITLE, 0, "%zu profiles, a shared %s of %s %s%s", view->corun->count,
                    view->cache, dj_human_count(blocks, view->blocks), view->unit ? view->unit : "block",
                    view->blocks == 1 ? "" : "s");
    dj_document_say(document, DJ_TEXT_PROVENANCE, 0,
                    "predicted from each alone, not measured; a fully associative LRU cache; all run all the "
                    "time, %s",
                    view->corun->order == DJ_CORUN_RANDOM ? "in random order"
                                                          : "in proportion to their speeds");
    if (view->cores)
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0,
                        "speeds: an access takes the stated cycles, and each miss adds the stated penalty; "
                        "bandwidth is unlimited");
    dj_add_command(document, DJ_VERSION, view->command);
    add_groups(document, view);
    if (view->partner)
        add_pairs(document, view);
    return dj_document_finish(context, DJ_OK, document, out);
}
