// SPDX-License-Identifier: MIT
// Shared by the writer and the reader of JSON profiles.
#ifndef DEJA_PROFILE_JSON_H
#define DEJA_PROFILE_JSON_H

#include <deja/profile.h>

#include "base/json/writer.h"

#define DJ_PROFILE_SCHEMA "deja-profile"
enum { DJ_PROFILE_VERSION = 1, DJ_LANES_MOST = 64 };

// Opens an object and writes all sections of a profile except `except` (NULL: all); writes nothing if the
// profile cannot be saved this way. The caller writes that section, if it adds to it, and its own members,
// which the loader ignores, and closes the object.
int dj_json_begin_profile(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                          enum dj_binning binning, uint64_t width, const dj_section_ops *except);
// The members "engine", "partial", "partial_reason" and "provenance".
void dj_json_provenance(dj_json_writer *json, const dj_provenance *from);
// {min max mean median std}, or null if there are no values.
void dj_json_moments(dj_json_writer *json, const char *key, const dj_moments *moments);
// Writes all members of the open object "spatial"; reports add their own.
void dj_json_spatial(dj_json_writer *json, const dj_spatial *spatial);
// A list of {key distances}.
void dj_json_addresses(dj_json_writer *json, const char *key, const dj_key_profile *keys);

// "lru", "fifo", "lfu", by enum dj_policy; ended by NULL.
extern const char *const dj_policy_names[];
extern const char *const dj_object_kinds[];  // by enum dj_object_kind; ended by NULL
extern const char *const dj_carried_kinds[]; // by enum dj_carried; likewise

// Completes a lane after reading: sums, and each reuse of a binned lane at the end of its bin, or at the
// longest distance in it.
int dj_lane_settle(dj_context *context, dj_lane_profile *lane, bool exact);
// Checks a profile after reading: sums, and consistency between sections and lanes.
int dj_profile_settle(dj_context *context, dj_profile *profile);

#endif
