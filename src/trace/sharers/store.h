// SPDX-License-Identifier: MIT
// The accesses of each thread, separately, in one unnamed file: access frames of the Deja stream, and in
// memory a list of those of each thread. All threads are written before any is read.
#ifndef DEJA_TRACE_SHARERS_STORE_H
#define DEJA_TRACE_SHARERS_STORE_H

#include <deja/source.h>

// Columns that are stored.
enum {
    DJ_STORE_COLUMNS = DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE | DJ_COLUMN_PLACE | DJ_COLUMN_KIND
};

typedef struct dj_store dj_store;

// `name` is that of the trace.
int dj_store_create(dj_context *context, const char *name, dj_store **out);
// Appends accesses `from` … `to` - 1 of a batch to a thread. Threads are numbered from 0, as they appear.
int dj_store_add(dj_store *store, dj_context *context, uint32_t thread, const dj_batch *batch, uint32_t from,
                 uint32_t to);
// Writes what is still in memory.
int dj_store_finish(dj_store *store, dj_context *context);
uint64_t dj_store_accesses(const dj_store *store, uint32_t thread); // when finished
// A source of the accesses of one thread, with the columns of `info`. Keeps the store.
int dj_store_open(dj_store *store, dj_context *context, uint32_t thread, const dj_source_info *info,
                  dj_source **out);
// Bytes in the same file, for those who keep more about the threads.
int dj_store_append(dj_store *store, dj_context *context, const uint8_t *data, size_t bytes,
                    uint64_t *offset);
int dj_store_load(dj_store *store, dj_context *context, uint64_t offset, uint8_t *data, size_t bytes);
dj_store *dj_store_retain(dj_store *store);
// The store ends when its sources are closed, too.
void dj_store_release(dj_store *store);

#endif
