// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_REORDERING_H
#define DEJA_REPORT_REORDERING_H

#include <deja/report.h>

#include <stdio.h>

// What other orders would gain, in one or two sentences.
const char *dj_reordering_verdict(dj_document *document, const dj_reordering_view *view);

// The values, as JSON (docs/formats.md). `verdict` is the summary of the document.
int dj_reordering_json(dj_context *context, const dj_reordering_view *view, const char *verdict, FILE *out);

#endif
