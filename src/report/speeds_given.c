// SPDX-License-Identifier: MIT
#include "report/speeds_given.h"

#include "report/parts.h"

enum { DECIMALS = 3 };

void dj_add_given_speeds(dj_document *document, const dj_sharing *sharing)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "sharer"},
        {.title = "speed", .name = "speed", .width = 8},
    };
    bool equal = true;
    for (size_t i = 1; i < sharing->count; i++)
        equal &= sharing->sharers[i].speed == sharing->sharers[0].speed;
    if (equal)
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "speeds in this order");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < sharing->count; i++) {
        const dj_datum cells[] = {dj_datum_text(sharing->sharers[i].name),
                                  dj_datum_real(DJ_DATUM_REAL, sharing->sharers[i].speed, DECIMALS)};
        DJ_CELLS(table, cells);
    }
}
