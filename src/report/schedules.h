// SPDX-License-Identifier: MIT
// How much the order of threads matters: the spread over several schedules.
#ifndef DEJA_REPORT_SCHEDULES_H
#define DEJA_REPORT_SCHEDULES_H

#include <deja/document.h>
#include <deja/sharing.h>

// Becomes the summary; nothing if one order was measured.
void dj_say_schedules(dj_document *document, const dj_sharing *sharing);
void dj_add_schedules(dj_document *document, const dj_profile *profile, const dj_sharing *sharing);

#endif
