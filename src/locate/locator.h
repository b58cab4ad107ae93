// SPDX-License-Identifier: MIT
// Shared by the parts of the locator.
#ifndef DEJA_LOCATE_LOCATOR_H
#define DEJA_LOCATE_LOCATOR_H

#include "base/dictionary.h"
#include "base/map.h"
#include "locate/cct.h"
#include "locate/heap.h"
#include "locate/locate.h"
#include "locate/stacks.h"
#include "locate/thread.h"

// Whether the function of a call site only returns the result of that call.
enum dj_forwards { DJ_FORWARDS_UNKNOWN, DJ_FORWARDS_NOT, DJ_FORWARDS };

// The result of the last lookup of a site, so that the next access needs no search: [lo, lo + span)
// contains the object, relative to 0 or, if `relative` is all ones, to the canonical frame address. Valid
// while *alive equals `serial`.
typedef struct dj_site_memory {
    uint64_t lo, span; // span 0: nothing yet
    uint64_t relative;
    const uint32_t *alive;
    uint32_t serial;
    uint32_t object;
    uint32_t function; // that contains the site
    uint32_t origin;   // the function it is a copy of, or itself
    uint32_t cct_node; // together with `object` and the site this is `place`; DJ_NOWHERE: nothing yet
    uint32_t place;
    uint32_t allocation; // the site that represents it and its copies, as an allocation; DJ_NOWHERE: not
                         // looked up yet
    bool stub;           // the function only leads to another
    bool silent;         // its calls are not reported, while those of others are
    bool shapeless;      // the object has no start that is the same for all accesses
    uint8_t forwards;    // enum dj_forwards
    uint64_t shift;      // offset that makes an address of a heap block fresh
    uint64_t accesses;   // that count; 0 unless blocks are sampled
    uint64_t before;     // bytes of the object before `lo`
} dj_site_memory;

// A cached answer about the frame of a function at a site: what is at `at` bytes from its canonical frame
// address.
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
    uint32_t *module_order; // the described ones, by load address
    size_t module_order_count, module_order_capacity;
    size_t sites_met; // by id, from events and accesses

    dj_cct cct;
    dj_triples object_ids; // kind, and two numbers that depend on it
    dj_triples place_ids;  // site, context, object
    bool separated;        // places of the first burst are not used any more
    dj_heap *heap;
    dj_map allocations; // identity of an allocation → its first site + 1
    dj_footprint allocations_footprint;
    dj_dictionary names; // of data, given by the program
    dj_stacks stacks;
    uint64_t heap_lo, heap_hi; // all pages around blocks that are not in a mapping

    dj_dictionary thread_ids; // id → index
    dj_thread *threads;
    size_t thread_capacity;
    uint32_t thread;        // the current one
    uint32_t always;        // valid until data is named
    uint32_t stack_changes; // increases with every call and return

    dj_site_memory *sites; // parallel to located.sites
    size_t memory_capacity;
    dj_local_memory locals[DJ_LOCALS_REMEMBERED];
    dj_sampled *sampled; // NULL: every access gets a place
    dj_source *inner;
};

// Handles an event.
int dj_locator_event(dj_locator *locator, dj_context *context, const dj_event *event);
// Adds a site that no event has described.
int dj_locator_site(dj_locator *locator, dj_context *context, uint32_t site);
int dj_locator_thread(dj_locator *locator, dj_context *context, const dj_event *event);
// Called when the function of a site runs but is not on top of the stack: it was called, or jumped to, or
// returned to without a return event.
int dj_locator_enter(dj_locator *locator, dj_context *context, const dj_site_memory *m);
// The calling context of the function that called the function of a site, or jumped to it. A function whose
// calls are not reported was called by the function of the frame, or by others like it.
static inline uint32_t dj_locator_caller(const dj_site_memory *m, const dj_shadow_frame *frame)
{
    return !frame->entered || (m && m->silent) ? frame->called_node : frame->cct_node;
}

// Whether a frame belongs to the function of a site.
bool dj_locator_is_within(const dj_locator *locator, uint32_t site, const dj_shadow_frame *frame);
int dj_locator_allocated(dj_locator *locator, dj_context *context, const dj_event *event);
// The module that contains an address; DJ_NOWHERE: none.
uint32_t dj_locator_module(const dj_locator *locator, uint64_t address);

// Finds the object that an access of `site` to `address` touches, and caches it with the site.
int dj_locator_find(dj_locator *locator, dj_context *context, uint32_t site, uint64_t address);
// The id of an object; `id->bytes` and `blocks` are added to the existing ones.
int dj_locator_object(dj_locator *locator, dj_context *context, const dj_object_id *id, uint32_t a,
                      uint32_t b, uint32_t *object);

#endif
