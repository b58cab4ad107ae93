// SPDX-License-Identifier: MIT
// Child processes that must not outlive this one, even if a signal ends it. One that is stopped does not
// notice that its connection is closed.
#ifndef DEJA_BASE_CHILDREN_H
#define DEJA_BASE_CHILDREN_H

#include <sys/types.h>

void dj_children_add(pid_t pid);
void dj_children_remove(pid_t pid); // before it is waited for: its number may then be reused
void dj_children_kill(void);        // may be called by a signal handler

#endif
