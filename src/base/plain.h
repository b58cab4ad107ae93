// SPDX-License-Identifier: MIT
// Plain text: an untrusted string without anything that could control a terminal, change the writing
// direction, hide, begin another line or break a file format. Every string from a profile, a trace, a
// program, a file name or a command line passes through here before it is printed.
#ifndef DEJA_BASE_PLAIN_H
#define DEJA_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The next character of *at as plain text: sets *out to its bytes, advances *at and returns their number; 0
// at the end. Invalid and forbidden characters become '?'. Without `unicode`, signs that Deja itself uses
// are written in ASCII, and others become '?'.
size_t dj_plain_next(const char **at, bool unicode, const char **out);

// The character at `at`, which is not the end, and its length; 0 if it is not valid UTF-8.
size_t dj_plain_decode(const char *at, uint32_t *out, bool *hostile);

// Writes a plain text.
void dj_plain_print(FILE *out, const char *text, bool unicode);
// Makes a text plain in place.
void dj_plain_clean(char *text);

// Letters and digits of ASCII, whatever the locale.
static inline bool dj_plain_is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

#endif
