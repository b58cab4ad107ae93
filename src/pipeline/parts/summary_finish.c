// SPDX-License-Identifier: MIT
// From a summary of the complete trace to its profile.
#include "pipeline/parts/summary.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "profile/provenance.h"

static int missing(dj_context *context, const dj_summary *s, dj_part part)
{
    char text[DJ_PART_TEXT];
    dj_part_describe(part, text);
    return dj_fail(context, DJ_ERR_INPUT,
                   "missing %s %s: %s; name all parts, or keep the join of these with --summary -o FILE",
                   part.first == 1 ? "before" : "after", s->name, text);
}

int dj_summary_check_complete(dj_context *context, const dj_summary *s)
{
    dj_part part = s->part;
    if (part.of > 0 && part.first > 1)
        return missing(context, s, (dj_part){1, part.first - 1, part.of});
    if (part.last < part.of)
        return missing(context, s, (dj_part){part.last + 1, part.of, part.of});
    return DJ_OK;
}

static uint64_t total(const dj_histogram *histogram)
{
    return histogram ? dj_histogram_moments(histogram).count : 0;
}

// The file is untrusted, and reports rely on these counts.
static const char *find_wrong(const dj_profile *p)
{
    if (p->reads > p->accesses || p->writes > p->accesses - p->reads)
        return "reads and writes";
    for (size_t i = 0; i < p->lane_count; i++) {
        const dj_lane_profile *lane = &p->lanes[i];
        uint64_t reuses = total(lane->distance);
        if ((reuses || lane->cold) && (lane->cold > lane->accesses || reuses != lane->accesses - lane->cold))
            return "distances";
        if (total(dj_lane_time(lane)) > lane->accesses || total(dj_lane_byte_distance(lane)) > lane->accesses)
            return "distances in time or bytes";
        if (dj_lane_strides(lane) && dj_lane_strides(lane)->pairs > p->accesses)
            return "strides";
        if (p->provenance.exact && dj_lane_keys(lane) &&
            total(dj_lane_keys(lane)->access_counts) > p->accesses)
            return "keys";
    }
    return NULL;
}

static int check(dj_context *context, const dj_summary *s, const dj_profile *profile)
{
    if (profile->accesses == 0)
        return dj_fail(context, DJ_ERR_INPUT, "%s: no accesses", s->name);
    if (profile->lanes[0].accesses == 0)
        return dj_fail(context, DJ_ERR_INPUT, "%s: none of the %" PRIu64 " accesses counts (%s)", s->name,
                       profile->accesses, dj_lane_filter(&profile->lanes[0]));
    const char *wrong = find_wrong(profile);
    if (wrong)
        return dj_fail(context, DJ_ERR_INPUT, "%s: the counts of %s do not match the accesses", s->name,
                       wrong);
    int err = dj_profile_spatial(profile) ? dj_spatial_check(context, dj_profile_spatial(profile)) : DJ_OK;
    return err ? dj_fail_within(context, err, "%s", s->name) : DJ_OK;
}

int dj_summary_finish(dj_context *context, dj_summary *s, const char *command, dj_profile **out)
{
    dj_profile *profile = NULL;
    int err = dj_summary_check_complete(context, s);
    if (!err)
        err = dj_pipeline_finish(s->pipeline, context, &profile);
    if (err)
        return err;
    // The joined pipeline knows what holds for all parts together.
    dj_provenance *joined = &profile->provenance;
    char *texts[] = {s->provenance.thread_order, s->provenance.filter};
    // A part states the order of its tracer, even if it has one thread.
    bool ordered = joined->thread_order && *joined->thread_order && texts[0] && *texts[0];
    s->provenance.thread_order = ordered ? texts[0] : joined->thread_order;
    s->provenance.filter = joined->filter;
    s->provenance.sampling = joined->sampling;
    s->provenance.exact = joined->exact;
    joined->thread_order = ordered ? joined->thread_order : texts[0];
    joined->filter = texts[1];
    dj_provenance_free(&profile->provenance);
    profile->provenance = s->provenance;
    s->provenance = (dj_provenance){0};
    free(profile->provenance.command);
    err = dj_copy_text(context, command, &profile->provenance.command);
    if (s->no_bytes)
        profile->bytes = 0;
    if (!err)
        err = check(context, s, profile);
    if (err)
        dj_profile_destroy(profile);
    else
        *out = profile;
    return err;
}
