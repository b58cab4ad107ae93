// SPDX-License-Identifier: MIT
// From events to places. The locator is a stage between a source and the pipeline: it follows calls,
// returns, allocations and threads in the events of the batches, and gives every access a place: site,
// calling context and data object. It looks up symbols through a table of functions, so it also works on
// synthetic streams and without symbols.
#ifndef DEJA_LOCATE_LOCATE_H
#define DEJA_LOCATE_LOCATE_H

#include <deja/attribution.h>
#include <deja/elements.h>
#include <deja/place.h>
#include <deja/source.h>

#include "locate/sampled.h"
#include "symbols/symbols.h"

// Any may be NULL. They correspond to the functions of symbols.h.
typedef struct dj_lookup {
    void *user;
    int (*add_module)(void *user, dj_context *context, uint32_t id, const char *path, const char *identity);
    uint32_t (*function)(void *user, uint32_t module, uint64_t offset);
    bool (*is_stub)(void *user, uint32_t function);
    uint32_t (*origin)(void *user, uint32_t function);
    bool (*global)(void *user, uint32_t module, uint64_t offset, dj_extent *out);
    bool (*local)(void *user, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out);
    // Whether the function only returns the result of the call there.
    bool (*forwards)(void *user, dj_context *context, uint32_t module, uint64_t offset);
    // Identifies allocations by this call, and by copies of it that the compiler made; 0: unknown.
    uint64_t (*allocation)(void *user, dj_context *context, uint32_t module, uint64_t offset);
    const uint64_t *(*flow)(void *user, uint32_t module, uint64_t offset, size_t *count);
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
    uint64_t pc;       // of a local: the program counter at that time
    uint32_t function; // of a frame
    uint32_t cct_node; // of the first allocation
    uint32_t site;     // the call that allocates all its blocks; DJ_NOWHERE: unknown
    uint64_t bytes, blocks;
    uint64_t start; // address of its first block, if it is allocated; not saved
    bool in_heap;   // memory in no object: between, before or after heap blocks
    char *name;     // given by the program; NULL: none
} dj_object_id;

typedef struct dj_thread_id {
    uint64_t id;
    char *name;
} dj_thread_id;

typedef struct dj_module_id {
    char *path;
    char *identity; // of its file when it was loaded; NULL: unknown
    uint64_t load, bytes;
} dj_module_id;

static inline const char *dj_module_identity(const dj_module_id *module)
{
    return module->identity ? module->identity : "";
}

// Everything found so far, by number. Grows while the locator runs.
typedef struct dj_located {
    dj_module_id *modules;
    size_t module_count;
    dj_site_id *sites;
    size_t site_count;
    uint64_t *passes; // by site: how often control passed there; 0 if not reported
    size_t pass_count;
    dj_thread_id *threads;
    size_t thread_count;
    dj_cct_id *cct;
    size_t cct_count;
    uint64_t cct_rare; // contexts without their own number
    dj_object_id *objects;
    size_t object_count;
    dj_place_table places;
    uint64_t *place_offsets; // of each place: the offset of its first access in its object
} dj_located;

typedef struct dj_locator_options {
    dj_lookup lookup;
    bool fresh_heap; // reallocated memory is new data, with other addresses
    bool offsets;    // fill in column `offset`. Not with `sampled`
    // Only accesses that the filters let through get their own place, and the first one of each site. What
    // `options` point to must outlive the locator. Not with `fresh_heap`, which moves blocks.
    dj_sampled_options sampled;
} dj_locator_options;

typedef struct dj_locator dj_locator;

// Both sources belong to the caller: `out` returns the batches of `inner` with column place, and is closed
// first.
int dj_locator_create(dj_context *context, const dj_locator_options *options, dj_locator **out);
void dj_locator_destroy(dj_locator *locator);
int dj_locator_source(dj_context *context, dj_locator *locator, dj_source *inner, dj_source **out);
const dj_located *dj_locator_get(const dj_locator *locator);
// What is known of a site with `sampled`.
typedef struct dj_site_count {
    uint64_t accesses; // that count, with those that a sample stands for
    uint32_t function; // 0: unknown
} dj_site_count;
// False: not known, without `sampled`.
bool dj_locator_count(const dj_locator *locator, uint32_t site, dj_site_count *out);

// Resolves names for everything that observer `places` counted, through `symbols` (NULL: none), and removes
// what was never accessed. Renumbers the objects of `elements` (NULL: none).
int dj_resolve(dj_context *context, const dj_located *located, dj_symbols *symbols,
               dj_attribution *attribution, dj_element_maps *elements);

#endif
