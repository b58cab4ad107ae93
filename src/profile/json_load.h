// SPDX-License-Identifier: MIT
// Parts of a profile, read from JSON.
#ifndef DEJA_PROFILE_JSON_LOAD_H
#define DEJA_PROFILE_JSON_LOAD_H

#include <deja/profile.h>

#include "base/json_reader.h"

// The array with room for one more element than the `count` it has, or NULL.
void *dj_load_grown(dj_json_reader *reader, void *array, size_t count, size_t element_bytes);
int dj_load_u32(dj_json_reader *reader, uint32_t *out);
// Steps to an element of a list that must be there.
int dj_load_need(dj_json_reader *reader, bool first, const char *name);
int dj_load_ends_early(dj_json_reader *reader, const char *name);
// Passes over what is left of a list, which a later version may have added.
int dj_load_rest(dj_json_reader *reader);

// A list of numbers that has an end.
typedef struct dj_load_numbers {
    uint64_t *numbers;
    size_t most, count;
    const char *what; // "bins"
} dj_load_numbers;
int dj_load_number_list(dj_json_reader *reader, void *numbers);

// Each has the type of dj_json_field.call and gets the lane.
int dj_load_histogram(dj_json_reader *reader, void *lane);
int dj_load_time_histogram(dj_json_reader *reader, void *lane);
int dj_load_byte_histogram(dj_json_reader *reader, void *lane);
int dj_load_byte_weights(dj_json_reader *reader, void *lane);
int dj_load_moments(dj_json_reader *reader, void *lane);
int dj_load_keys(dj_json_reader *reader, void *lane);
int dj_load_strides(dj_json_reader *reader, void *lane);
int dj_load_simulated(dj_json_reader *reader, void *lane);
int dj_load_partitions(dj_json_reader *reader, void *lane);

// Get the profile.
int dj_load_attribution(dj_json_reader *reader, void *profile);
int dj_load_spatial(dj_json_reader *reader, void *profile);

int dj_load_spatial_tally(dj_json_reader *reader, dj_spatial_tally **out);

// What can only be told when the whole lane was read: the sum of its counts
// and, for a binned lane, that no distance stands above the longest.
int dj_load_finish_lane(dj_json_reader *reader, dj_lane_profile *lane, bool exact);
// Likewise of its partitions, if it has any.
int dj_load_finish_partitions(dj_json_reader *reader, dj_lane_profile *lane, bool exact);
// Likewise of the whole profile: its spatial part fits its lanes and its tallies.
int dj_load_finish_spatial(dj_json_reader *reader, const dj_profile *profile);

#endif
