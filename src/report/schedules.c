// SPDX-License-Identifier: MIT
#include "report/schedules.h"

#include <string.h>

#include "base/human.h"
#include "report/parts.h"

enum { DECIMALS = 1 };

// "5 to 7 over 4 schedules".
static const char *name_spread(dj_document *document, const char *low, const char *high, uint64_t count)
{
    const unsigned long long schedules = count;
    if (strcmp(low, high) != 0)
        return dj_document_format(document, "%s to %s over %llu schedules", low, high, schedules);
    return count == 1 ? dj_document_format(document, "%s in one schedule", low)
                      : dj_document_format(document, "%s in all %llu schedules", low, schedules);
}

static const char *name_count(dj_document *document, uint64_t count)
{
    return dj_document_format(document, "%llu schedule%s", (unsigned long long)count, count == 1 ? "" : "s");
}

// In the largest cache that several share, or else the largest.
void dj_say_schedules(dj_document *document, const dj_sharing *sharing)
{
    const dj_schedules *s = sharing->schedules;
    char low[DJ_HUMAN_BYTES], high[DJ_HUMAN_BYTES];
    const char *what = "Mean reuse distance in one cache for all";
    if (!s || sharing->count == 1)
        return;
    if (s->cache_count > 0) {
        size_t largest = s->cache_count - 1;
        for (size_t i = 0; i < s->cache_count; i++)
            if (sharing->caches[i].sharers > 1)
                largest = i;
        what = dj_document_format(document, "%s misses of all threads", s->caches[largest].cache);
        dj_human_count(low, s->caches[largest].all.minimum);
        dj_human_count(high, s->caches[largest].all.maximum);
    } else {
        dj_human_real(low, s->distance.minimum, DECIMALS);
        dj_human_real(high, s->distance.maximum, DECIMALS);
    }
    document->summary =
        dj_document_format(document, "%s: %s.", what, name_spread(document, low, high, s->count));
}

static void add_misses(dj_sheet *table, const char *cache, const char *sharer, const dj_count_range *range)
{
    const dj_datum cells[] = {dj_datum_text(cache), dj_datum_text(sharer), dj_datum_count(range->minimum),
                              dj_datum_count(range->median), dj_datum_count(range->maximum)};
    DJ_CELLS(table, cells);
}

static void add_distances(dj_sheet *table, const char *sharer, const dj_mean_range *range)
{
    const dj_datum cells[] = {dj_datum_text("mean distance"), dj_datum_text(sharer),
                              dj_datum_real(DJ_DATUM_REAL, range->minimum, DECIMALS),
                              dj_datum_real(DJ_DATUM_REAL, range->median, DECIMALS),
                              dj_datum_real(DJ_DATUM_REAL, range->maximum, DECIMALS)};
    DJ_CELLS(table, cells);
}

void dj_add_schedules(dj_document *document, const dj_profile *profile, const dj_sharing *sharing)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "cache"},
        {.title = "", .name = "sharer"},
        {.title = "minimum", .name = "minimum", .width = 11},
        {.title = "median", .name = "median", .width = 11},
        {.title = "maximum", .name = "maximum", .width = 11},
    };
    const dj_schedules *s = sharing->schedules;
    if (!s || sharing->count == 1)
        return;
    dj_sheet *table =
        dj_document_table(document, DJ_NODE_TABLE,
                          dj_document_format(document, "misses over %s", name_count(document, s->count)));
    DJ_COLUMNS(table, columns);
    for (size_t c = 0; c < s->cache_count; c++) {
        for (size_t i = 0; i < s->caches[c].count; i++)
            add_misses(table, s->caches[c].cache, sharing->sharers[i].name, &s->caches[c].sharers[i]);
        add_misses(table, s->caches[c].cache, "all", &s->caches[c].all);
    }
    for (size_t i = 0; i < s->distance_count; i++)
        add_distances(table, sharing->sharers[i].name, &s->distances[i]);
    add_distances(table, "all", &s->distance);
    dj_document_say(document, DJ_TEXT_LEGEND, 0,
                    "%s with consecutive seeds from %llu, turns of %llu accesses. Only the order of the "
                    "recorded accesses varies, spinning included. mean distance: in one cache for all. All "
                    "other tables are of the first schedule.",
                    name_count(document, s->count), (unsigned long long)s->seed,
                    (unsigned long long)s->quantum);
    if (s->cache_count < sharing->cache_count)
        dj_document_say(
            document, DJ_TEXT_SENTENCES, 0,
            "Misses in these caches are known for the first schedule only: they were not measured.");
    if (s->forced > DJ_FORCED_MOST)
        dj_document_say(
            document, DJ_TEXT_SENTENCES, 0,
            "What threads wait for leaves almost no other order than the recorded one: only "
            "%.1f%% of the accesses had a choice. --order speeds shows the other extreme, without "
            "waiting.",
            100 * (1 - s->forced));
    if (profile->reads + profile->writes == 0)
        dj_document_say(document, DJ_TEXT_SENTENCES, 0,
                        "Which accesses write is unknown, so reads do not wait for writes of other threads.");
}
