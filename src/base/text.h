// SPDX-License-Identifier: MIT
#ifndef DEJA_BASE_TEXT_H
#define DEJA_BASE_TEXT_H

#include <deja/error.h>

// A copy of a string in *out, which is freed; NULL when memory is out.
int dj_copy_text(dj_context *context, const char *text, char **out);

// What programs and files call something must not command the terminal that it
// is shown on.
static inline bool dj_is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

#endif
