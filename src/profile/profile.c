// SPDX-License-Identifier: MIT
#include "profile/fields.h"
#include "profile/identity.h"
#include "profile/provenance.h"

#include <stdlib.h>

static void destroy_lane(dj_lane_profile *lane)
{
    dj_lane_id_free(&lane->id);
    dj_histogram_destroy(lane->distance);
    free(lane->longest);
    dj_section_list_free(&lane->sections);
}

int dj_profile_create(dj_context *context, size_t lane_count, dj_profile **out)
{
    dj_profile *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "a profile", 0);
    p->lanes = calloc(lane_count, sizeof *p->lanes);
    if (!p->lanes) {
        free(p);
        return dj_fail_memory(context, "a profile", 0);
    }
    p->lane_count = lane_count;
    for (size_t i = 0; i < lane_count; i++)
        p->lanes[i].id.sampling = 1;
    *out = p;
    return DJ_OK;
}

void dj_profile_destroy(dj_profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->lane_count; i++)
        destroy_lane(&profile->lanes[i]);
    dj_provenance_free(&profile->provenance);
    dj_section_list_free(&profile->sections);
    free(profile->lanes);
    free(profile);
}

dj_moments dj_lane_moments(const dj_lane_profile *lane)
{
    return lane->binned ? lane->moments : dj_histogram_moments(lane->distance);
}

dj_attribution *dj_profile_attribution(const dj_profile *profile)
{
    return dj_profile_section(profile, &dj_section_attribution);
}

dj_spatial *dj_profile_spatial(const dj_profile *profile)
{
    return dj_profile_section(profile, &dj_section_spatial);
}

const dj_histogram *dj_lane_time(const dj_lane_profile *lane)
{
    const dj_time_profile *time = dj_lane_section(lane, &dj_section_time);
    return time ? time->distance : NULL;
}

const dj_byte_profile *dj_lane_bytes(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_bytes);
}

const dj_histogram *dj_lane_byte_distance(const dj_lane_profile *lane)
{
    const dj_byte_profile *bytes = dj_lane_section(lane, &dj_section_bytes);
    return bytes ? bytes->distance : NULL;
}

const dj_histogram *dj_lane_byte_weight(const dj_lane_profile *lane)
{
    const dj_byte_profile *bytes = dj_lane_section(lane, &dj_section_bytes);
    return bytes ? bytes->weight : NULL;
}

uint64_t dj_lane_cold_bytes(const dj_lane_profile *lane)
{
    const dj_byte_profile *bytes = dj_lane_section(lane, &dj_section_bytes);
    return bytes ? bytes->cold_bytes : 0;
}

const dj_key_profile *dj_lane_keys(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_keys);
}

const dj_stride_profile *dj_lane_strides(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_strides);
}

const dj_simulated *dj_lane_simulated(const dj_lane_profile *lane)
{
    const dj_simulated_profile *simulated = dj_lane_section(lane, &dj_section_simulated);
    return simulated ? simulated->caches : NULL;
}

size_t dj_lane_simulated_count(const dj_lane_profile *lane)
{
    const dj_simulated_profile *simulated = dj_lane_section(lane, &dj_section_simulated);
    return simulated ? simulated->count : 0;
}

bool dj_lane_has_fingerprint(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_fingerprint) != NULL;
}

uint64_t dj_lane_fingerprint(const dj_lane_profile *lane)
{
    const dj_hash_profile *fingerprint = dj_lane_section(lane, &dj_section_fingerprint);
    return fingerprint ? fingerprint->hash : 0;
}

bool dj_lane_has_digest(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_digest) != NULL;
}

uint64_t dj_lane_digest(const dj_lane_profile *lane)
{
    const dj_hash_profile *digest = dj_lane_section(lane, &dj_section_digest);
    return digest ? digest->hash : 0;
}
