// SPDX-License-Identifier: MIT
// Instances of statements in the order of a run, the data that each uses, and which instances must come
// before which. An instance must follow the last write of what it reads or writes, and the reads since that
// write of what it writes. Numbers have 32 bits, and a use takes 12 bytes.
#ifndef DEJA_REORDER_DATAFLOW_H
#define DEJA_REORDER_DATAFLOW_H

#include <deja/error.h>

#include "base/map.h"
#include "base/triple.h"

#define DJ_NONE UINT32_MAX

enum dj_use {
    DJ_USE_READS = 1,
    DJ_USE_WRITES = 2,
    DJ_USE_COUNTS = 4, // is an access to measure
    DJ_USE_BITS = 3,
};

typedef struct dj_dataflow {
    size_t count; // instances
    // By instance, with one more at the end: its first use, and the first of the instances it must follow for
    // another reason than its uses; NULL: there are none.
    uint32_t *first_use, *first_after;
    uint32_t *shape; // by instance: the places of its uses (dj_dataflow_places)
    uint32_t *nest;  // by instance: its iteration of a loop (nests.h), or DJ_NONE

    size_t use_count;
    uint32_t *uses;   // element << DJ_USE_BITS | enum dj_use
    uint32_t *next;   // the next instance that uses the element, or DJ_NONE
    uint32_t *writer; // the last instance that wrote the element before, DJ_NONE, or itself: see is_repeated
    size_t after_count;
    uint32_t *after;

    dj_map many; // instance and element → use + 1, of instances with many uses
    dj_footprint many_bytes;

    size_t element_count;
    uint32_t *first; // by element: the first instance that uses it
    uint64_t *keys;  // by element

    // While instances are added.
    uint32_t *last, *last_writer; // by element
    dj_triples places;            // shape without its last place, place → shape
    uint32_t *shapes;             // by shape: two numbers, as above
    size_t shape_count;
    size_t capacity[11]; // of the arrays
} dj_dataflow;

int dj_dataflow_create(dj_dataflow *dataflow, dj_context *context);
void dj_dataflow_destroy(dj_dataflow *dataflow);

// Begins an instance; everything below belongs to it.
int dj_dataflow_begin(dj_dataflow *dataflow, dj_context *context);
int dj_dataflow_add_element(dj_dataflow *dataflow, dj_context *context, uint64_t key, uint32_t *element);
int dj_dataflow_use(dj_dataflow *dataflow, dj_context *context, uint32_t element, unsigned use,
                    uint32_t place);
// The instance must come after another one, which began earlier; DJ_NONE is allowed. Of a few repetitions,
// only the first is kept.
int dj_dataflow_follow(dj_dataflow *dataflow, dj_context *context, uint32_t before);
// No more instances: frees what is needed only while they are added.
void dj_dataflow_end(dj_dataflow *dataflow);

// Frees all but the uses and places of the instances.
void dj_dataflow_forget_links(dj_dataflow *dataflow);

// Copies the places of the uses of an instance, in their order.
void dj_dataflow_places(const dj_dataflow *dataflow, uint32_t instance, uint32_t *out);

static inline uint32_t dj_use_element(const dj_dataflow *d, uint32_t use)
{
    return d->uses[use] >> DJ_USE_BITS;
}

// Whether the instance has used the element before. Its first use then stands for all of them.
static inline bool dj_use_is_repeated(const dj_dataflow *d, uint32_t instance, uint32_t use)
{
    return d->writer[use] == instance;
}

// Visits the instances that an instance must follow, some of them perhaps several times: those of
// dj_dataflow_follow, then for each use the writer, and the readers since.
typedef struct dj_predecessors {
    uint32_t instance;
    uint32_t use;    // being visited
    uint32_t reader; // of the element of `use`, the next to visit; DJ_NONE: its writer comes first
    uint32_t after;
} dj_predecessors;

dj_predecessors dj_predecessors_of(const dj_dataflow *dataflow, uint32_t instance);
// DJ_NONE at the end.
uint32_t dj_predecessors_next(const dj_dataflow *dataflow, dj_predecessors *p);

#endif
