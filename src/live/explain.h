// SPDX-License-Identifier: MIT
#ifndef DEJA_LIVE_EXPLAIN_H
#define DEJA_LIVE_EXPLAIN_H

#include <deja/error.h>

// Why Valgrind could not go on, from the log that it left; false: it left none.
bool dj_explain_log(const char *path, char *to, size_t room);
// Likewise, from text that came through the ring; false: it tells nothing known.
bool dj_explain_text(const char *text, char *to, size_t room);

#endif
