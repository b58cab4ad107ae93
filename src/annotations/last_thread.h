// SPDX-License-Identifier: MIT
// A process ends with the last of its threads. The recorder's threads must not keep it alive after the first
// thread has left by pthread_exit and all others have ended.
#ifndef DEJA_ANNOTATIONS_LAST_THREAD_H
#define DEJA_ANNOTATIONS_LAST_THREAD_H

// Marks the calling thread, and those that it starts, as the recorder's. `then` ends the process as its last
// thread would have; NULL: it stays.
void dj_last_thread_begin(void (*then)(void));
// Called now and then by such a thread: starts a thread that calls `then` if only recorder threads are left.
void dj_last_thread_check(void);

#endif
