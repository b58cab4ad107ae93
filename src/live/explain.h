// SPDX-License-Identifier: MIT
#ifndef DEJA_LIVE_EXPLAIN_H
#define DEJA_LIVE_EXPLAIN_H

#include <deja/error.h>

// Why Valgrind could not go on, from the log that it left; false: it left none.
bool dj_explain_log(const char *path, char *to, size_t room);

#endif
