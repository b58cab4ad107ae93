// SPDX-License-Identifier: MIT
// The threads of a trace as sharers, numbered in the order of their first accesses until they are sorted. A
// trace without threads is one sharer.
#ifndef DEJA_TRACE_SHARERS_THREAD_LIST_H
#define DEJA_TRACE_SHARERS_THREAD_LIST_H

#include <deja/sharers.h>

#include "base/map.h"

typedef struct dj_thread_list {
    dj_sharer *sharers;
    size_t count;

    // Private to thread_list.c.
    size_t capacity, known_capacity, known_count;
    struct dj_known_thread *known; // also those without accesses so far
    dj_map rows;                   // from ids to positions in `known` + 1
    dj_footprint footprint;
    struct dj_known_thread *current; // NULL: no event so far
} dj_thread_list;

int dj_thread_list_create(dj_context *context, dj_thread_list *threads);
void dj_thread_list_destroy(dj_thread_list *threads);

// Part of a batch that one thread made.
typedef struct dj_thread_run {
    uint32_t from, to;
    uint32_t sharer;
    uint32_t next_event; // of the batch
} dj_thread_run;

// Finds the next run of a batch, beginning with a run of 0; sets *more to false if there is none. Counts its
// accesses.
int dj_thread_list_next(dj_thread_list *threads, dj_context *context, const dj_batch *batch,
                        const char *trace, dj_thread_run *run, bool *more);

// Sorts the sharers of a complete list by the numbers of their threads, or by their names if all of these are
// numbers; what has no thread comes first.
// numbers[i] becomes the new number of sharer i.
void dj_thread_list_sort(dj_thread_list *threads, uint32_t *numbers);

#endif
