// SPDX-License-Identifier: MIT
// The methods of starting a program so that it is traced, one per file.
#ifndef DEJA_LIVE_START_START_H
#define DEJA_LIVE_START_START_H

#include "live/tracee.h"

// What is executed. dj_start_free frees all of it, except strings in `arguments` and `environment` that are
// not also in `kept`.
typedef struct dj_start {
    char *file;
    const char **arguments;
    const char **environment;
    char *kept[8];
    unsigned kept_count;
    bool fixed_addresses; // the kernel must not randomize them
} dj_start;

typedef struct dj_launch_method {
    enum dj_tool tool;
    // `program` is the path of the first argument; rings appear in `folder`.
    int (*prepare)(dj_context *context, const dj_launch *launch, const char *program, const char *folder,
                   dj_start *start);
    // Explains why a process was not traced, or not to its end, if it left a reason in `folder`; may be NULL.
    bool (*explain)(const char *folder, uint32_t pid, char *to, size_t capacity);
} dj_launch_method;

extern const dj_launch_method dj_launch_method_native, dj_launch_method_valgrind,
    dj_launch_method_annotations;

void dj_start_free(dj_start *start); // a zero-initialized one is allowed
// Executes the program itself, with its arguments.
int dj_start_as_is(dj_start *start, dj_context *context, const dj_launch *launch, const char *program);
// Formats a string that is freed with the rest; NULL: out of memory.
const char *dj_start_format(dj_start *start, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The environment of this process, without variables that Deja set, and with `count` settings NAME=VALUE.
int dj_start_environment(dj_start *start, dj_context *context, const char *const *settings, size_t count);
// Adds variables DEJA_PADDING… to it, so that the stack begins at the same address whatever the sizes of
// arguments and environment, up to a limit; beyond it, at the same distance from a multiple of 16 KiB.
int dj_start_pad(dj_start *start, dj_context *context);

#endif
