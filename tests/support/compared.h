// SPDX-License-Identifier: MIT
// Profiles made from attributions, and their comparison. Needs cmocka, <deja/deja.h> and "support/context.h".
#ifndef DEJA_TESTS_COMPARED_H
#define DEJA_TESTS_COMPARED_H

#include <string.h>

#include "support/hand_made.h"

static const enum dj_by EVERY[] = {DJ_BY_OBJECT, DJ_BY_FUNCTION,        DJ_BY_LOOP,
                                   DJ_BY_LINE,   DJ_BY_CALLING_CONTEXT, DJ_BY_THREAD};
enum { EVERY_COUNT = sizeof EVERY / sizeof *EVERY };

// A profile that owns the attribution, with the distances of its places.
static inline dj_profile *profile_with(dj_attribution *a)
{
    dj_profile *profile = NULL;
    assert_int_equal(dj_profile_create(context, 1, &profile), DJ_OK);
    dj_lane_profile *lane = &profile->lanes[0];
    assert_int_equal(dj_histogram_create(context, &lane->distance), DJ_OK);
    dj_provenance *from = &profile->provenance;
    from->engine = strdup("fast");
    from->format = strdup("live");
    from->unit = strdup("block");
    from->unit_bytes = lane->id.block_bytes = 64;
    from->partial_reason = strdup("");
    from->statements = strdup("");
    from->exact = true;
    for (size_t p = 0; p < a->place_count; p++) {
        const dj_tally *tally = &a->places[p].tally;
        lane->accesses += tally->accesses;
        lane->cold += tally->cold;
        for (uint32_t bin = 0; bin < tally->bin_count; bin++)
            assert_int_equal(dj_histogram_add(lane->distance, context, a->edges[bin], tally->bins[bin]),
                             DJ_OK);
    }
    lane->distinct = lane->cold;
    profile->accesses = lane->accesses;
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, a), DJ_OK);
    return profile;
}

static inline dj_diff_request request_of(const dj_profile *before, const dj_profile *after)
{
    dj_diff_request request = {
        .profiles = {before, after}, .names = {"before", "after"}, .by_count = EVERY_COUNT};
    memcpy(request.by, EVERY, sizeof EVERY);
    return request;
}

static inline dj_diff *compare(const dj_diff_request *request)
{
    dj_diff *diff = NULL;
    if (dj_diff_profiles(context, request, &diff))
        fail_msg("%s", dj_context_message(context));
    return diff;
}

#endif
