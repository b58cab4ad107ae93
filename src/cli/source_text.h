// SPDX-License-Identifier: MIT
// Source files that a profile names: which one the user means, and its text.
#ifndef DEJA_CLI_SOURCES_H
#define DEJA_CLI_SOURCES_H

#include <time.h>

#include "model/annotated.h"

// The file of the listing that `typed` is the name of, or the end of the name
// of ("grid.c", "src/grid.c"), or that is the end of `typed`; a file that
// exists may also have stood in another folder. DJ_ERR_USAGE when there is
// none, or several.
int dj_source_text_match(dj_context *context, const dj_annotated *listing, const char *typed,
                         const dj_annotated_file **out);

// Reads a source: from `typed` (may be NULL) if there is such a file, from
// `folder` (may be NULL) and its longest end that exists there, or from where
// it was when it was compiled. A text that cannot be read tells why. `made` is
// when the profile was made, 0: unknown.
int dj_source_text_read(dj_context *context, const char *path, const char *typed, const char *folder,
                        time_t made, dj_annotated_text *out);
void dj_source_text_free(dj_annotated_text *text);

#endif
