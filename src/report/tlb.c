// SPDX-License-Identifier: MIT
// Misses of TLBs as a table.
#include <deja/tlb.h>

#include "base/human.h"
#include "report/parts.h"

void dj_add_tlb(dj_document *document, const dj_profile *profile)
{
    static const dj_sheet_column columns[] = {
        {.title = ""},
        {.name = "tlb"},
        {.name = "page_bytes"},
        {.title = "entries", .name = "entries", .width = 7},
        {.title = "reach", .name = "reach_bytes", .width = 8},
        {.title = "misses", .name = "misses", .width = 15},
        {.title = "%", .name = "miss_ratio", .width = 7},
    };
    const dj_tlb_profile *t = dj_profile_tlb(profile);
    if (!t || t->count == 0)
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "TLB misses");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < t->count; i++) {
        const dj_tlb_level *l = &t->levels[i];
        char size[DJ_HUMAN_BYTES];
        const dj_datum cells[] = {
            dj_datum_text(dj_document_format(document, "%s, pages of %s", l->name,
                                             dj_human_bytes(size, l->page_bytes))),
            dj_datum_text(l->name),
            dj_datum_whole(DJ_DATUM_NUMBER, l->page_bytes),
            dj_datum_count(l->entries),
            dj_datum_whole(DJ_DATUM_BYTES, l->entries * l->page_bytes),
            dj_datum_count(l->misses),
            dj_datum_part(DJ_DATUM_PERCENT, (double)l->misses, (double)profile->lanes[0].accesses)};
        DJ_CELLS(table, cells);
    }
    dj_document_say(document, DJ_TEXT_LEGEND, 2,
                    "as if fully associative, and all data in pages of that size%s",
                    t->assumed ? "; typical sizes, since the processor does not say its own" : "")
        ->gap = false;
}
