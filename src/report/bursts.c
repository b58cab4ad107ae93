// SPDX-License-Identifier: MIT
// What reports say of a run that was traced in bursts: how much the bursts know, what a budget did, and what
// to do if there are too few of them.
#include <deja/tracing.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/tracers.h"
#include "report/parts.h"

enum { ENOUGH = 24 }; // bursts, without the first: fewer say little of the error
static const double RATE_MOST = 0.5;

// Bursts become more as the rate rises. Under Valgrind, intervals do not become shorter than translating code
// again allows: that is a part of the time that an interval takes, in which its burst counts 30 times.
static double enough_rate(const dj_provenance *from, const dj_tracing *tracing)
{
    const double slower = strcmp(from->format, "valgrind") == 0 ? 30 : INFINITY;
    const double later = fmax((double)tracing->bursts - 1, 1), more = ENOUGH / later;
    const double rate = tracing->weight > 0 ? 1 / tracing->weight : tracing->share;
    return more * rate + (more - 1) / slower;
}

bool dj_bursts_are_few(const dj_tracing *tracing)
{
    return tracing->bursts <= ENOUGH;
}

const char *dj_name_more_bursts(dj_document *document, const dj_profile *profile)
{
    const dj_provenance *from = &profile->provenance;
    const dj_tracing *tracing = dj_lane_tracing(&profile->lanes[0]);
    const char *longer = dj_tracer_find(from->format) ? ", or run for longer" : "";
    if (!tracing || !dj_bursts_are_few(tracing))
        return dj_document_format(document, "use a larger %s%s",
                                  tracing && tracing->budget > 0 ? "--budget" : "--sample", longer);
    if (tracing->budget > 0)
        return dj_document_format(
            document, "%s%s",
            tracing->cost > 0 ? "use a larger --budget" : "leave out --budget, since this is short", longer);
    const double rate = enough_rate(from, tracing);
    if (rate > RATE_MOST)
        return dj_document_format(document, "leave out --sample, since this is short%s", longer);
    return dj_document_format(document, "use --sample %.2g%%%s", ceil(rate * 1000) / 10, longer);
}

// No burst follows reuses that are longer than itself, so the misses of larger caches have only a bound.
static bool long_reuses_are_unknown(const dj_lane_profile *lane, const dj_tracing *tracing)
{
    const double least = 0.01;
    if (!tracing->band_count)
        return (double)lane->cold >= least * (double)lane->accesses;
    const dj_tracing_band *beyond = &tracing->bands[tracing->band_count - 1];
    return beyond->high - beyond->low >= least;
}

static const char *name_way_out(dj_document *document, const dj_profile *profile, const dj_tracing *tracing)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    char size[DJ_HUMAN_BYTES];
    if (!dj_tracer_find(profile->provenance.format) || dj_profile_spatial(profile) ||
        !long_reuses_are_unknown(lane, tracing))
        return "";
    return dj_document_format(document, "; for caches above %s %ss, use --sample-by blocks",
                              dj_human_count(size, dj_lane_moments(lane).max), profile->provenance.unit);
}

// Three standard errors, as in bands.
const char *dj_name_bursts(dj_document *document, const dj_profile *profile)
{
    enum { FEW = 8 };
    const dj_tracing *tracing = dj_lane_tracing(&profile->lanes[0]);
    char accesses[DJ_HUMAN_BYTES];
    const double error = fmin(3 * tracing->error, 1);
    dj_human_count(accesses, tracing->accesses);
    if (tracing->bursts < FEW)
        return dj_document_format(
            document, "from %s accesses in only %" PRIu64 " burst%s: the error is not reliable%s; %s%s",
            accesses, tracing->bursts, tracing->bursts == 1 ? "" : "s",
            dj_tracer_find(profile->provenance.format) ? ", nor is the number of all accesses" : "",
            dj_name_more_bursts(document, profile), name_way_out(document, profile, tracing));
    char within[DJ_HUMAN_BYTES];
    const char *text =
        dj_document_format(document, "from %s accesses in %" PRIu64 " bursts", accesses, tracing->bursts);
    if (tracing->error > 0)
        text = dj_document_format(document, "%s; the number of all accesses is within %s, probably", text,
                                  dj_human_rough(within, 100 * error));
    if (dj_bursts_are_few(tracing))
        text = dj_document_format(document, "%s. So few bursts leave wide ranges: %s", text,
                                  dj_name_more_bursts(document, profile));
    return dj_document_format(document, "%s%s", text, name_way_out(document, profile, tracing));
}

const char *dj_note_traced_accesses(dj_document *document, const dj_profile *profile)
{
    const dj_tracing *tracing = dj_lane_tracing(&profile->lanes[0]);
    if (!tracing || !dj_tracer_find(profile->provenance.format))
        return "";
    if (tracing->error == 0)
        return "estimated; error unknown";
    char within[DJ_HUMAN_BYTES];
    return dj_document_format(document, "estimated; probably within %s",
                              dj_human_rough(within, 100 * fmin(3 * tracing->error, 1)));
}

const char *dj_note_traced_cold(const dj_profile *profile)
{
    return dj_lane_tracing(&profile->lanes[0]) ? "; with reuses that no burst followed" : "";
}

// The rate is given as a part that --sample takes.
void dj_add_budget(dj_document *document, const dj_tracing *tracing)
{
    if (!tracing || tracing->budget == 0)
        return;
    if (tracing->cost == 0)
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "budget %.4gx: the run ended before it was measured",
                        tracing->budget);
    else
        dj_document_say(
            document, DJ_TEXT_PROVENANCE, 0,
            "budget %.4gx: took %.3g times as long as without bursts; '--sample %.4g%%' traces as "
            "much again",
            tracing->budget, tracing->cost, 100 * tracing->rate);
}
