// SPDX-License-Identifier: MIT
#include "report/sharing_misses.h"

#include <deja/corun.h>
#include <deja/model.h>

#include "base/human.h"
#include "report/parts.h"

static const char *name_width(dj_document *document, const dj_sharing *sharing, uint32_t sharers)
{
    if (sharers >= sharing->count)
        return "all";
    return sharers == 1 ? "private" : dj_document_format(document, "%u each", sharers);
}

static dj_datum mark(dj_datum datum, bool about)
{
    datum.about = about;
    return datum;
}

int dj_count_cache_misses(dj_context *context, const dj_sharing *sharing, size_t sharer,
                          const dj_shared_cache *cache, uint64_t block, dj_cache_misses *out)
{
    const uint64_t blocks = cache->bytes / block;
    const dj_sharer_distances *alone = &sharing->sharers[sharer].standalone;
    *out = (dj_cache_misses){.here = dj_sharer_in_cache(sharing, sharer, cache->sharers)};
    if (!out->here)
        return DJ_OK;
    out->all_exact = dj_mrc_is_exact_at(&out->here->lane, blocks);
    out->alone_exact = dj_mrc_is_exact_at(&alone->lane, blocks);
    int err = dj_sharer_misses(context, out->here, blocks, &out->all);
    return err ? err : dj_sharer_misses(context, alone, blocks, &out->alone);
}

static void add_cache_row(dj_document *document, dj_sheet *table, const dj_sharing *sharing, size_t sharer,
                          const dj_shared_cache *cache, const dj_cache_misses *misses)
{
    const dj_sharer_profile *s = &sharing->sharers[sharer];
    const dj_sharer_distances *here = misses->here;
    const bool all_about = !misses->all_exact, alone_about = !misses->alone_exact;
    const double accesses = (double)s->standalone.lane.accesses;
    char size[DJ_HUMAN_BYTES];
    const char *width = name_width(document, sharing, cache->sharers);
    const dj_datum cells[] = {
        dj_datum_text(dj_document_format(document, "%s %s, %s", cache->name,
                                         dj_human_bytes(size, cache->bytes), width)),
        dj_datum_text(width),
        dj_datum_text(s->name),
        mark(dj_datum_count(misses->all), all_about),
        mark(dj_datum_part(DJ_DATUM_PERCENT, (double)misses->all, accesses), all_about),
        mark(dj_datum_count(misses->alone), alone_about),
        mark(dj_datum_part(DJ_DATUM_PERCENT, (double)misses->alone, accesses), alone_about),
        dj_datum_count(here->lane.cold - here->invalidated),
        dj_datum_count(here->invalidated),
        mark(dj_datum_count(misses->all - here->lane.cold), all_about),
        dj_datum_text(all_about || alone_about ? "upper bounds" : "exact")};
    DJ_CELLS(table, cells);
}

int dj_add_cache_misses(dj_context *context, dj_document *document, const dj_sharing *sharing, uint64_t block)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "cache"},
        {.name = "shared_by"},
        {.title = "", .name = "sharer"},
        {.title = "misses", .name = "misses", .width = 8},
        {.title = "%", .name = "miss_ratio", .width = 7},
        {.name = "alone"},
        {.title = "alone", .name = "alone_ratio", .width = 7},
        {.title = "cold", .name = "cold", .width = 6, .rank = 3},
        {.title = "invalid", .name = "invalidated", .width = 7, .rank = 2},
        {.title = "capacity", .name = "capacity", .width = 8, .rank = 1},
        {.name = "counts"},
    };
    if (sharing->cache_count == 0)
        return DJ_OK;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "misses");
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    int err = DJ_OK;
    bool exact = true;
    for (size_t c = 0; c < sharing->cache_count; c++)
        for (size_t i = 0; !err && i < sharing->count; i++) {
            dj_cache_misses misses;
            err = dj_count_cache_misses(context, sharing, i, &sharing->caches[c], block, &misses);
            if (err || !misses.here)
                continue;
            add_cache_row(document, table, sharing, i, &sharing->caches[c], &misses);
            exact = exact && misses.all_exact && misses.alone_exact;
        }
    if (err)
        return err;
    dj_document_say(document, DJ_TEXT_LEGEND, 0,
                    "Fully associative LRU caches. invalid: another cache wrote to the block since this "
                    "one last accessed it, even if it was evicted first. alone: all misses without the "
                    "others.%s",
                    exact
                        ? ""
                        : " ≈: an upper bound, from a bin of a saved profile in which the size lies; --bins "
                          "exact and .dejap save all distances.");
    return DJ_OK;
}
