// SPDX-License-Identifier: MIT
// Names of the rows of an attribution. Functions that return char * return a copy that the caller frees, or
// NULL if out of memory.
#ifndef DEJA_MODEL_NAMES_H
#define DEJA_MODEL_NAMES_H

#include <deja/attribution.h>

#include <stdio.h>

typedef struct dj_names {
    const dj_attribution *a;
    const char **files;         // the shortest unique ends of the paths
    const char *const *aliases; // of the functions, in place of their names; NULL: none
} dj_names;

int dj_names_create(dj_names *names, dj_context *context, const dj_attribution *a);
void dj_names_destroy(dj_names *names); // a zeroed structure is allowed

const char *dj_names_function(const dj_names *names, uint32_t function); // "?" if there is none
const char *dj_names_module(const dj_names *names, uint32_t module);     // the last part of its path

char *dj_names_line(const dj_names *names, uint32_t file, uint32_t line); // "solve.c:14"
char *dj_names_loop(const dj_names *names, uint32_t loop);                // "solve.c:12-20 in solve"
char *dj_names_site(const dj_names *names, uint32_t site); // its line, or else the function or module
char *dj_names_use(const dj_names *names, uint32_t site);  // "solve.c:14 in sweep"
// The element precedes a remark in parentheses: "heap a[*] (main.c:12)".
char *dj_names_data(const dj_names *names, uint32_t object, const char *element);
char *dj_names_path(const dj_names *names, uint32_t context); // "main > solve > sweep"
char *dj_names_thread(const dj_names *names, uint32_t thread);

// The same, written to a stream; these cannot fail.
void dj_names_put_loop(const dj_names *names, uint32_t loop, FILE *out);
void dj_names_put_site(const dj_names *names, uint32_t site, FILE *out);
void dj_names_put_thread(const dj_names *names, uint32_t thread, FILE *out);
void dj_names_put_data(const dj_names *names, uint32_t object, const char *element, FILE *out);
// Whether the name of a loop consists of its lines; other names begin with "loop".
bool dj_names_loop_has_lines(const dj_names *names, uint32_t loop);

#endif
