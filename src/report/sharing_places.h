// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_SHARING_PLACES_H
#define DEJA_REPORT_SHARING_PLACES_H

#include "report/parts.h"

// Adds what sharers do to each other by data and code: a table for each breakdown of the view, by default
// objects and lines, and the false sharing, worst first.
int dj_add_sharing_places(dj_context *context, dj_document *document, const dj_profile *profile,
                          const dj_attribution_view *view);

#endif
