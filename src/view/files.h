// SPDX-License-Identifier: MIT
// The files of the code, and their sources as far as a page contains them.
#ifndef DEJA_VIEW_FILES_H
#define DEJA_VIEW_FILES_H

#include <deja/breakdown.h>

#include "base/arena.h"
#include "view/sections.h"
#include "view/view.h"

typedef struct dj_view_file {
    const char *path;
    bool shown;
    uint32_t lines;
    const char *text, *reason;
    bool newer;
} dj_view_file;

// One for each file of the attribution.
typedef struct dj_view_files {
    dj_view_file *list;
    size_t count;
    dj_arena arena;
} dj_view_files;

// Reads the sources of a profile (0 or 1), those with the most accesses first, as long as there is space.
int dj_view_files_read(dj_context *context, const dj_view_request *request, unsigned profile,
                       const dj_breakdown *lines, dj_view_files *out);
void dj_view_files_free(dj_view_files *files); // a zeroed structure is allowed
int dj_view_add_files(dj_view_sections *sections, const dj_view_files *files);

#endif
