// SPDX-License-Identifier: MIT
// What the parts of the locator share.
#ifndef DEJA_LOCATE_LOCATOR_H
#define DEJA_LOCATE_LOCATOR_H

#include "base/dictionary.h"
#include "base/map.h"
#include "locate/cct.h"
#include "locate/heap.h"
#include "locate/locate.h"
#include "locate/stacks.h"
#include "locate/thread.h"

// Whether the function of a call site only hands on what it got from there.
enum dj_hands_on { DJ_HANDS_ON_UNKNOWN, DJ_HANDS_ON_NOT, DJ_HANDS_ON };

// What the last access of a site touched, so that the next one is found
// without a search: [lo, lo + span) holds the object, counted from 0 or, when
// `relative` is all ones, from the canonical frame address. It holds as long as
// *alive is `serial`.
typedef struct dj_site_memory {
    uint64_t lo, span; // span 0: nothing yet
    uint64_t relative;
    const uint32_t *alive;
    uint32_t serial;
    uint32_t object;
    uint32_t function; // that holds the site
    uint32_t origin;   // what that is a copy of, or itself
    uint32_t cct_node; // with `object` and the site it is `place`; DJ_NOWHERE: nothing yet
    uint32_t place;
    uint32_t
        allocation;   // site that stands for it and its copies, as an allocation; DJ_NOWHERE: not asked yet
    bool stub;        // the function is one on the way to another
    bool silent;      // its calls are not told, while those of others are
    uint8_t hands_on; // enum dj_hands_on
    uint64_t shift;   // what makes an address of a heap block fresh
} dj_site_memory;

// An answer about the frame of a function, at a site: what lies `at` bytes from
// its canonical frame address.
typedef struct dj_local_memory {
    uint32_t function, site; // function 0: nothing yet
    int64_t at;
    dj_extent extent;
    bool found;
} dj_local_memory;

enum { DJ_LOCALS_REMEMBERED = 4096 };

struct dj_locator {
    dj_locator_options options;
    dj_located located;
    size_t module_capacity, site_capacity, object_capacity, thread_name_capacity, offset_capacity;
    uint32_t *module_order; // those that were described, by load address
    size_t module_order_count, module_order_capacity;
    size_t sites_met; // by their ids, events and accesses together

    dj_cct cct;
    dj_triples object_ids; // kind, and two numbers that depend on it
    dj_triples place_ids;  // site, context, object
    dj_heap *heap;
    dj_map allocations; // what tells an allocation from others → its first site + 1
    dj_footprint allocations_footprint;
    dj_dictionary names; // of data, that the program gave
    dj_stacks stacks;
    uint64_t heap_lo, heap_hi; // whole pages around all blocks that lie in no mapping

    dj_dictionary thread_ids; // id → index
    dj_thread *threads;
    size_t thread_capacity;
    uint32_t thread;        // the one at work
    uint32_t always;        // what stays alive until data are named
    uint32_t stack_changes; // grows with every call and return

    dj_site_memory *sites; // as located.sites
    size_t memory_capacity;
    dj_local_memory locals[DJ_LOCALS_REMEMBERED];
    dj_source *inner;
};

// Events.
int dj_locator_event(dj_locator *locator, dj_context *context, const dj_event *event);
// Makes room for a site that no event has described.
int dj_locator_site(dj_locator *locator, dj_context *context, uint32_t site);
int dj_locator_thread(dj_locator *locator, dj_context *context, const dj_event *event);
// The function of a site is at work and not the one on top: it was called, or
// jumped to, or came back without a return.
int dj_locator_enter(dj_locator *locator, dj_context *context, const dj_site_memory *m);
// Whether a frame is that of the function of a site.
// The context of the function that called the one of a site, or jumped to it. A silent
// one was called by the function of the frame, or by others like it.
static inline uint32_t dj_locator_caller(const dj_site_memory *m, const dj_shadow_frame *frame)
{
    return !frame->entered || (m && m->silent) ? frame->home_context : frame->cct_node;
}

bool dj_locator_is_within(const dj_locator *locator, uint32_t site, const dj_shadow_frame *frame);
int dj_locator_allocated(dj_locator *locator, dj_context *context, const dj_event *event);
// The module that holds an address; DJ_NOWHERE: none.
uint32_t dj_locator_module(const dj_locator *locator, uint64_t address);

// The object that an access of `site` to `address` touches, remembered with the site.
int dj_locator_find(dj_locator *locator, dj_context *context, uint32_t site, uint64_t address);
// The id of an object; `id->bytes` and `blocks` are added to those that are known.
int dj_locator_object(dj_locator *locator, dj_context *context, const dj_object_id *id, uint32_t a,
                      uint32_t b, uint32_t *object);

#endif
