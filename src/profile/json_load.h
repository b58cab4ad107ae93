// SPDX-License-Identifier: MIT
// Parts of a lane, read from JSON. Each has the type of dj_json_field.call and
// gets the lane.
#ifndef DEJA_PROFILE_JSON_LOAD_H
#define DEJA_PROFILE_JSON_LOAD_H

#include <deja/profile.h>

#include "base/json_reader.h"

// The array with room for one more element than the `count` it has, or NULL.
void *dj_load_grown(dj_json_reader *reader, void *array, size_t count, size_t element_bytes);

int dj_load_histogram(dj_json_reader *reader, void *lane);
int dj_load_time_histogram(dj_json_reader *reader, void *lane);
int dj_load_byte_histogram(dj_json_reader *reader, void *lane);
int dj_load_byte_weights(dj_json_reader *reader, void *lane);
int dj_load_moments(dj_json_reader *reader, void *lane);
int dj_load_keys(dj_json_reader *reader, void *lane);
int dj_load_strides(dj_json_reader *reader, void *lane);
int dj_load_simulated(dj_json_reader *reader, void *lane);

// Gets the profile.
int dj_load_attribution(dj_json_reader *reader, void *profile);

// What can only be told when the whole lane was read: the sum of its counts
// and, for a binned lane, that no distance stands above the longest.
int dj_load_finish_lane(dj_json_reader *reader, dj_lane_profile *lane, uint64_t accesses, bool exact);

#endif
