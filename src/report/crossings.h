// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_CROSSINGS_H
#define DEJA_REPORT_CROSSINGS_H

#include <deja/document.h>
#include <deja/limit.h>

#include "base/json/writer.h"

typedef void dj_crossing_line(void *user, bool crossed, const char *text);

// Calls `line` with a sentence for each count beyond a limit, the first ones of each limit; the strings
// belong to the document.
void dj_crossings_say(dj_document *document, const dj_crossings *crossings, dj_crossing_line *line,
                      void *user);

// "crossed" and, if there are such, "undecided" (docs/formats.md).
void dj_crossings_json(dj_json_writer *json, const dj_crossings *crossings);

#endif
