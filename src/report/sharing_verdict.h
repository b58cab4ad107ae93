// SPDX-License-Identifier: MIT
// What sharing caches costs most, in sentences.
#ifndef DEJA_REPORT_SHARING_VERDICT_H
#define DEJA_REPORT_SHARING_VERDICT_H

#include <deja/document.h>
#include <deja/profile.h>

// Sets the summary of the document.
int dj_say_sharing_verdict(dj_context *context, dj_document *document, const dj_profile *profile);

#endif
