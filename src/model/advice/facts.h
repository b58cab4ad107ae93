// SPDX-License-Identifier: MIT
// Facts about data and loops that advice needs, found from all pairs and places of an attribution.
#ifndef DEJA_MODEL_ADVICE_FACTS_H
#define DEJA_MODEL_ADVICE_FACTS_H

#include "base/dictionary.h"
#include "model/reuse/reuse.h"

// The accesses to one object in one innermost loop or, without one, function.
typedef struct dj_visit {
    uint64_t accesses, fetched; // fetched: those with long distances, and cold ones
    unsigned fields;            // different fields of structures
    bool open;                  // also elements of arrays, of unknown number
} dj_visit;

// The long reuses of one object that one loop carries, or all that it carries.
typedef struct dj_returned {
    uint32_t object, loop;
    uint64_t reuses;
    uint64_t whole;   // after at least half of the object was used
    uint64_t written; // the next use only writes
    uint64_t read;    // the last use only read
    uint64_t depends; // written last, read next
    uint64_t tangled; // these, in no order
} dj_returned;

typedef struct dj_advice_facts {
    const dj_attribution *a;
    const uint32_t *line_of;   // of each place: the group of its line and object
    const dj_tally *line_sums; // of each such group
    dj_dictionary visit_ids, returned_ids, part_ids, field_ids;
    uint32_t *visit_of; // of each place
    dj_visit *visits;
    uint32_t *places; // by loop; those of loop i begin at first[i] and end before first[i + 1]
    size_t *first;
    uint64_t reuses; // all long ones
    dj_returned *returned;
    size_t returned_capacity, returned_count;
    uint32_t *temporary;   // of each object: the loop in whose iterations it is written first
    uint64_t *most;        // of each object: the reuses that this loop carries
    uint64_t *temporaries; // of each loop: distinct blocks of the objects that are temporaries of it
    unsigned *parts;       // of each loop: different calls in its iterations
    bool *tangles; // of each loop: its iterations depend on each other through a whole object, in no order
    bool *flows;   // of each loop: its iterations read what earlier ones wrote, in order
} dj_advice_facts;

int dj_advice_facts_create(dj_advice_facts *facts, dj_context *context, const dj_attribution *a,
                           const uint32_t *line_of, const dj_tally *line_sums);
// For each pair, with its paths.
int dj_advice_facts_add_pair(dj_advice_facts *facts, dj_context *context, uint32_t pair,
                             const dj_reuse_paths *paths, const dj_reuse_link *link);
// After all pairs.
void dj_advice_facts_finish(dj_advice_facts *facts);
// Fills in evidence->facts; all else is known. The carrier is the measured one, or `inferred`.
void dj_advice_facts_find(const dj_advice_facts *facts, dj_reuse_evidence *evidence, uint32_t inferred);
// Whether one loop carries many of the reuses of an object.
bool dj_advice_facts_returns(const dj_advice_facts *facts, uint32_t object, uint32_t loop);
// Parts of dj_advice_facts_create, visits.c.
int dj_advice_facts_id(dj_dictionary *ids, dj_context *context, uint64_t a, uint64_t b, uint32_t *id);
int dj_advice_facts_visit(dj_advice_facts *facts, dj_context *context);
int dj_advice_facts_index(dj_advice_facts *facts, dj_context *context);
bool dj_advice_is_field(const char *element); // of a structure
void dj_advice_facts_destroy(dj_advice_facts *facts);

#endif
