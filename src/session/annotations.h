// SPDX-License-Identifier: MIT
// Programs that analyze themselves by <deja/record.h>.
#ifndef DEJA_SESSION_ANNOTATIONS_H
#define DEJA_SESSION_ANNOTATIONS_H

#include "session/state.h"

// What the recorder within the program is to do: lines of DEJA_RECORD_OPTIONS (annotations/life.c);
// freed with free().
int dj_annotations_settings(dj_context *context, const dj_request *request, char **out);

// The profile that a process left in a file, and what is known of the process by it.
int dj_annotations_collect(dj_session *session, dj_worker *worker, const char *path);

#endif
