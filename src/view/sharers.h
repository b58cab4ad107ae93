// SPDX-License-Identifier: MIT
// The sharers of a page: of very many, those with the most accesses, and one that is the sum of the others.
#ifndef DEJA_VIEW_SHARERS_H
#define DEJA_VIEW_SHARERS_H

#include <deja/sharing.h>

#include "view/sections.h"

typedef struct dj_view_sharers {
    size_t count;       // in the page
    uint32_t *index_of; // of each sharer of the profile
} dj_view_sharers;

int dj_view_sharers_choose(dj_context *context, const dj_sharing *sharing, dj_view_sharers *out);
// Whether a sharer is in the page by itself.
bool dj_view_is_shown(const dj_view_sharers *sharers, const dj_sharing *sharing, size_t sharer);
void dj_view_sharers_free(dj_view_sharers *sharers);
// The section `sharing`.
int dj_view_add_sharing(dj_view_sections *sections, const dj_sharing *sharing);

#endif
