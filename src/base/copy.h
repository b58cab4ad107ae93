// SPDX-License-Identifier: MIT
#ifndef DEJA_BASE_COPY_H
#define DEJA_BASE_COPY_H

#include <deja/error.h>

// A copy of a string in *out, which is freed; NULL when memory is out.
int dj_copy_text(dj_context *context, const char *text, char **out);

#endif
