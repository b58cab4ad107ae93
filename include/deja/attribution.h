// SPDX-License-Identifier: MIT
/// \file
/// Attribution: which code and data the accesses of a program belong to. This part of a profile holds
/// functions, loops, lines, calling contexts, data objects and threads, by name. They refer to each other
/// by their index in these lists; DJ_NOWHERE means none. The numbers are stored once, for each *place* (an
/// instruction in a calling context that accesses a data object); all other views are sums over places
/// (breakdown.h).
#ifndef DEJA_ATTRIBUTION_H
#define DEJA_ATTRIBUTION_H

#include <deja/hierarchy.h>
#include <deja/histogram.h>
#include <deja/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DJ_NOWHERE UINT32_MAX

/// What others that share caches (sharing.h) did to the accesses of a sharer, or to some of them.
typedef struct dj_sharing_counts {
    uint64_t broken;    ///< reuses: another sharer accessed the block since this sharer's previous access
    uint64_t shortened; ///< reuses whose distance in the shared cache is shorter than alone
    uint64_t stretched; ///< reuses whose distance in the shared cache is longer than alone
    uint64_t found;     ///< first accesses of this sharer to blocks that another had accessed before
    /// Misses of private caches of any size, since another sharer wrote to the block (Dubois and others,
    /// ISCA 1993): essential ones, which deliver a value that another sharer wrote, and useless ones.
    uint64_t true_sharing, false_sharing;
} dj_sharing_counts;

/// Misses in one cache of the machine that the sharers run on, by kind. The others are for capacity.
typedef struct dj_sharing_misses {
    uint64_t misses;
    uint64_t cold;        ///< the first access of the cache to the block
    uint64_t invalidated; ///< another cache's write had removed the block
    uint64_t alone;       ///< misses if each sharer ran alone, with a cache of its own of this size
} dj_sharing_misses;

/// What sharing caches did to the accesses of a tally.
typedef struct dj_sharing_tally {
    dj_sharing_counts counts;
    uint64_t sharers;          ///< that made these accesses; bit i: sharer i, the last bit: 63 and later ones
    dj_sharing_misses *caches; ///< one for each measured cache of the section `sharing`; owned
    size_t cache_count;
} dj_sharing_tally;

/// How accesses are distributed over the bursts of a run that was traced in bursts (tracing.h). Group 0 is
/// the first burst, which stands for itself. The others are divided into groups of about the same length.
/// Or over the slices of a sample of the blocks (sample.h): a group for each, and group 0 is empty.
enum { DJ_SPREAD_GROUPS = 17 };
typedef struct dj_spread {
    /// For each group, first the accesses with a known distance, then the others, by level: at level i, the
    /// distance is not below i of the cuts. Of an unknown distance, that is its lower bound. In a sample,
    /// each cut has two levels: of the smallest and the largest size that it may be mistaken for. Cold
    /// accesses are at the last.
    uint64_t *counts; ///< owned
    size_t count;     ///< up to DJ_SPREAD_GROUPS × 2 × (number of levels + 1); the rest is 0
} dj_spread;

/// The pattern of a miss, by what the hardware can do about it: what follows from the blocks that the same
/// place missed before, and from the code.
enum dj_miss_class {
    DJ_MISS_STREAMING, ///< the next block, or the one before, of a sequence: prefetched
    DJ_MISS_STRIDED,   ///< a constant stride of several blocks, less than a page of 4 KiB: prefetched
    DJ_MISS_PAGED,     ///< a constant stride that leads to another page each time
    DJ_MISS_IRREGULAR, ///< no pattern; several can be in flight at once
    /// No pattern that is prefetched, and the address comes from the load before it in a chain, as in
    /// p = p->next: one at a time.
    DJ_MISS_DEPENDENT,
};
enum {
    DJ_MISS_CLASSES = DJ_MISS_DEPENDENT + 1,
    DJ_MISS_BLOCK = 64,  ///< bytes; misses are classed for blocks of this size only
    DJ_MISS_FROM = 512,  ///< at distances from here on: 32 KiB
    DJ_MISS_PAGE = 4096, ///< bytes
    DJ_MISS_HITS = 1,    ///< the bin of shorter distances: only of dependent accesses
    DJ_MISS_BINS = 112,  ///< of dj_miss_bin
};

