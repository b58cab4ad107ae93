// SPDX-License-Identifier: MIT
// Source files with the costs of their lines.
#ifndef DEJA_REPORT_LISTING_H
#define DEJA_REPORT_LISTING_H

#include <deja/report.h>

#include "model/annotated.h"

// Files with their costs, texts[i] for files[i]: all lines, or the hot ones with three lines of context.
// `rest`: adds the share of the other files.
int dj_document_annotated(dj_context *context, const dj_profile *profile, const dj_annotated *listing,
                          const dj_annotated_file *const *files, const dj_annotated_text *texts, size_t count,
                          bool only_hot, bool rest, dj_document **out);
// All files as one JSON document, texts[i] for files[i].
void dj_annotated_json(const dj_profile *profile, const dj_annotated *listing,
                       const dj_annotated_file *const *files, const dj_annotated_text *texts, size_t count,
                       bool only_hot, FILE *out);

#endif
