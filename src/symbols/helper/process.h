// SPDX-License-Identifier: MIT
// The helper process: its start, requests and end. libdw and what it uses crash, abort or exit when memory
// runs out, and may do so on hostile files; there, only the helper ends.
#ifndef DEJA_SYMBOLS_HELPER_PROCESS_H
#define DEJA_SYMBOLS_HELPER_PROCESS_H

#include <deja/error.h>

#include <sys/types.h>

#include "symbols/helper/message.h"

#define DJ_HELPER_NAME "deja-symbols"

// The descriptor of the connection in the helper process.
enum { DJ_HELPER_FD = 3 };

// Exit status of a helper process that runs out of memory.
enum { DJ_HELPER_NO_MEMORY = 4 };

typedef struct dj_helper {
    int fd; // −1: it does not run
    pid_t pid;
    const dj_context *context; // whose stop shortens the wait for an answer
    char why[256];             // it does not run any more; "": it does, or was not started yet
} dj_helper;

// If it cannot be started, `why` says so. The context must live as long.
void dj_helper_start(dj_helper *helper, const dj_context *context, const char *path);
// Passes a request on and waits for the answer. False: the helper process has ended, and `why` is set; or, if
// it is not, there was no memory for the answer.
bool dj_helper_ask(dj_helper *helper, dj_message *request, dj_message *answer);
void dj_helper_end(dj_helper *helper);

#endif
