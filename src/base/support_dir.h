// SPDX-License-Identifier: MIT
// Finds the files that are installed with the program: the tracers, and what recompiled programs are linked
// with.
#ifndef DEJA_BASE_SUPPORT_DIR_H
#define DEJA_BASE_SUPPORT_DIR_H

#include <deja/error.h>

// Returns the folder that contains `file`: the one that DEJA_LIB names, or one beside this program or beside
// the shared library, in the build tree or where it is installed. The caller frees it.
int dj_support_dir_find(dj_context *context, const char *file, char **folder);

#endif
