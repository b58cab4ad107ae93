// SPDX-License-Identifier: MIT
/// \file
/// Option tables. A component (verb, format, engine, …) describes its options in a const table; the parser,
/// `--help`, the man page and the shell completion are all generated from it.
#ifndef DEJA_OPTION_H
#define DEJA_OPTION_H

#include <deja/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dj_option_type {
    DJ_OPTION_FLAG,   ///< bool; `--name` sets true
    DJ_OPTION_UNFLAG, ///< bool; `--name` sets false (for `--no-…`)
    DJ_OPTION_UINT,   ///< uint64_t; decimal or 0x
    DJ_OPTION_REAL,   ///< double
    DJ_OPTION_TEXT,   ///< const char *, points into the argument
    DJ_OPTION_CHOICE, ///< int, index into `choices`
};

typedef struct dj_option {
    const char *name;           ///< without the dashes; NULL ends a table
    char letter;                ///< short form, or 0
    uint8_t type;               ///< enum dj_option_type
    size_t offset;              ///< of the value in the component's options structure
    const char *argument;       ///< how help names the value: "N", "FILE"; NULL for flags
    const char *help;           ///< one sentence, no final period
    const char *const *choices; ///< DJ_OPTION_CHOICE: NULL-terminated
} dj_option;

/// An option table and the structure that its values are stored in.
typedef struct dj_option_group {
    const char *title; ///< heading in the help
    const dj_option *options;
    void *values;
} dj_option_group;

#ifdef __cplusplus
}
#endif
#endif
