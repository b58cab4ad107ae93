// SPDX-License-Identifier: MIT
// A page for the profiles that the user named, with the sources that it may contain.
#ifndef DEJA_CLI_VIEW_PAGE_H
#define DEJA_CLI_VIEW_PAGE_H

#include <time.h>

#include "cli/options/caches.h"
#include "cli/saved_profile.h"
#include "cli/source_file.h"
#include "view/view.h"

typedef struct dj_view_options {
    dj_saved_profile_options saved;
    dj_cache_options caches;
    bool no_source;
    const char *source; // folders; NULL: none
} dj_view_options;

typedef struct dj_view_page {
    dj_view_request request;
    dj_source_scope scope;
    time_t created[DJ_VIEW_PROFILES]; // when the profiles were; 0: unknown
    dj_caches caches[DJ_VIEW_PROFILES];
    dj_machine_costs costs; // of this machine
    char *template;         // instead of that of the program; NULL: none
} dj_view_page;

// Loads one or two profiles. DJ_ERR_DEVICE if this program has no page. The page must not move until it is
// freed.
int dj_view_page_load(dj_context *context, const dj_view_options *options, const dj_arguments *profiles,
                      dj_view_page *out);
// Writes it once. Write errors stay in the stream.
int dj_view_page_write(dj_context *context, dj_view_page *page, FILE *out);
void dj_view_page_free(dj_view_page *page); // a zeroed structure is allowed

#endif
