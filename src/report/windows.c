// SPDX-License-Identifier: MIT
// Locality over time, a row for each window.
#include <deja/windows.h>

#include <inttypes.h>

#include "report/parts.h"

enum { HEIGHTS = 12, SHOWN = 24 };

static dj_datum draw(dj_document *document, const dj_window *window, unsigned octaves)
{
    uint64_t *heights = dj_document_take(document, HEIGHTS, sizeof *heights);
    for (uint32_t i = 0; heights && i < window->bin_count; i++)
        heights[i * HEIGHTS / octaves] += window->bins[i];
    return (dj_datum){.kind = DJ_DATUM_SPARK, .heights = heights, .last = heights ? HEIGHTS : 0};
}

void dj_add_windows(dj_document *document, const dj_profile *profile)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "first"},
        {.title = "accesses", .name = "accesses", .width = 8},
        {.title = "cold", .name = "cold", .width = 8},
        {.title = "%", .width = 4, .rank = 2},
        {.title = "distinct", .name = "distinct", .width = 8},
        {.title = "distances", .width = HEIGHTS, .rank = 1},
    };
    const dj_windows *windows = dj_lane_windows(&profile->lanes[0]);
    unsigned octaves = 1;
    if (!windows)
        return;
    for (size_t i = 0; i < windows->count; i++)
        octaves = windows->rows[i].bin_count > octaves ? windows->rows[i].bin_count : octaves;
    dj_sheet *table = dj_document_table(
        document, DJ_NODE_TABLE,
        windows->duration ? dj_document_format(document, "windows of %g s", (double)windows->duration / 1e9)
                          : dj_document_format(document, "windows of %" PRIu64 " accesses", windows->length));
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < windows->count; i++) {
        const dj_window *window = &windows->rows[i];
        const dj_datum cells[] = {
            dj_datum_text(windows->duration
                              ? dj_document_format(document, "from %g s", (double)window->time / 1e9)
                              : dj_document_format(document, "from %" PRIu64, window->first)),
            dj_datum_count(window->accesses),
            dj_datum_count(window->cold),
            dj_datum_part(DJ_DATUM_SHARE, (double)window->cold, (double)window->accesses),
            dj_datum_count(window->distinct),
            draw(document, window, octaves)};
        DJ_CELLS(table, cells);
        if (i >= SHOWN && table->row_count > 0)
            table->rows[table->row_count - 1].hidden = true;
    }
    if (windows->count > SHOWN)
        table->rest =
            dj_document_format(document, "… and %zu more; --json has all of them", windows->count - SHOWN);
    dj_document_say(
        document, DJ_TEXT_LEGEND, 2,
        "cold, %%: first accesses and their share; distinct: different %ss accessed; distances: number "
        "of reuses from short to long distances, in powers of two",
        profile->provenance.unit)
        ->gap = false;
}
