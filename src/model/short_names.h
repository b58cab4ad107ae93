// SPDX-License-Identifier: MIT
// Short names for people, in place of the complete ones while a document is made. Rows that would look alike
// are distinguished: by their template arguments, their complete names, their files or modules.
#ifndef DEJA_MODEL_SHORT_NAMES_H
#define DEJA_MODEL_SHORT_NAMES_H

#include <deja/attribution.h>

typedef struct dj_short_names dj_short_names;

// `full`: names stay complete, but are distinguished.
int dj_short_names_begin(dj_context *context, dj_attribution *a, bool full, dj_short_names **out);
void dj_short_names_end(dj_short_names *names); // the attribution is as it was; NULL is allowed

#endif
