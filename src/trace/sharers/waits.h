// SPDX-License-Identifier: MIT
// What threads wait for: before its access `at`, counted from 0, a thread waits until another one has made
// `accesses`. Stored in the file of the threads, in a few bytes each; in memory is one block per thread.
#ifndef DEJA_TRACE_SHARERS_WAITS_H
#define DEJA_TRACE_SHARERS_WAITS_H

#include "trace/sharers/store.h"

typedef struct dj_wait {
    uint64_t at;
    uint64_t accesses;
    uint32_t thread;
} dj_wait;

typedef struct dj_waits dj_waits;

// Keeps a reference to the store.
int dj_waits_create(dj_context *context, dj_store *store, dj_waits **out);
dj_waits *dj_waits_retain(dj_waits *waits);
void dj_waits_release(dj_waits *waits); // NULL is allowed
// Adds what a thread waits for; its waits come in the order of `at`.
int dj_waits_add(dj_waits *waits, dj_context *context, uint32_t thread, const dj_wait *wait);
// Before any is read. From now on, thread i has the number numbers[i]; UINT32_MAX: it makes no accesses, so
// nobody waits for it. There are `count` threads, and `thread_count` new numbers.
int dj_waits_finish(dj_waits *waits, dj_context *context, const uint32_t *numbers, uint32_t count,
                    uint32_t thread_count);
uint64_t dj_waits_count(const dj_waits *waits);

// The waits of one thread, in turn.
typedef struct dj_wait_reader {
    uint8_t *bytes; // of the current block
    size_t at, count;
    size_t next; // block
    dj_wait last;
} dj_wait_reader;

// Sets *more to false if there is none. A reader begins as zeros.
int dj_waits_next(const dj_waits *waits, dj_context *context, uint32_t thread, dj_wait_reader *reader,
                  dj_wait *out, bool *more);
void dj_wait_reader_free(dj_wait_reader *reader);

#endif
