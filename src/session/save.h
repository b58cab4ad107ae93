// SPDX-License-Identifier: MIT
// The processes of a session as JSON.
#ifndef DEJA_SESSION_SAVE_H
#define DEJA_SESSION_SAVE_H

#include "base/json/writer.h"
#include "session/state.h"

// The nesting depth of processes in the JSON of a session.
enum { DJ_PROCESS_DEPTH = 2 };

// Writes one element of the list, from its profile in memory.
int dj_process_save(dj_json_writer *json, dj_context *context, const dj_worker *worker,
                    const dj_json_view *view);

#endif