/// Bins of the distances of misses: 0 for first accesses, 1 for hits in chains, which wait for each other,
/// too, then two for each power of two from DJ_MISS_FROM on.
static inline unsigned dj_miss_bin(uint64_t distance)
{
    if (distance == UINT64_MAX)
        return 0;
    const unsigned log2 = 63 - (unsigned)__builtin_clzll(distance | DJ_MISS_FROM);
    return 2 + 2 * (log2 - 9) + (unsigned)(distance >> (log2 - 1) & 1);
}

/// The misses of a 32 KiB cache, and hits in chains, by distance and class: at dj_miss_count_at.
typedef struct dj_miss_counts {
    uint64_t *counts; ///< owned
    size_t count;     ///< a multiple of 2 × DJ_MISS_CLASSES; the rest is 0
} dj_miss_counts;

/// Where misses of a class are counted: reads, and writes.
static inline size_t dj_miss_count_at(unsigned bin, enum dj_miss_class of, bool writes)
{
    return 2 * (bin * (size_t)DJ_MISS_CLASSES + (size_t)of) + (writes ? 1 : 0);
}

/// Reuse distances in bins. All tallies of an attribution share the same bins: bin i holds the distances
/// from edges[i] up to, not including, edges[i + 1]; the last bin has no end. The requested cache sizes are
/// edges, so misses at them are exact; between edges, values are interpolated and marked as such.
typedef struct dj_tally {
    uint64_t accesses; ///< including cold misses
    uint64_t cold;
    uint64_t writes;
    uint64_t sum;                     ///< of the reuse distances
    uint64_t square_low, square_high; ///< 128-bit sum of their squares
    uint64_t min, max;                ///< of reuses; 0 and 0 when there are none
    uint32_t bin_first, bin_count;    ///< bins[0] is bin number bin_first
    uint64_t *bins;                   ///< owned
    dj_spatial_tally *spatial;        ///< owned; NULL unless requested
    dj_sharing_tally *sharing;        ///< owned; NULL unless several sharers were measured
    dj_spread *spread;                ///< owned; NULL unless it is an estimate from bursts or slices
    dj_level_tally *levels;           ///< owned; NULL unless caches were simulated (section `hierarchy`)
    dj_miss_counts *missed;           ///< owned; NULL: the classes of its misses are unknown, or it has none
} dj_tally;

/// A small sketch (HyperLogLog) of the set of blocks that a part of the code touched.
enum { DJ_SKETCH_REGISTERS = 256 };
typedef struct dj_sketch {
    uint8_t rank[DJ_SKETCH_REGISTERS];
} dj_sketch;

/// What is known about the file of a module, when its names were resolved.
enum dj_module_state {
    DJ_MODULE_FOUND,      ///< the file that was loaded, or one of the same build elsewhere
    DJ_MODULE_CODELESS,   ///< only its separate debug file, which has no code: loops are unknown
    DJ_MODULE_UNVERIFIED, ///< a file; the recording does not say whether it is the one that was loaded
    DJ_MODULE_NO_FILE,    ///< code in no file, such as code generated at run time
    DJ_MODULE_MISSING,    ///< no file
    DJ_MODULE_UNREADABLE, ///< no permission, truncated, not an ELF file, or a failure of the system
    DJ_MODULE_STALE,      ///< the file has changed since it was loaded
    DJ_MODULE_UNKNOWN,    ///< symbols could not be read to the end: out of memory, or a crash
    DJ_MODULE_STATES,     ///< number of values
};

typedef struct dj_module_row {
    char *path;
    bool has_lines, has_types;
    enum dj_module_state state;
    char *identity; ///< of the file that was loaded: "build-id:" or "xxh128:" and digits; "": unknown
    char *reason;   ///< why its file or its debug file could not be read; "": nothing was in the way
} dj_module_row;

/// Whether a module has a file that could not be used. Its places are addresses.
static inline bool dj_module_is_lost(const dj_module_row *module)
{
    return module->state == DJ_MODULE_MISSING || module->state == DJ_MODULE_UNREADABLE ||
           module->state == DJ_MODULE_STALE || module->state == DJ_MODULE_UNKNOWN;
}

/// Whether loops could be found in the code of a module.
static inline bool dj_module_has_code(const dj_module_row *module)
{
    return module->state != DJ_MODULE_CODELESS && !dj_module_is_lost(module);
}

typedef struct dj_function_row {
    char *name;
    uint32_t module;
    uint32_t file; ///< index into files, or DJ_NOWHERE
    uint32_t line;
} dj_function_row;

