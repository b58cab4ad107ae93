// SPDX-License-Identifier: MIT
// Estimated time in the attribution report.
#include "report/attribution.h"

const char *dj_name_seconds(dj_document *document, double seconds)
{
    static const struct {
        double from, unit;
        const char *name;
    } units[] = {{1, 1, "s"}, {1e-3, 1e-3, "ms"}, {1e-6, 1e-6, "µs"}, {0, 1e-9, "ns"}};
    size_t unit = 0;
    while (seconds < units[unit].from)
        unit++;
    const double value = seconds / units[unit].unit;
    return dj_document_format(document, "%.*f %s", value < 9.95 ? 1 : 0, value, units[unit].name);
}

static const char *name_range(dj_document *document, const dj_seconds *s)
{
    return dj_document_format(document, "between %s and %s", dj_name_seconds(document, s->low),
                              dj_name_seconds(document, s->high));
}

// "dependent 80%, streaming 15%": the classes with at least a hundredth of the stall time.
static const char *name_classes(dj_document *document, const dj_time *time)
{
    const char *text = "";
    bool taken[DJ_STALL_PARTS] = {false};
    for (size_t n = 0; n < DJ_STALL_PARTS; n++) {
        size_t best = DJ_STALL_PARTS;
        for (size_t i = 0; i < DJ_STALL_PARTS; i++)
            if (!taken[i] && (best == DJ_STALL_PARTS || time->parts[i].estimate > time->parts[best].estimate))
                best = i;
        taken[best] = true;
        const double share = 100 * time->parts[best].estimate / time->stall.estimate;
        if (share >= 1)
            text = dj_document_format(document, "%s; %s %.0f%%", text, dj_stall_part_name(best), share);
    }
    return text;
}

void dj_add_time(const dj_attribution_page *page)
{
    dj_document *document = page->document;
    if (!page->stall)
        return;
    dj_node *facts = dj_document_facts(document);
    facts->gap = false;
    if (!dj_attribution_has_classes(page->a)) {
        dj_facts_add(document, facts, "stall time", dj_datum_word("unknown"),
                     "the patterns of misses are known only of whole runs, in blocks of 64 bytes");
        return;
    }
    const dj_time time = dj_attribution_time(page->a, page->stall);
    dj_facts_add(document, facts, "stall time", dj_datum_word(dj_name_seconds(document, time.stall.estimate)),
                 dj_document_format(document, "estimated, %s%s", name_range(document, &time.stall),
                                    time.stall.estimate > 0 ? name_classes(document, &time) : ""));
    dj_facts_add(document, facts, "time", dj_datum_word(dj_name_seconds(document, time.all.estimate)),
                 dj_document_format(document, "estimated, %s: stalls and accesses, on one processor",
                                    name_range(document, &time.all)));
    dj_facts_add(
        document, facts, "costs", dj_datum_word(page->stall->costs->measured ? "calibrated" : "assumed"),
        page->stall->costs->measured ? "measured on this machine"
                                     : "typical values, not calibrated: deja info machine --calibrate");
}

void dj_put_stall(dj_sheet *table, dj_sheet_row *row, const dj_seconds *stall)
{
    const double seconds[] = {stall->estimate, stall->low, stall->high};
    for (size_t i = 0; i < 3; i++)
        dj_row_put(table, row, dj_datum_word(dj_name_seconds(table->document, seconds[i])));
    for (size_t i = 0; i < 3; i++)
        dj_row_put(table, row, dj_datum_real(DJ_DATUM_REAL, seconds[i], 9));
}
