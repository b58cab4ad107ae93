// SPDX-License-Identifier: MIT
// Parses a command line by option tables, and prints help from them.
#ifndef DEJA_BASE_OPTION_OPTION_H
#define DEJA_BASE_OPTION_OPTION_H

#include <deja/option.h>
#include <stdio.h>

// Parses `--name value`, `--name=value`, `-x value`, `-xvalue`, combined flags
// (`-xy`) and `--`. All other arguments go to `positional`, which has space for
// `count` items. A name that occurs in several groups is set in each of them.
// Text values point into `args`.
int dj_option_parse(dj_context *context, const dj_option_group *groups, size_t group_count, size_t count,
                    char *const *args, const char **positional, size_t *positional_count);

// Like dj_option_parse, but the first positional argument ends the options: it
// is a program, followed by the program's own options.
int dj_option_parse_until_word(dj_context *context, const dj_option_group *groups, size_t group_count,
                               size_t count, char *const *args, const char **positional,
                               size_t *positional_count);

// Like dj_option_parse, but keeps `--` among the positional arguments, so that
// the caller can tell what precedes it from what follows.
int dj_option_parse_separated(dj_context *context, const dj_option_group *groups, size_t group_count,
                              size_t count, char *const *args, const char **positional,
                              size_t *positional_count);

// Like dj_option_parse, but accepts only `--name` and `--name=value` of these
// groups. The first other argument and everything after it are positional: they
// belong to another program.
int dj_option_parse_leading(dj_context *context, const dj_option_group *groups, size_t group_count,
                            size_t count, char *const *args, const char **positional,
                            size_t *positional_count);

// The type without its flags.
enum dj_option_type dj_option_get_type(const dj_option *option);
bool dj_option_is_common(const dj_option *option);
bool dj_option_takes_value(const dj_option *option);
// The same, or one that may follow after "=".
bool dj_option_may_have_value(const dj_option *option);
// Size of the value in the options structure.
size_t dj_option_value_bytes(const dj_option *option);

// The candidate closest to `word` in spelling; NULL if none is close.
const char *dj_nearest_word(const char *word, const char *const *candidates, size_t count);

// Which options to print, and how.
enum dj_option_print {
    DJ_PRINT_COMMON = 1, // options marked DJ_OPTION_COMMON
    DJ_PRINT_OTHER = 2,  // all others
    DJ_PRINT_TITLES = 4, // "Title:" before each group that has such options
    DJ_PRINT_BRIEF = 8,  // only the first sentence of each help text
};

// Prints an entry for each option, wrapped at `width` columns. `how` combines
// bits of enum dj_option_print.
void dj_option_print_help(FILE *out, const dj_option_group *groups, size_t group_count, unsigned how,
                          size_t width);

// Paragraphs (separated by "\n\n") wrapped at `width`, each line indented by `indent` columns.
void dj_text_print_wrapped(FILE *out, const char *text, size_t indent, size_t width);
// One paragraph that starts at the cursor, which is at column `indent`.
void dj_text_continue_wrapped(FILE *out, const char *text, size_t indent, size_t width);

// The same entries as roff source for the man macros.
void dj_option_print_roff(FILE *out, const dj_option_group *groups, size_t group_count, unsigned how);
// Text, escaped where roff would read it as a request; "\n\n" starts a paragraph.
void dj_text_print_roff(FILE *out, const char *text);

#endif
