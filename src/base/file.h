// SPDX-License-Identifier: MIT
// Files that cannot be opened, said the same way everywhere.
#ifndef DEJA_BASE_FILE_H
#define DEJA_BASE_FILE_H

#include <deja/error.h>

// The message for a file that could not be opened for reading. A name that
// leads to no readable file is bad input; anything else (too many open files,
// a broken disk) is the system's refusal.
int dj_fail_open(dj_context *context, const char *path, int error);

#endif