typedef struct dj_loop_row {
    uint32_t function; ///< whose source contains it, inlined or not
    uint32_t parent;   ///< the enclosing loop in this function
    uint32_t depth;    ///< 1: outermost
    uint32_t file;
    uint32_t first_line, last_line;
    uint64_t iterations; ///< completed iterations; 0: none, or not reported by the program
} dj_loop_row;

/// One instruction.
typedef struct dj_site_row {
    uint32_t module;
    uint64_t offset;
    uint32_t function; ///< the one that contains the line: the innermost inlined one
    uint32_t file;
    uint32_t line;
    uint32_t loop;
    uint32_t inlined;  ///< index into inlined of the frame around it, or DJ_NOWHERE: not inlined
    dj_sketch *sketch; ///< blocks touched; owned, NULL: none
    uint32_t chain;    ///< how it belongs to a chain of loads, 0: not; only while the profile is made
} dj_site_row;

/// A function into which another was inlined, and the line of the call.
typedef struct dj_inlined_row {
    uint32_t function;
    uint32_t file;
    uint32_t line;
    uint32_t inlined; ///< the frame around this one, or DJ_NOWHERE
} dj_inlined_row;

/// A node of the calling-context tree. Roots (parent DJ_NOWHERE) represent threads. A recursive call leads
/// back to the node of that function on the path.
typedef struct dj_cct_node {
    uint32_t parent;
    uint32_t thread;
    uint32_t function;  ///< DJ_NOWHERE for a root
    uint32_t call_site; ///< index into sites, or DJ_NOWHERE
    bool recursive;
    uint64_t calls;    ///< calls that led here, including recursive ones; 0: unknown
    dj_sketch *sketch; ///< owned, NULL: none
} dj_cct_node;

enum dj_object_kind {
    DJ_OBJECT_UNKNOWN,
    DJ_OBJECT_GLOBAL, ///< a variable with static storage
    DJ_OBJECT_LOCAL,  ///< a variable in the stack frames of its function, all activations combined
    DJ_OBJECT_FRAME,  ///< the rest of a function's stack frames: saved registers, temporaries
    DJ_OBJECT_HEAP,   ///< all blocks from one allocation site
    DJ_OBJECT_MAPPED, ///< anonymous memory that the program mapped itself
    DJ_OBJECT_MODULE, ///< unnamed memory of a module
};

typedef struct dj_object_row {
    char *name; ///< "grid", "heap a (main.c:12)", "stack of f"
    char *type; ///< "": unknown
    enum dj_object_kind kind;
    uint32_t file; ///< where it is declared or allocated
    uint32_t line;
    uint32_t cct_node; ///< of the allocation, for heap blocks
    uint64_t bytes;    ///< size of a variable; sum over the heap blocks
    uint64_t blocks;   ///< heap blocks allocated; 1 for a variable
    uint64_t distinct; ///< blocks (of the first lane) touched, exact
} dj_object_row;

typedef struct dj_thread_row {
    uint64_t id;
    char *name;
    uint64_t distinct; ///< exact
} dj_thread_row;

typedef struct dj_place_row {
    uint32_t site, cct_node, object;
    char *
        element; ///< the part of the object that it accesses, with "*" for indexes: "[*].vel[*]"; "": unknown
    char *example;    ///< the element with the longest distance: "[12].vel[2]"
    uint64_t address; ///< of the example; 0 in a loaded profile
    dj_tally tally;
} dj_place_row;

/// Which loop carries reuses from one of its iterations to another: the outermost one, active at both uses,
/// that was entered no later than the first use and whose current iteration began after it. Loops of callers
/// count. Measured, not inferred from places.
enum dj_carried {
    DJ_CARRIED_UNKNOWN, ///< not measured, or it cannot be known
    DJ_CARRIED_BY_LOOP,
    DJ_CARRIED_BY_NONE, ///< both uses are in one iteration of all loops that are active at both
    DJ_CARRIED_KINDS,   ///< number of values
};

/// Long reuses of data last used at place `from` and used next at place `to`. Those with different carriers
/// are different rows.
typedef struct dj_pair_row {
    uint32_t from, to;
    enum dj_carried carried;
    /// The loop that carries them; if none does, the innermost loop around both uses, in one iteration of
    /// which they are. DJ_NOWHERE: there is none, or it is unknown.
    uint32_t carrier;
    dj_tally tally;
} dj_pair_row;

