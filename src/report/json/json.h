// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_JSON_JSON_H
#define DEJA_REPORT_JSON_JSON_H

#include <deja/report.h>

#include "base/json/writer.h"

// Opens an object and writes a profile with its breakdowns; the caller adds its own members (the processes
// of a run are a list of such objects), and closes it.
int dj_json_begin_report(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                         const dj_json_view *view);

// The member "phases", if the first lane has windows.
int dj_json_phases(dj_json_writer *json, dj_context *context, const dj_profile *profile);

#endif
