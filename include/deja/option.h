// SPDX-License-Identifier: MIT
/// \file
/// Option tables. A component (verb, format, engine, …) describes its options in a const table, which drives
/// the parser, the help, the man page and the shell completion.
#ifndef DEJA_OPTION_H
#define DEJA_OPTION_H

#include <deja/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dj_option_type {
    DJ_OPTION_FLAG,     ///< bool; `--name` sets true
    DJ_OPTION_UNFLAG,   ///< bool; `--name` sets false (for `--no-…`)
    DJ_OPTION_UINT,     ///< uint64_t; decimal or 0x
    DJ_OPTION_REAL,     ///< double
    DJ_OPTION_SHARE,    ///< double from 0 to 1; 0.05 or 5%
    DJ_OPTION_TEXT,     ///< const char *, points into the argument
    DJ_OPTION_CHOICE,   ///< int, index into `choices`
    DJ_OPTION_OPTIONAL, ///< const char *; `--name` sets "", `--name=VALUE` a value as for DJ_OPTION_TEXT
    DJ_OPTION_TEXTS,    ///< dj_texts; may be given several times
};

enum { DJ_TEXTS_MAX = 32 };

/// The values of an option that may be given several times; they point into the arguments.
typedef struct dj_texts {
    const char *items[DJ_TEXTS_MAX];
    size_t count;
} dj_texts;

/// Combined with the type by `|`.
enum dj_option_flag {
    DJ_OPTION_COMMON = 0x10, ///< `--help` lists it; the others appear only in `--help-all`
    DJ_OPTION_FILE = 0x20,   ///< the value is the name of a file
    DJ_OPTION_FOLDER = 0x40, ///< the value is the name of a folder
    DJ_OPTION_LIST = 0x80,   ///< the value is a comma-separated list of `choices`
};

typedef struct dj_option {
    const char *name;     ///< without the dashes; NULL ends a table
    char letter;          ///< short form, or 0
    uint8_t type;         ///< enum dj_option_type, with flags of enum dj_option_flag
    size_t offset;        ///< of the value in the component's options structure
    const char *argument; ///< how help names the value: "N", "FILE"; NULL for flags
    /// What it does, without a final period. `--help` prints the first sentence; `--help-all` and the man
    /// page print everything.
    const char *help;
    /// NULL-terminated. DJ_OPTION_CHOICE: the accepted values. DJ_OPTION_TEXT: values for shell completion,
    /// or NULL; others may be accepted too.
    const char *const *choices;
} dj_option;

/// An option table and the structure that receives its values.
typedef struct dj_option_group {
    const char *title; ///< heading in the help
    const dj_option *options;
    void *values;
} dj_option_group;

#ifdef __cplusplus
}
#endif
#endif
