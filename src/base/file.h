// SPDX-License-Identifier: MIT
// Names of files, and files that cannot be opened, said the same way everywhere.
#ifndef DEJA_BASE_FILE_H
#define DEJA_BASE_FILE_H

#include <deja/error.h>

// The message for a file that could not be opened for reading. A name that
// leads to no readable file is bad input; anything else (too many open files,
// a broken disk) is the system's refusal.
int dj_fail_open(dj_context *context, const char *path, int error);

// What stands after the last slash of a path.
const char *dj_file_name(const char *path);

#endif