/// Writes of one sharer at place `from` that removed blocks from private caches of any size, so that another
/// sharer's next access, at place `to`, missed.
typedef struct dj_invalidation_row {
    uint32_t from, to;
    uint64_t true_sharing, false_sharing; ///< as in dj_sharing_counts
    char *written, *missed;               ///< elements of an example: "[0].n"; "": unknown
    uint64_t written_at, missed_at;       ///< addresses of the example; 0 in a loaded profile
} dj_invalidation_row;

/// A cache whose size is one of the edges.
typedef struct dj_cut {
    char *name; ///< "L1", or its size as given
    uint64_t blocks;
} dj_cut;

typedef struct dj_attribution {
    uint64_t *edges; ///< edges[0] is 0
    size_t edge_count;
    dj_cut *cuts; ///< increasing
    size_t cut_count;
    uint64_t pair_from; ///< pairs are recorded for distances of at least this
    char **files;
    size_t file_count;
    dj_module_row *modules;
    size_t module_count;
    dj_function_row *functions;
    size_t function_count;
    dj_loop_row *loops;
    size_t loop_count;
    dj_inlined_row *inlined;
    size_t inlined_count;
    dj_site_row *sites;
    size_t site_count;
    dj_cct_node *cct; ///< calling-context tree, parents before children
    size_t cct_count;
    uint64_t cct_folded; ///< omitted contexts, rare or with few accesses, counted with their callers
    dj_object_row *objects;
    size_t object_count;
    dj_thread_row *threads;
    size_t thread_count;
    dj_place_row *places;
    size_t place_count;
    dj_pair_row *pairs;
    size_t pair_count;
    dj_invalidation_row *invalidations;
    size_t invalidation_count;
    uint64_t *shared_blocks; ///< of each object: blocks that several sharers accessed; none: not measured
    size_t shared_block_count;
} dj_attribution;

DJ_API int dj_attribution_create(dj_context *context, dj_attribution **out);
DJ_API void dj_attribution_destroy(dj_attribution *attribution);
/// DJ_ERR_INPUT unless all references are valid, chains of parents end, and tallies add up. References may
/// be DJ_NOWHERE, except for the function of a loop or inlined frame, the thread of a context, the site,
/// context and object of a place, and the places of a pair.
DJ_API int dj_attribution_check(dj_context *context, const dj_attribution *attribution);

/// Adds `other` to `tally`; both have the same edges.
DJ_API int dj_tally_add(dj_tally *tally, dj_context *context, const dj_tally *other);
/// Extends the tally to the bins `first` to `end` − 1; counts are kept.
DJ_API int dj_tally_widen(dj_tally *tally, dj_context *context, uint32_t first, uint32_t end);
DJ_API void dj_tally_free(dj_tally *tally); ///< frees what it owns
DJ_API int dj_sharing_tally_create(dj_context *context, size_t cache_count, dj_sharing_tally **out);
DJ_API void dj_sharing_tally_destroy(dj_sharing_tally *tally); ///< NULL is allowed
/// Adds `other`, which has the same caches.
DJ_API void dj_sharing_tally_add(dj_sharing_tally *tally, const dj_sharing_tally *other);
DJ_API int dj_miss_counts_create(dj_context *context, dj_miss_counts **out);
/// Extends the counts to `bins` bins.
DJ_API int dj_miss_counts_widen(dj_miss_counts *counts, dj_context *context, unsigned bins);
DJ_API void dj_miss_counts_destroy(dj_miss_counts *counts); ///< NULL is allowed
DJ_API int dj_spread_create(dj_context *context, size_t count, dj_spread **out);
DJ_API void dj_spread_destroy(dj_spread *spread); ///< NULL is allowed
/// Mean and deviation are exact; the median is interpolated within its bin.
DJ_API dj_moments dj_tally_moments(const dj_tally *tally, const dj_attribution *attribution);
/// Accesses that miss in a fully associative LRU cache of that many blocks, including cold misses: exact
/// when `blocks` is an edge, otherwise interpolated.
DJ_API double dj_tally_misses(const dj_tally *tally, const dj_attribution *attribution, uint64_t blocks);

DJ_API void dj_sketch_add(dj_sketch *sketch, uint64_t key);
DJ_API void dj_sketch_merge(dj_sketch *sketch, const dj_sketch *other);
/// An estimate; the standard error is about 6.5 %.
DJ_API double dj_sketch_count(const dj_sketch *sketch);

#ifdef __cplusplus
}
#endif
#endif
