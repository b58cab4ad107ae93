// SPDX-License-Identifier: MIT
// The reuse distances of each address. There are as many as accesses, so the tables
// make their rows on demand from the profile, which must outlive them.
#include "report/stats.h"

// For people: one row for each key with its distances.
static void fill_key(const void *source, size_t row, dj_datum *cells)
{
    const dj_key_profile *keys = source;
    dj_datum list = {.kind = DJ_DATUM_LIST,
                     .heights = &keys->list_distances[keys->list_offset[row]],
                     .last = keys->list_offset[row + 1] - keys->list_offset[row]};
    if (keys->list_device)
        *cells++ = dj_datum_whole(DJ_DATUM_NUMBER, keys->list_device[row]);
    *cells++ = dj_datum_whole(DJ_DATUM_NUMBER, keys->list_key[row]);
    *cells = list;
}

// The key to which row `row` of a table with one row for each access belongs: the last key whose
// first row is not beyond `row`. Key i is preceded by offset[i] + i rows.
static size_t find_key(const dj_key_profile *keys, size_t row)
{
    size_t low = 0, high = keys->list_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (keys->list_offset[middle] + middle <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void fill_access(const void *source, size_t row, dj_datum *cells)
{
    const dj_key_profile *keys = source;
    size_t key = find_key(keys, row);
    uint64_t nth = row - (keys->list_offset[key] + key);
    if (keys->list_device)
        *cells++ = dj_datum_whole(DJ_DATUM_NUMBER, keys->list_device[key]);
    *cells++ = dj_datum_whole(DJ_DATUM_NUMBER, keys->list_key[key]);
    *cells++ = dj_datum_whole(DJ_DATUM_NUMBER, nth + 1);
    *cells = nth == 0
                 ? dj_datum_none("")
                 : dj_datum_whole(DJ_DATUM_NUMBER, keys->list_distances[keys->list_offset[key] + nth - 1]);
}

void dj_add_addresses(dj_document *document, const dj_key_profile *keys)
{
    dj_document_say(document, DJ_TEXT_HEADING, 0, "reuse distances of each key, in order of first access");
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "");
    dj_sheet_node(table)->gap = false;
    if (keys->list_device)
        dj_sheet_add_column(table, (dj_sheet_column){.title = "device"});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "key"});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "distances", .left = true, .wraps = true});
    table->fill = fill_key;
    table->source = keys;
    table->row_count = keys->list_count;
    table = dj_document_table(document, DJ_NODE_TABLE, "");
    dj_sheet_node(table)->data = dj_sheet_node(table)->hidden = true;
    if (keys->list_device)
        dj_sheet_add_column(table, (dj_sheet_column){.name = "device"});
    dj_sheet_add_column(table, (dj_sheet_column){.name = "key"});
    dj_sheet_add_column(table, (dj_sheet_column){.name = "access"});
    dj_sheet_add_column(table, (dj_sheet_column){.name = "distance"});
    table->fill = fill_access;
    table->source = keys;
    table->row_count = keys->list_count ? keys->list_offset[keys->list_count] + keys->list_count : 0;
}
