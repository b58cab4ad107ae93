// SPDX-License-Identifier: MIT
// The user's own lines: accesses of libraries and headers, charged to the first line of the user's code
// around them in their calling context.
#ifndef DEJA_MODEL_BREAKDOWN_OWN_H
#define DEJA_MODEL_BREAKDOWN_OWN_H

#include <deja/breakdown.h>

// A breakdown by own line, in the order of files and lines; the exclusive tallies include other code that the
// line calls. Accesses without an own line around them are charged to the last entity, whose line is 0. Code
// is the user's own if its file is below `folder`; NULL: if it is in the executable, and its file is not a
// header of the system. DJ_ERR_USAGE if no file is below the folder.
int dj_own_create(dj_context *context, const dj_attribution *a, const char *folder, dj_breakdown **out);
// The own line at the line of `entity`; NULL: there is none.
const dj_entity *dj_own_find(const dj_breakdown *own, const dj_entity *entity);

// A breakdown by line, and own lines without accesses of their own.
typedef struct dj_own_lines {
    dj_breakdown *own;
    dj_breakdown lines; // borrows from the breakdown that it was made of
    bool differs;       // a line causes at least 1% of the misses, or accesses, that it does not make itself
    dj_entity *entities;
    uint64_t *zeros;
} dj_own_lines;

// Free it with dj_own_lines_free, also after an error. `sorted`: worst first, by the greater one of what a
// line does and what it causes; otherwise further lines are at the end. They are added only if `differs`.
int dj_own_lines_create(dj_context *context, const dj_attribution *a, const char *folder,
                        const dj_breakdown *lines, bool sorted, dj_own_lines *out);
void dj_own_lines_free(dj_own_lines *lines);

// What a line causes, by the measure that `lines` are sorted by.
uint64_t dj_own_weight(const dj_breakdown *lines, const dj_attribution *a, const dj_entity *entity);

#endif
