// SPDX-License-Identifier: MIT
// The report of 'deja predict' for one profile: where its reuse distances lie, and which code and data is
// there.
#include <inttypes.h>
#include <math.h>

#include "base/human.h"
#include "report/parts.h"
#include "report/predict.h"

static const char *name_parts(dj_document *document, const dj_hill_part *parts, size_t count)
{
    const char *text = "";
    char share[DJ_HUMAN_BYTES];
    for (size_t i = 0; i < count; i++)
        text = dj_document_format(document, "%s%s%s %s", text, *text ? ", " : "", parts[i].name,
                                  dj_human_share(share, parts[i].share, 1));
    return text;
}

static void add_table(dj_document *document, const dj_hills *hills)
{
    static const dj_sheet_column columns[] = {
        DJ_COLUMN("distances", "distances", 14, 0),
        DJ_COLUMN("reuses", "reuses", 8, 0),
        DJ_COLUMN("share", "share", 6, 0),
        DJ_COLUMN("middle", "middle", 8, 1),
        {.title = "data", .name = "objects", .width = 20, .rank = 2, .left = true},
        {.title = "lines", .name = "lines", .width = 20, .rank = 3, .left = true},
    };
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "hills");
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < hills->count; i++) {
        const dj_hill *hill = &hills->list[i];
        const dj_datum cells[] = {dj_datum_range(hill->lo, hill->hi),
                                  dj_datum_whole(DJ_DATUM_SHORT, hill->reuses),
                                  dj_datum_part(DJ_DATUM_SHARE, (double)hill->reuses, (double)hills->reuses),
                                  dj_datum_count(dj_whole(hill->middle)),
                                  dj_datum_text(name_parts(document, hill->objects, hill->object_count)),
                                  dj_datum_text(name_parts(document, hill->lines, hill->line_count))};
        DJ_CELLS(table, cells);
    }
    dj_document_say(
        document, DJ_TEXT_LEGEND, 0,
        "A hill is a run of power-of-two ranges that hold at least 2%% of the reuses each. middle: its "
        "median distance. Shares of data and lines are of the reuses of the hill.");
}

static void say_concentration(dj_document *document, const char *what, unsigned bins,
                              const dj_concentration *list)
{
    char part[DJ_CONCENTRATIONS][DJ_HUMAN_BYTES];
    for (size_t i = 0; i < DJ_CONCENTRATIONS; i++)
        dj_human_share(part[i], list[i].share, 1);
    dj_document_say(document, DJ_TEXT_SENTENCES, 0,
                    "Of the %s, %u of %u ranges hold %s, %u hold %s, and %u hold %s.", what, list[0].bins,
                    bins, part[0], list[1].bins, part[1], list[2].bins, part[2]);
}

int dj_document_hills(dj_context *context, const dj_profile *profile, const dj_hills *hills,
                      dj_document **out)
{
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    dj_add_title(document, profile);
    document->summary = dj_document_format(
        document, "%zu hill%s; %u of %u ranges of distances hold 99%% of the reuses.", hills->count,
        hills->count == 1 ? "" : "s", hills->all[DJ_CONCENTRATIONS - 1].bins, hills->bins);
    add_table(document, hills);
    if (hills->reuses > 0)
        say_concentration(document, "reuses", hills->bins, hills->all);
    if (hills->long_reuses > 0)
        say_concentration(document,
                          dj_document_format(document, "long reuses (distance %d or more)", DJ_LONG_DISTANCE),
                          hills->long_bins, hills->longs);
    dj_document_say(document, DJ_TEXT_SENTENCES, 0,
                    "To see which hills grow with the input, name profiles of at least %d inputs.",
                    DJ_PREDICT_LEAST);
    return dj_document_finish(context, err, document, out);
}
