// SPDX-License-Identifier: MIT
// The processes of a session that have no ring. Their tracers leave an empty file, untraced.PID.ERROR.
#ifndef DEJA_LIVE_UNTRACED_H
#define DEJA_LIVE_UNTRACED_H

#include <stdbool.h>
#include <stddef.h>

// Names one of them, how many more there are, and why; false: all have rings.
bool dj_untraced_explain(const char *folder, char *to, size_t capacity);

#endif
