// SPDX-License-Identifier: MIT
#ifndef DEJA_BASE_TEXT_H
#define DEJA_BASE_TEXT_H

#include <deja/error.h>

#include <string.h>

// Copies a string into *out, which the caller frees; *out is NULL on failure.
static inline int dj_copy_text(dj_context *context, const char *text, char **out)
{
    *out = strdup(text);
    return *out ? DJ_OK : dj_fail_memory(context, "a name", strlen(text) + 1);
}

// Names from programs and files are untrusted: their control characters must not reach the terminal.
static inline bool dj_is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

#endif
