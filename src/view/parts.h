// SPDX-License-Identifier: MIT
// The sections of a page, each by its file.
#ifndef DEJA_VIEW_PARTS_H
#define DEJA_VIEW_PARTS_H

#include <deja/diff.h>
#include <deja/elements.h>
#include <deja/report.h>

#include "view/groups.h"
#include "view/view.h"

// The sections of the profile itself, without its attribution.
int dj_view_add_profile(dj_view_sections *sections, const dj_profile *profile);
// `view`: what was measured and how, and the diagnosis. `breakdowns`
// may be NULL.
int dj_view_add_overview(dj_view_sections *sections, const dj_view_request *request,
                         const dj_view_breakdowns *breakdowns);
// `inlined`: inlined functions below the contexts.
int dj_view_add_inlined(dj_view_sections *sections, const dj_view_breakdowns *of);
int dj_view_add_reuses(dj_view_sections *sections, const dj_view_breakdowns *of);
int dj_view_add_elements(dj_view_sections *sections, const dj_view_breakdowns *breakdowns,
                         const dj_element_maps *elements);
// `stall`: estimated time, if the profile knows the classes of its misses.
int dj_view_add_stall(dj_view_sections *sections, const dj_view_breakdowns *of);
int dj_view_add_components(dj_view_sections *sections, const dj_profile *profile);
// `spatial_rows`, of a profile whose places have a spatial part.
int dj_view_add_rankings(dj_view_sections *sections, const dj_profile *profile);
int dj_view_add_phases(dj_view_sections *sections, const dj_profile *profile);
int dj_view_add_sharing_matrix(dj_view_sections *sections, const dj_profile *profile);
int dj_view_add_false_sharing(dj_view_sections *sections, const dj_profile *profile);
int dj_view_add_diff(dj_view_sections *sections, const dj_view_request *request, const dj_diff *diff,
                     const dj_view_breakdowns *const sides[DJ_SIDES]);
int dj_view_add_pairs(dj_view_sections *sections, const dj_view_request *request,
                      const dj_view_breakdowns *const sides[DJ_SIDES]);

#endif
