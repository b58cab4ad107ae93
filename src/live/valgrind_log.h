// SPDX-License-Identifier: MIT
#ifndef DEJA_LIVE_VALGRIND_LOG_H
#define DEJA_LIVE_VALGRIND_LOG_H

#include <deja/error.h>

// Explains why Valgrind could not continue, from the log that it left; false: there is none.
bool dj_valgrind_log_explain(const char *path, char *to, size_t capacity);

#endif
