// SPDX-License-Identifier: MIT
// Estimated time, as JSON.
#ifndef DEJA_REPORT_JSON_STALL_JSON_H
#define DEJA_REPORT_JSON_STALL_JSON_H

#include <deja/stall.h>

#include "base/json/writer.h"

void dj_json_seconds(dj_json_writer *json, const char *key, const dj_seconds *seconds);
// The members "stall_seconds" and "miss_classes" of a row.
void dj_json_stall(dj_json_writer *json, const dj_tally *tally, const dj_seconds *stall);
// The member "time": of the whole profile, by class of the misses, and whether the costs were measured.
void dj_json_time(dj_json_writer *json, const dj_attribution *attribution, const dj_stall_model *model);

#endif
