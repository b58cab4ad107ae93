// SPDX-License-Identifier: MIT
// Names that the writer and the reader of JSON profiles share.
#ifndef DEJA_PROFILE_JSON_H
#define DEJA_PROFILE_JSON_H

#include <deja/profile.h>

#include "base/json/writer.h"

#define DJ_PROFILE_SCHEMA "deja-profile"
enum { DJ_PROFILE_VERSION = 1, DJ_LANES_MOST = 64 };

// Opens an object and writes all sections of a profile but `apart` (NULL: all); nothing is written when the
// profile cannot be saved so. The caller writes that one, if it adds to it, and members of its own, which the
// loader passes over, and closes the object.
int dj_json_begin_profile(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                          enum dj_binning binning, uint64_t width, const dj_section_ops *apart);
// The members "engine", "partial", "partial_reason" and "provenance".
void dj_json_provenance(dj_json_writer *json, const dj_provenance *from);
// {min max mean median std}, or null when there are no values.
void dj_json_moments(dj_json_writer *json, const char *key, const dj_moments *moments);
// All members of the object "spatial", which is open; reports add theirs.
void dj_json_spatial(dj_json_writer *json, const dj_spatial *spatial);
// A list of {key distances}.
void dj_json_addresses(dj_json_writer *json, const char *key, const dj_key_profile *keys);

// "lru", "fifo", "lfu", by enum dj_policy; NULL ends them.
extern const char *const dj_policy_names[];
extern const char *const dj_object_kinds[]; // by enum dj_object_kind; NULL ends them

// Of a lane that was read: sums, and each reuse of a binned one at the end of its bin, or at the longest.
int dj_lane_settle(dj_context *context, dj_lane_profile *lane, bool exact);
// Checks what was read, when all was: sums, and that sections fit each other and the lanes.
int dj_profile_settle(dj_context *context, dj_profile *profile);

#endif
