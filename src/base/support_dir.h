// SPDX-License-Identifier: MIT
// Where the files lie that come with the program: the tracers and what
// recompiled programs are linked with.
#ifndef DEJA_BASE_SUPPORT_DIR_H
#define DEJA_BASE_SUPPORT_DIR_H

#include <deja/error.h>

// The folder that holds `file`: the one that DEJA_LIB names, or one beside this
// program or beside the shared library, in the build tree or where it is installed. To be freed.
int dj_support_dir_find(dj_context *context, const char *file, char **folder);

#endif
