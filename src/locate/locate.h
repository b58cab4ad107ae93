// SPDX-License-Identifier: MIT
// From events to places. The locator stands between a source and the pipeline:
// it follows calls, returns, allocations and threads in the events of the
// batches, and gives every access a place: site, calling context and data
// object together. It asks for symbols through a table of functions, so that it
// works on hand-made streams and without any.
#ifndef DEJA_LOCATE_LOCATE_H
#define DEJA_LOCATE_LOCATE_H

#include <deja/attribution.h>
#include <deja/place.h>
#include <deja/source.h>

#include "symbols/symbols.h"

// Any of them may be NULL. As the functions of symbols.h.
typedef struct dj_lookup {
    void *user;
    int (*add_module)(void *user, dj_context *context, uint32_t id, const char *path);
    uint32_t (*function)(void *user, uint32_t module, uint64_t offset);
    bool (*is_stub)(void *user, uint32_t function);
    uint32_t (*origin)(void *user, uint32_t function);
    bool (*global)(void *user, uint32_t module, uint64_t offset, dj_extent *out);
    bool (*local)(void *user, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out);
    // Whether the function only hands on what the call there returns.
    bool (*hands_on)(void *user, dj_context *context, uint32_t module, uint64_t offset);
    // What tells allocations by this call apart from those by others, unless it is
    // a copy that the compiler made; 0: nothing does.
    uint64_t (*allocation)(void *user, dj_context *context, uint32_t module, uint64_t offset);
    bool (*statement)(void *user, uint32_t module, uint64_t offset, dj_statement_info *out);
} dj_lookup;

dj_lookup dj_lookup_symbols(dj_symbols *symbols);

typedef struct dj_site_id {
    uint32_t module;
    uint64_t offset;
} dj_site_id;

typedef struct dj_cct_id {
    uint32_t parent; // DJ_NOWHERE: the root of a thread
    uint32_t thread; // index into threads
    uint32_t function;
    uint32_t call_site; // DJ_NOWHERE: none (a root, the first function of a thread, a tail call)
    bool recursive;
    uint64_t calls;
} dj_cct_id;

typedef struct dj_object_id {
    enum dj_object_kind kind;
    uint32_t module;   // of a global, or of a module
    uint32_t variable; // of symbols; 0: none
    int64_t at;        // where it was found: an offset in the module, or from the canonical frame address
    uint64_t pc;       // of a local: where the program was then
    uint32_t function; // of a frame
    uint32_t cct_node; // of the first allocation
    uint32_t site;     // the call that all its blocks come from; DJ_NOWHERE: unknown
    uint64_t bytes, blocks;
    bool in_heap; // of memory that is in no object: between, before or after blocks of the heap
    char *name;   // given by the program; NULL: none
} dj_object_id;

typedef struct dj_thread_id {
    uint64_t id;
    char *name;
} dj_thread_id;

typedef struct dj_module_id {
    char *path;
    uint64_t load, bytes;
} dj_module_id;

// All that was met, by number. Grows while the locator works.
typedef struct dj_located {
    dj_module_id *modules;
    size_t module_count;
    dj_site_id *sites;
    size_t site_count;
    uint64_t *passes; // by site: how often control came there; 0 for those it was not told of
    size_t pass_count;
    dj_thread_id *threads;
    size_t thread_count;
    dj_cct_id *cct;
    size_t cct_count;
    uint64_t cct_rare; // that have no number of their own
    dj_object_id *objects;
    size_t object_count;
    dj_place_table places;
    uint64_t *place_offsets; // of each place: where in its object the first access was
} dj_located;

typedef struct dj_locator_options {
    dj_lookup lookup;
    bool fresh_heap; // reallocated memory is new data: every heap block gets addresses of its own
    bool flat;       // calls are not told: every function is one that its thread has called
} dj_locator_options;

typedef struct dj_locator dj_locator;

// Both sources are the caller's: `out` gives the batches of `inner` with column
// place, and is closed first.
int dj_locator_create(dj_context *context, const dj_locator_options *options, dj_locator **out);
void dj_locator_destroy(dj_locator *locator);
int dj_locator_source(dj_context *context, dj_locator *locator, dj_source *inner, dj_source **out);
const dj_located *dj_locator_get(const dj_locator *locator);

// Gives names to all that the observer `places` counted, through `symbols` (NULL:
// none), and leaves out what was never accessed.
int dj_resolve(dj_context *context, const dj_located *located, dj_symbols *symbols,
               dj_attribution *attribution);

#endif
