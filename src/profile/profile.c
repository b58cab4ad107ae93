// SPDX-License-Identifier: MIT
#include <deja/partitions.h>

#include "profile/identity.h"
#include "profile/provenance.h"

#include <stdlib.h>

static void destroy_keys(dj_key_profile *keys)
{
    if (!keys)
        return;
    dj_histogram_destroy(keys->access_counts);
    free(keys->list_key);
    free(keys->list_device);
    free(keys->list_offset);
    free(keys->list_distances);
    free(keys);
}

static void destroy_strides(dj_stride_profile *strides)
{
    if (!strides)
        return;
    dj_histogram_destroy(strides->stride);
    free(strides);
}

static void destroy_lane(dj_lane_profile *lane)
{
    dj_lane_id_free(&lane->id);
    dj_histogram_destroy(lane->distance);
    dj_histogram_destroy(lane->time_distance);
    dj_histogram_destroy(lane->byte_distance);
    dj_histogram_destroy(lane->byte_weight);
    destroy_keys(lane->keys);
    destroy_strides(lane->strides);
    free(lane->simulated);
    dj_partitions_destroy(lane->partitions);
}

void dj_provenance_free(dj_provenance *p)
{
    free(p->version);
    free(p->command);
    free(p->engine);
    free(p->format);
    for (size_t i = 0; i < p->input_count; i++)
        free(p->inputs[i]);
    free(p->inputs);
    free(p->unit);
    free(p->statements);
    free(p->partial_reason);
    *p = (dj_provenance){0};
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
    dj_attribution_destroy(profile->attribution);
    dj_spatial_destroy(profile->spatial);
    free(profile->lanes);
    free(profile);
}

dj_moments dj_lane_moments(const dj_lane_profile *lane)
{
    return lane->binned ? lane->moments : dj_histogram_moments(lane->distance);
}
