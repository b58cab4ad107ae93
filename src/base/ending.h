// SPDX-License-Identifier: MIT
// How a program ended, in words.
#ifndef DEJA_BASE_ENDING_H
#define DEJA_BASE_ENDING_H

enum { DJ_END_BYTES = 96 };

// "ended by signal 11 (Segmentation fault)", of the wait status of a program that a signal ended. Returns
// `text`, which has DJ_END_BYTES.
const char *dj_describe_signal(int wait_status, char *text);

#endif
