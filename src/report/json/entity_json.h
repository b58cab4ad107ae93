// SPDX-License-Identifier: MIT
// Results of models on an attribution, as JSON.
#ifndef DEJA_REPORT_JSON_ENTITY_JSON_H
#define DEJA_REPORT_JSON_ENTITY_JSON_H

#include <deja/breakdown.h>
#include <deja/components.h>
#include <deja/reuse.h>

#include "base/json/writer.h"

// The members "distance", "histogram" and "misses"; NULL: they are computed here.
void dj_json_tally(dj_json_writer *json, const dj_attribution *attribution, const dj_tally *tally,
                   const uint64_t *misses);
// The list "objects", "functions", …, of a profile with an attribution. `ranked` defines which reuses are
// long, if it has a spatial part. With `stall` the rows have their stall time, and are sorted by it. `own`:
// as in dj_json_view.
int dj_json_breakdown(dj_json_writer *json, dj_context *context, const dj_profile *profile, enum dj_by by,
                      const dj_ranking_options *ranked, const dj_stall_model *stall, const char *own);
// The lists "reuse_pairs" and "advice".
int dj_json_reuses(dj_json_writer *json, dj_context *context, const dj_profile *profile);
// The list "advice", from these reuses of the profile.
int dj_json_advice(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                   const dj_reuses *reuses);
// The member "carrier": a loop; DJ_NOWHERE: null.
void dj_json_carrier(dj_json_writer *json, const dj_attribution *a, uint32_t carrier);
// The member "sharing", if several sharers were measured.
void dj_json_entity_sharing(dj_json_writer *json, const dj_profile *profile, const dj_tally *tally);
// The list "caches" of a part of the program, and "traffic" of the whole, if caches were simulated.
void dj_json_entity_caches(dj_json_writer *json, const dj_profile *profile, const dj_tally *tally);
void dj_json_traffic(dj_json_writer *json, const dj_profile *profile);
// The list "false_sharing", of a profile with an attribution.
int dj_json_false_sharing(dj_json_writer *json, dj_context *context, const dj_profile *profile);

// The name of a place, its file and its line, under these keys.
void dj_json_place(dj_json_writer *json, const dj_attribution *attribution, const char *const keys[3],
                   const char *name, uint32_t place);

#endif
