// SPDX-License-Identifier: MIT
// Caches that several programs or threads share: the lanes, the observer, and the names of the sharers.
#ifndef DEJA_MEASURE_SHARING_H
#define DEJA_MEASURE_SHARING_H

#include <deja/joint.h>
#include <deja/measure.h>
#include <deja/sharing.h>

typedef struct dj_sharing_plan {
    dj_lane_group *groups; // owned
    size_t group_count;
    uint32_t *sharers_per_cache; // owned
    dj_sharing_cut *cuts;        // owned
    dj_sharing_options options;  // of observer `sharing`
    dj_joint_options joint;      // of observer `joint`
} dj_sharing_plan;

// All groups are like `group` but for the partition. `places` is NULL if accesses have none.
int dj_sharing_plan_make(dj_context *context, const dj_sharing_request *request, const dj_lane_group *group,
                         const dj_place_table *places, dj_sharing_plan *plan);
void dj_sharing_plan_free(dj_sharing_plan *plan);

int dj_sharing_name(dj_context *context, const dj_sharing_request *request, const dj_source *source,
                    dj_profile *profile);

#endif
