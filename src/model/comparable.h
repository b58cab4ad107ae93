// SPDX-License-Identifier: MIT
// Which profiles can be compared.
#ifndef DEJA_MODEL_COMPARABLE_H
#define DEJA_MODEL_COMPARABLE_H

#include <deja/breakdown.h>
#include <deja/profile.h>

// What differs in how the first lanes were measured: "block sizes", "filters", …; NULL: nothing.
const char *dj_measured_differently(const dj_profile *a, const dj_profile *b);

// Whether they count different parts of the run, such as what one function does.
bool dj_selected_differently(const dj_profile *a, const dj_profile *b);

// The share of the accesses of one that are in parts of the same name in the other; 1 without attribution.
int dj_shared_parts(dj_context *context, const dj_profile *one, const dj_profile *other, enum dj_by by,
                    double *out);

#endif
