// SPDX-License-Identifier: MIT
// The report of a profile: key figures, histograms, the miss-ratio curve.
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "report/hierarchy.h"
#include "report/parts.h"

static const char *name_requests(dj_document *document, const dj_profile *profile)
{
    char figure[DJ_HUMAN_BYTES], bytes[DJ_HUMAN_BYTES];
    const char *note = dj_note_traced_accesses(document, profile);
    if (profile->requests != profile->accesses)
        note = dj_document_format(document, "%s%sin %s requests", note, *note ? ", " : "",
                                  dj_human_count(figure, profile->requests));
    if (profile->bytes > 0)
        note = dj_document_format(document, "%s%s%s requested", note, *note ? ", " : "",
                                  dj_human_bytes(bytes, profile->bytes));
    return note;
}

static void add_requests(dj_document *document, dj_node *facts, const dj_profile *profile)
{
    dj_facts_add(document, facts, "accesses", dj_datum_count(profile->lanes[0].accesses),
                 name_requests(document, profile));
    if (profile->reads + profile->writes > 0) {
        dj_facts_add(document, facts, "reads", dj_datum_count(profile->reads), "");
        dj_facts_add(document, facts, "writes", dj_datum_count(profile->writes), "");
    }
    if (profile->outside > 0)
        dj_facts_add(document, facts, "outside", dj_datum_count(profile->outside),
                     "outside recorded data; not counted");
}

static void add_hashes(dj_document *document, dj_node *facts, const dj_lane_profile *lane)
{
    if (dj_lane_has_fingerprint(lane))
        dj_facts_add(document, facts, "fingerprint", dj_datum_whole(DJ_DATUM_HASH, dj_lane_fingerprint(lane)),
                     "");
    if (dj_lane_has_digest(lane))
        dj_facts_add(document, facts, "digest", dj_datum_whole(DJ_DATUM_HASH, dj_lane_digest(lane)), "");
}

static void add_figures(dj_document *document, const dj_profile *profile)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    char figure[DJ_HUMAN_BYTES], filled[DJ_HUMAN_BYTES];
    double accesses = (double)lane->accesses;
    dj_node *facts = dj_document_facts(document);
    add_requests(document, facts, profile);
    dj_facts_add(document, facts, dj_name_distinct(document, profile), dj_datum_count(lane->distinct),
                 dj_name_bytes(document, profile, lane->distinct));
    const char *share = dj_human_percent(figure, (double)lane->cold, accesses);
    if (dj_lane_tracing(lane))
        share = dj_document_format(document, "%s%s", share, dj_note_traced_cold(profile));
    else if (lane->cold < lane->distinct)
        share = dj_document_format(document, "%s; %s more were first accessed during the warm-up", share,
                                   dj_human_count(filled, lane->distinct - lane->cold));
    dj_facts_add(document, facts, "cold misses", dj_datum_count(lane->cold), share);
    dj_moments m = dj_lane_moments(lane);
    dj_facts_add(document, facts, "reuses", dj_datum_count(m.count),
                 dj_human_percent(figure, (double)m.count, accesses));
    if (m.count > 0) {
        dj_facts_add(document, facts, "reuse distance", dj_datum_none(""), "");
        dj_facts_add(document, facts, "  mean", dj_datum_real(DJ_DATUM_REAL, m.mean, 2), "");
        dj_facts_add(document, facts, "  median", dj_datum_real(DJ_DATUM_REAL, m.median, 1), "");
        dj_facts_add(document, facts, "  std. deviation", dj_datum_real(DJ_DATUM_REAL, m.std, 2),
                     "of the population");
        dj_facts_add(document, facts, "  min", dj_datum_count(m.min), "");
        dj_facts_add(document, facts, "  max", dj_datum_count(m.max), "");
    }
    add_hashes(document, facts, lane);
}

static void add_further_lanes(dj_document *document, const dj_profile *profile)
{
    static const dj_sheet_column columns[] = {
        DJ_COLUMN("", "block", 12, 0), DJ_COLUMN("distinct", "distinct", 15, 0),
        DJ_COLUMN("median distance", "median", 15, 0), DJ_COLUMN("mean distance", "mean", 15, 0)};
    if (profile->lane_count < 2)
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "block size");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < profile->lane_count; i++) {
        const dj_lane_profile *lane = &profile->lanes[i];
        dj_moments m = dj_lane_moments(lane);
        char figure[DJ_HUMAN_BYTES];
        const dj_datum cells[] = {dj_datum_text(profile->provenance.unit_bytes > 0
                                                    ? dj_human_bytes(figure, lane->id.block_bytes)
                                                    : dj_human_count(figure, lane->id.block_bytes)),
                                  dj_datum_count(lane->distinct), dj_datum_real(DJ_DATUM_REAL, m.median, 1),
                                  dj_datum_real(DJ_DATUM_REAL, m.mean, 2)};
        dj_sheet_row *row = DJ_CELLS(table, cells);
        if (i > 0 && dj_lane_has_fingerprint(lane))
            dj_text_add(document, dj_row_note(table, row, 2), DJ_STYLE_PLAIN, DJ_FIT_WHOLE,
                        "fingerprint        %016llx", (unsigned long long)dj_lane_fingerprint(lane));
        if (i > 0 && dj_lane_has_digest(lane))
            dj_text_add(document, dj_row_note(table, row, 2), DJ_STYLE_PLAIN, DJ_FIT_WHOLE,
                        "digest             %016llx", (unsigned long long)dj_lane_digest(lane));
    }
}

void dj_say_profile_verdict(dj_document *document, const dj_profile *profile)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_moments m = dj_lane_moments(lane);
    char accesses[DJ_HUMAN_BYTES], distinct[DJ_HUMAN_BYTES], share[DJ_HUMAN_BYTES], median[DJ_HUMAN_BYTES];
    dj_human_count(accesses, lane->accesses);
    dj_human_count(distinct, lane->distinct);
    if (m.count == 0)
        document->summary = dj_document_format(document, "%s access%s to %s %s%s: nothing is reused.",
                                               accesses, lane->accesses == 1 ? "" : "es", distinct,
                                               profile->provenance.unit, lane->distinct == 1 ? "" : "s");
    else
        document->summary = dj_document_format(
            document, "%s accesses to %s %s%s: %s are reuses, at a median distance of %s%s.", accesses,
            distinct, profile->provenance.unit, lane->distinct == 1 ? "" : "s",
            dj_human_percent(share, (double)m.count, (double)lane->accesses),
            profile->provenance.exact ? "" : "about ", dj_human_real(median, m.median, 1));
}

int dj_document_profile(dj_context *context, const dj_profile *profile, const dj_profile_view *view,
                        dj_document **out)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    dj_say_profile_verdict(document, profile);
    dj_add_title(document, profile);
    add_figures(document, profile);
    dj_add_hierarchy(document, profile);
    dj_add_tlb(document, profile);
    err = dj_add_histogram(context, document, "reuse distance", lane->distance, lane->cold, view, true);
    if (!err && dj_lane_time(lane))
        err =
            dj_add_histogram(context, document, "time distance", dj_lane_time(lane), lane->cold, view, false);
    if (!err && dj_lane_moments(lane).count > 0) {
        err = dj_add_curve(context, document, profile, view);
        if (!err)
            err = dj_add_effective(context, document, profile);
    }
    if (!err)
        err = dj_add_partitions(context, document, profile, "", false);
    if (!err)
        err = dj_add_phases(context, document, profile);
    add_further_lanes(document, profile);
    return dj_document_finish(context, err, document, out);
}
