// SPDX-License-Identifier: MIT
// Effective cache sizes, in sentences.
#include <inttypes.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/text_stream.h"
#include "model/curve/estimate_band.h"
#include "report/parts.h"

static void say_size(FILE *to, const dj_profile *profile, uint64_t size)
{
    char count[DJ_HUMAN_BYTES], bytes[DJ_HUMAN_BYTES];
    uint64_t block = profile->lanes[0].id.block_bytes;
    fputs(dj_human_count(count, size), to);
    if (profile->provenance.unit_bytes > 0 && size <= UINT64_MAX / block)
        fprintf(to, " (%s)", dj_human_bytes(bytes, size * block));
}

static const char *between(size_t i, size_t count)
{
    if (i == 0)
        return "";
    return i + 1 < count ? ", " : count == 2 ? " and " : ", and ";
}

static void say_ranges(FILE *to, const dj_effective *e)
{
    char lo[DJ_HUMAN_BYTES], hi[DJ_HUMAN_BYTES];
    fprintf(to, "%.0f%% of them fall into %zu of the %u power-of-two ranges of distance: ", 100 * e->covered,
            e->count, e->range_count);
    for (size_t i = 0; i < e->count; i++)
        fprintf(to, "%s%.0f%% in %s–%s", between(i, e->count), 100 * e->sizes[i].share,
                dj_human_count(lo, e->sizes[i].lo), dj_human_count(hi, e->sizes[i].hi));
    fputs(". ", to);
}

static void say_sizes(FILE *to, const dj_profile *profile, const dj_effective *e)
{
    const char *unit = profile->provenance.unit;
    fprintf(to, "The most effective cache size%s ", e->count > 1 ? "s are" : " is");
    for (size_t i = 0; i < e->count; i++) {
        fputs(between(i, e->count), to);
        say_size(to, profile, e->sizes[i].size);
    }
    fprintf(to, " %ss, with a miss ratio of ", unit);
    for (size_t i = 0; i < e->count; i++)
        fprintf(to, "%s%.1f%%", between(i, e->count), 100 * e->sizes[i].ratio);
    bool gap = false;
    double most = 0;
    for (size_t i = 1; i < e->count; i++) {
        gap |= e->sizes[i].lo > e->sizes[i - 1].hi + 1;
        most = e->sizes[i].drop_before > most ? e->sizes[i].drop_before : most;
    }
    if (gap && most < 0.0005)
        fputs("; sizes between these ranges change it by less than 0.1 percentage points", to);
    else if (gap)
        fprintf(to, "; sizes between these ranges change it by at most %.1f percentage points", 100 * most);
    fputs(".", to);
}

// With reuses in most ranges, no size is better than another.
static void say_spread(FILE *to, const dj_profile *profile, const dj_effective *e)
{
    double least = 1, most = 0;
    char last[DJ_HUMAN_BYTES];
    for (size_t i = 0; i < e->count; i++) {
        double points = e->sizes[i].share * e->long_share;
        least = points < least ? points : least;
        most = points > most ? points : most;
    }
    fprintf(to,
            "They are spread over %zu of the %u power-of-two ranges of distance, and no cache size stands "
            "out: from "
            "%d to %s %ss, each doubling lowers the %smiss ratio by %.1f to %.1f percentage points.",
            e->count, e->range_count, DJ_LONG_DISTANCE, dj_human_count(last, e->sizes[e->count - 1].size),
            profile->provenance.unit, profile->provenance.exact ? "" : "estimated ", 100 * least, 100 * most);
}

// Where the exact sizes and miss ratios may be.
static void say_bands(FILE *to, const dj_effective *e, const dj_effective_band *bands, bool certified)
{
    char lo[DJ_HUMAN_BYTES], hi[DJ_HUMAN_BYTES];
    fprintf(to, " The exact curve drops %s within ", certified ? "certainly" : "probably");
    for (size_t i = 0; i < e->count; i++)
        fprintf(to, "%s%s–%s", between(i, e->count), dj_human_count(lo, bands[i].smaller),
                dj_human_count(hi, bands[i].larger));
    fputs(", and its miss ratios there are ", to);
    for (size_t i = 0; i < e->count; i++)
        fprintf(to, "%s%.1f%%–%.1f%%", between(i, e->count), 100 * bands[i].ratio.low,
                100 * bands[i].ratio.high);
    fputs(".", to);
}

// An estimate cannot know that there are none.
static void say_none(FILE *to, const dj_profile *profile, const dj_band *band)
{
    const char *unit = profile->provenance.unit;
    if (profile->provenance.exact) {
        fprintf(to, "No reuse is long (distance %d or more): all reuses hit in a cache of %d %ss.",
                DJ_LONG_DISTANCE, DJ_LONG_DISTANCE, unit);
        return;
    }
    fprintf(to, "The estimate has no long reuses (distance %d or more).", DJ_LONG_DISTANCE);
    if (!band)
        return;
    fprintf(to, " The exact miss ratio of a cache of %d %ss is %s %.1f%%", DJ_LONG_DISTANCE, unit,
            dj_lane_band_origin(profile, &profile->lanes[0]).certified ? "certainly" : "probably",
            100 * band->low);
    if (band->high > band->low)
        fprintf(to, "–%.1f%%", 100 * band->high);
    fputs(".", to);
}

static void say(FILE *to, const dj_profile *profile, const dj_effective *e, const dj_effective_band *bands)
{
    enum { FEW = 4 };
    fprintf(to, "%.1f%% of the accesses are long reuses (distance %d or more). ", 100 * e->long_share,
            DJ_LONG_DISTANCE);
    if (e->count > FEW && 2 * e->count > e->range_count) {
        say_spread(to, profile, e);
        return;
    }
    say_ranges(to, e);
    say_sizes(to, profile, e);
    if (bands)
        say_bands(to, e, bands, dj_lane_band_origin(profile, &profile->lanes[0]).certified);
}

int dj_add_effective(dj_context *context, dj_document *document, const dj_profile *profile)
{
    dj_effective found;
    const dj_lane_profile *lane = &profile->lanes[0];
    const bool known = dj_lane_band_origin(profile, lane).known;
    dj_effective_band bands[DJ_EFFECTIVE_MAX];
    const uint64_t size = DJ_LONG_DISTANCE;
    dj_band short_band;
    int err = dj_effective_sizes(context, lane, &found);
    if (!err && known)
        err = dj_mrc_band(context, profile, lane, &size, 1, &short_band);
    if (!err && known)
        err = dj_effective_bands(context, profile, lane, &found, bands);
    if (err != DJ_OK)
        return err;
    dj_text_stream to;
    if (!dj_text_stream_open(&to))
        return dj_fail_memory(context, "a sentence", 0);
    if (found.count == 0)
        say_none(to.file, profile, known ? &short_band : NULL);
    else
        say(to.file, profile, &found, known ? bands : NULL);
    char *text = dj_text_stream_close(&to, NULL);
    if (!text)
        err = dj_fail_memory(context, "a sentence", 0);
    if (!err) {
        dj_document_say(document, DJ_TEXT_HEADING, 0, "effective cache sizes");
        dj_document_say(document, DJ_TEXT_SENTENCES, 2, "%s", text);
    }
    free(text);
    return err;
}
