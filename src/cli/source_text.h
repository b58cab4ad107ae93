// SPDX-License-Identifier: MIT
// The source files that a profile names: finds the one that the user means, and reads its text.
#ifndef DEJA_CLI_SOURCES_H
#define DEJA_CLI_SOURCES_H

#include <time.h>

#include "cli/source_file.h"
#include "model/annotated.h"

// Finds the file of the listing whose name is `typed` or ends in it ("grid.c",
// "src/grid.c"), or is the end of `typed`. If the file `typed` exists, the same base
// name in another folder matches too. DJ_ERR_USAGE if none or several match.
int dj_source_text_match(dj_context *context, const dj_annotated *listing, const char *typed,
                         const dj_annotated_file **out);

// Reads a source file: `typed` (may be NULL) if that file exists, else the longest tail of `path` that exists
// in one of scope->folders, else `path`, where it was compiled; the last two only if the scope contains the
// file. If it cannot be read, the text holds the reason. Of a very long file or line, only the start is read.
// `created` is when the profile was created; 0: unknown. Freed with dj_source_text_free.
int dj_source_text_read(dj_context *context, const char *path, const char *typed,
                        const dj_source_scope *scope, time_t created, dj_annotated_text *out);
void dj_source_text_free(dj_annotated_text *text);

#endif
