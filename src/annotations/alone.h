// SPDX-License-Identifier: MIT
// A process ends with the last of its threads. The recorder's own must not keep
// it when the first thread has left by pthread_exit and all others have ended.
#ifndef DEJA_ANNOTATIONS_ALONE_H
#define DEJA_ANNOTATIONS_ALONE_H

// Marks the calling thread, and those that it starts, as the recorder's. `then`
// ends the process as its last thread would have; NULL: it stays.
void dj_alone_begin(void (*then)(void));
// From such a thread, now and then: lets a thread call it when it is time.
void dj_alone_check(void);

#endif
