// SPDX-License-Identifier: MIT
#include "report/entity_own.h"

#include <deja/tracing.h>

#include "base/human.h"
#include "report/row_ranges.h"

static uint64_t weight(const dj_attribution_page *page, const dj_own_lines *own, const dj_entity *entity)
{
    return entity ? dj_own_weight(&own->lines, page->a, entity) : 0;
}

uint64_t dj_entity_own_weight(const dj_attribution_page *page, const dj_own_lines *own,
                              const dj_entity *entity)
{
    return weight(page, own, dj_own_find(own->own, entity));
}

void dj_put_entity_own(const dj_attribution_page *page, dj_sheet *table, dj_sheet_row *row,
                       const dj_own_lines *own, const dj_entity *entity)
{
    const dj_entity *found = dj_own_find(own->own, entity);
    dj_datum datum = dj_datum_whole(DJ_DATUM_SHORT, weight(page, own, found));
    datum.about = dj_rows_are_estimates(page->profile);
    dj_row_put(table, row, found ? datum : dj_datum_none("-"));
}

const char *dj_name_unowned(const dj_attribution_page *page, const dj_own_lines *own)
{
    const dj_breakdown *b = own->own;
    double all = 0, rest = 0;
    char share[DJ_HUMAN_BYTES];
    for (size_t i = 0; i < b->count; i++) {
        const double part = (double)weight(page, own, &b->entities[i]);
        all += part;
        rest += b->entities[i].line > 0 ? 0 : part;
    }
    return rest > 0 ? dj_document_format(page->document, " (%s are in no known context of such a line)",
                                         dj_human_share(share, rest, all))
                    : "";
}
