// SPDX-License-Identifier: MIT
// The statement instance that a thread is executing: from events of the stream, or from line tables and
// calls.
#ifndef DEJA_LOCATE_INSTANCES_H
#define DEJA_LOCATE_INSTANCES_H

#include "locate/statement_sites.h"
#include "locate/thread.h"

// The instance of a call or, with annotations, of an entire thread.
typedef struct dj_instance {
    uint32_t serial;    // of the call that it belongs to
    uint32_t statement; // a site of the statement
    uint64_t number;    // 0: none
    uint64_t given;     // its number in the event that began it
    uint64_t pc;        // of its last access, as an offset
    uint8_t source;     // enum dj_statement_source
    uint8_t kind;       // of its last access
} dj_instance;

typedef struct dj_instance_thread {
    dj_thread calls;
    dj_instance *frames; // by depth of the call
    size_t capacity;
    uint64_t marked; // for the stage: the instance reported last; 0: none
} dj_instance_thread;

typedef struct dj_instances {
    dj_statement_sites sites;
    dj_dictionary thread_ids;
    dj_instance_thread *threads;
    size_t thread_count, thread_capacity;
    uint32_t thread; // the current one
    bool annotated;  // an event has announced a statement
    uint64_t count;  // number of instances; they are numbered from 1
} dj_instances;

// Must be destroyed even after a failure.
int dj_instances_create(dj_instances *instances, dj_context *context, const dj_lookup *lookup);
void dj_instances_destroy(dj_instances *instances);
int dj_instances_event(dj_instances *instances, dj_context *context, const dj_event *event);
// The instance that access `index` of the batch, of the current thread, belongs to, and the depth of its
// call; its source is DJ_STATEMENT_OUTSIDE if there is none. NULL: out of memory.
const dj_instance *dj_instances_at(dj_instances *instances, dj_context *context, const dj_batch *batch,
                                   uint32_t index, uint8_t kind, uint32_t *frame);
// Whether that call of that thread is still in the instance.
bool dj_instances_go_on(const dj_instances *instances, uint32_t thread, uint32_t frame, uint64_t number);

#endif
