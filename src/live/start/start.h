// SPDX-License-Identifier: MIT
// The ways to start a program so that it is traced, a file for each.
#ifndef DEJA_LIVE_START_START_H
#define DEJA_LIVE_START_START_H

#include "live/tracee.h"

// What is executed. All of it is freed by dj_start_free, but for the texts in
// `arguments` and `environment` that are not also in `kept`.
typedef struct dj_start {
    char *file;
    const char **arguments;
    const char **environment;
    char *kept[8];
    unsigned kept_count;
} dj_start;

typedef struct dj_way {
    enum dj_tool tool;
    // `program` is what the first argument leads to; rings come into `folder`.
    int (*prepare)(dj_context *context, const dj_launch *launch, const char *program, const char *folder,
                   dj_start *start);
    // Why a process was not traced, or not to its end, as far as it left a word
    // in `folder`; may be NULL.
    bool (*explain)(const char *folder, uint32_t pid, char *to, size_t room);
} dj_way;

extern const dj_way dj_way_native, dj_way_valgrind, dj_way_annotations;

void dj_start_free(dj_start *start); // one that is all zero is fine
// The program itself is what is executed, with the arguments that it was given.
int dj_start_as_is(dj_start *start, dj_context *context, const dj_launch *launch, const char *program);
// A text that is freed with the rest, or NULL: no memory.
const char *dj_start_format(dj_start *start, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The environment of this process, without what Deja itself put there, and with
// `count` settings NAME=VALUE.
int dj_start_environment(dj_start *start, dj_context *context, const char *const *settings, size_t count);

#endif
