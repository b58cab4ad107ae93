// SPDX-License-Identifier: MIT
#ifndef DEJA_VIEW_WINDOWS_H
#define DEJA_VIEW_WINDOWS_H

#include <deja/windows.h>

#include "view/sections.h"

enum { DJ_VIEW_BINS = 65 }; // of a window

typedef struct dj_view_bins {
    uint64_t list[DJ_VIEW_BINS];
    uint32_t count;
} dj_view_bins;

// How many windows of the run are one in the page.
size_t dj_view_windows_joined(const dj_windows *windows);
void dj_view_add_bins(const dj_window *from, dj_view_bins *to);
// The section `windows` of a lane.
int dj_view_add_windows(dj_view_sections *sections, unsigned lane, const dj_windows *windows);

#endif
