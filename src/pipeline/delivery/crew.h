// SPDX-License-Identifier: MIT
// Observers that share threads: each view is shown to all of them, by one of
// the threads. With several threads each has states of its own, which are merged
// into those of the first at the end; that is for observers that are `unordered`.
#ifndef DEJA_PIPELINE_DELIVERY_CREW_H
#define DEJA_PIPELINE_DELIVERY_CREW_H

#include "pipeline/delivery/deliver.h"
#include <deja/pipeline.h>

typedef struct dj_crew {
    unsigned threads;
    size_t count;          // of the observers
    dj_watcher *observers; // [thread][observer]
} dj_crew;

// Which of the pipeline's observers take part.
enum dj_crew_who { DJ_CREW_ALL, DJ_CREW_ORDERED, DJ_CREW_UNORDERED };

// `observers` are the pipeline's, whose states the first thread has, and `setup` what they were told.
int dj_crew_create(dj_crew *crew, dj_context *context, const dj_setup *setup, const dj_watcher *observers,
                   size_t observer_count, enum dj_crew_who who, unsigned threads);
// Makes the states of the first thread those of all.
int dj_crew_merge(const dj_crew *crew, dj_context *context);
void dj_crew_destroy(dj_crew *crew);

// Makes a state for an observer; `from` (NULL: none) has one that was saved.
int dj_watcher_create(dj_watcher *watcher, dj_context *context, const dj_setup *setup,
                      const dj_observer_ops *ops, const void *options, dj_unpacker *from);

#endif
