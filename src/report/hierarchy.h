// SPDX-License-Identifier: MIT
// Simulated caches in reports.
#ifndef DEJA_REPORT_HIERARCHY_H
#define DEJA_REPORT_HIERARCHY_H

#include "report/parts.h"

// Misses of a fully associative LRU cache of that size, exact if the lane has exact bins there.
uint64_t dj_full_misses(const dj_profile *profile, uint64_t blocks);
// The table of the levels, with a legend; nothing if no cache was simulated.
void dj_add_hierarchy(dj_document *document, const dj_profile *profile);

#endif
