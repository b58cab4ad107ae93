// SPDX-License-Identifier: MIT
// Programs that analyze themselves through <deja/record.h>.
#ifndef DEJA_SESSION_ANNOTATIONS_H
#define DEJA_SESSION_ANNOTATIONS_H

#include "session/state.h"

// The settings for the recorder in the program: lines of DEJA_RECORD_OPTIONS (annotations/lifecycle.c). The
// caller frees them with free().
int dj_annotations_settings(dj_context *context, const dj_request *request, char **out);

// Loads the profile that a process left in a file, and what it says about the process.
int dj_annotations_collect(dj_session *session, dj_worker *worker, const char *path);

#endif
