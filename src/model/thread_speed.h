// SPDX-License-Identifier: MIT
// How fast the threads of a program are, relative to one of them.
#ifndef DEJA_MODEL_THREAD_SPEED_H
#define DEJA_MODEL_THREAD_SPEED_H

#include <deja/sharing.h>

// The thread that the others are compared with: the first that the main one created, or the main one. The
// main one often only waits.
size_t dj_thread_reference(const dj_thread_work *threads, size_t count);
// Accesses per CPU second relative to the reference, in the recorded or the `native` run; 0: one of the two
// ran for too short a time.
double dj_thread_speed(const dj_thread_work *thread, const dj_thread_work *reference, bool native);

#endif
