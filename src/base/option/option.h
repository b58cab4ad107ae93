// SPDX-License-Identifier: MIT
// Reading a command line with option tables, and writing help from them.
#ifndef DEJA_BASE_OPTION_OPTION_H
#define DEJA_BASE_OPTION_OPTION_H

#include <deja/option.h>
#include <stdio.h>

// Reads `--name value`, `--name=value`, `-x value`, `-xvalue`, flags (`-xy`)
// and `--`. What is no option goes to `positional`, which has room for `count`
// items. A name that several groups have is set in each of them. Texts point
// into `args`.
int dj_option_parse(dj_context *context, const dj_option_group *groups, size_t group_count, size_t count,
                    char *const *args, const char **positional, size_t *positional_count);

// Likewise, but the first argument that is no option ends them, as where a
// program and its own options follow.
int dj_option_parse_until_word(dj_context *context, const dj_option_group *groups, size_t group_count,
                               size_t count, char *const *args, const char **positional,
                               size_t *positional_count);

// As dj_option_parse, but `--` is among the positional arguments: what follows it
// is something else than what comes before.
int dj_option_parse_separated(dj_context *context, const dj_option_group *groups, size_t group_count,
                              size_t count, char *const *args, const char **positional,
                              size_t *positional_count);

// As dj_option_parse, but only `--name` and `--name=value` of these groups are options, and
// all from the first other argument on is left as it is: it belongs to another
// program.
int dj_option_parse_leading(dj_context *context, const dj_option_group *groups, size_t group_count,
                            size_t count, char *const *args, const char **positional,
                            size_t *positional_count);

bool dj_option_takes_value(const dj_option *option);
// Of the value that it sets.
size_t dj_option_value_bytes(const dj_option *option);

// The candidate nearest to `word` in spelling, or NULL when none is near.
const char *dj_nearest_word(const char *word, const char *const *candidates, size_t count);

// "Title:" and one entry for each option, wrapped at `width` columns.
void dj_option_print_help(FILE *out, const dj_option_group *groups, size_t group_count, size_t width);

// Paragraphs (separated by "\n\n") wrapped at `width`, each line after `indent` blanks.
void dj_text_print_wrapped(FILE *out, const char *text, size_t indent, size_t width);
// One paragraph that begins where the cursor stands, at column `indent`.
void dj_text_continue_wrapped(FILE *out, const char *text, size_t indent, size_t width);

// The same tables as roff source with the man macros.
void dj_option_print_roff(FILE *out, const dj_option_group *groups, size_t group_count);
// Text with what roff would take for commands escaped; "\n\n" begins a paragraph.
void dj_text_print_roff(FILE *out, const char *text);

#endif
