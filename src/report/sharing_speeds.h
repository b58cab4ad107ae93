// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_SHARING_SPEEDS_H
#define DEJA_REPORT_SHARING_SPEEDS_H

#include <deja/document.h>
#include <deja/sharing.h>

// Adds a table, if the CPU times of threads are known and long enough.
int dj_add_speeds(dj_context *context, dj_document *document, const dj_sharing *sharing);

#endif
