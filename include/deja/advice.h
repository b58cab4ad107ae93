// SPDX-License-Identifier: MIT
/// \file
/// Advice rules. A rule decides from the evidence whether it applies, and writes the advice. Rules are tried
/// in order; the first that applies provides the advice. The library contains rules for long reuses
/// (reuse.h) and for spatial locality (components.h); callers may pass their own lists. See
/// docs/adding-an-advice-rule.md.
#ifndef DEJA_ADVICE_H
#define DEJA_ADVICE_H

#include <deja/attribution.h>
#include <deja/profile.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dj_names;
struct dj_reuse;
struct dj_rank_row;
struct dj_ranking_work;

/// What is known about the data of a long reuse and the loop that returns to it.
typedef struct dj_reuse_facts {
    uint32_t carrier;   ///< the loop that returns to the data; DJ_NOWHERE: none, or unknown
    bool measured;      ///< the carrier was measured (attribution.h), not inferred from distances
    bool one_iteration; ///< measured: both uses are in one iteration of all loops around both
    /// The line that uses the data again does so after distances in no order, as searches and gathers do.
    bool irregular;
    bool field, nodes; ///< fields of structures; small heap blocks, allocated individually
    double element;    ///< size of a structure in bytes; 0: unknown, or there is none
    /// At most so many bytes of a block are used each time that it is fetched, by all accesses to the object
    /// in the innermost loop (without one, the function); 0: unknown.
    double used;
    uint32_t temporary; ///< the loop in each iteration of which the object is written before it is read
    /// The temporaries of a loop around both uses would no longer come in between if they were small, and
    /// then most of these reuses would be short. That loop, or DJ_NOWHERE.
    uint32_t relieved;
    bool along;      ///< the innermost loop runs along other data that it streams
    uint32_t list;   ///< an object that the loops sweep beside it, possibly a list of what to access
    bool depends;    ///< an iteration of the carrier reads what an earlier one has written there
    bool tangled;    ///< iterations of the carrier depend on each other through data in no order
    bool inner_flow; ///< so do those of a loop inside the carrier, in order: a wavefront
    unsigned parts;  ///< calls in an iteration of the carrier that return to data late
} dj_reuse_facts;

/// Evidence about a long reuse, a pair of uses of the same data.
typedef struct dj_reuse_evidence {
    const dj_attribution *attribution;
    const struct dj_reuse *reuse; ///< complete except for advice, outer_loop and text
    /// The loops that contain both uses, including loops of callers, outermost first. If there are very
    /// many, only the innermost ones.
    const uint32_t *loops;
    unsigned loop_count;
    uint32_t frame;     ///< the innermost calling context that contains both, or DJ_NOWHERE
    bool loop_in_frame; ///< the innermost of these loops is in that context
    uint32_t from_at,
        to_at; ///< where the paths to the two uses diverge: loops (siblings) or contexts (calls)
    const uint64_t *loop_blocks; ///< for each loop, the distinct blocks touched while it runs; 0: unknown
    /// All accesses to this data by the source line of each use: a line compiles to several instructions.
    const dj_tally *from_line, *to_line;
    dj_reuse_facts facts;
    bool returns_again;           ///< a loop that contains one use only returns to the data many times
    double access_bytes;          ///< mean size of an access
    double block_bytes;           ///< size of a block
    const struct dj_names *names; ///< for the functions below
} dj_reuse_evidence;

/// What one piece of advice is about: long reuses with the same one are one piece.
enum dj_advice_about {
    DJ_ABOUT_PAIR,  ///< the two lines
    DJ_ABOUT_PARTS, ///< the two loops or calls
    DJ_ABOUT_LOOP,  ///< the loop that returns to the data, whatever the data
    DJ_ABOUT_DATA,  ///< the object, wherever it is used
};

typedef struct dj_advice_rule {
    const char *name; ///< "tile", in reports and JSON; several rules may have the same name
    bool whole_run;   ///< infers from footprints or from all distances, which bursts of a run do not show
    bool hides;       ///< hides the latency of misses, and saves none
    bool (*applies)(const dj_reuse_evidence *evidence);
    /// Returns dj_reuse.outer_loop, the loop that probably returns to the data. NULL: unknown.
    uint32_t (*outer_loop)(const dj_reuse_evidence *evidence);
    /// Writes the reason and what may help, in sentences. reuse->outer_loop is set.
    void (*say)(const dj_reuse_evidence *evidence, FILE *out);
    enum dj_advice_about about;
    /// The misses of these reuses that the change would save in a cache of that size. NULL: all of them,
    /// since their distances become short, or none if it hides them.
    double (*saves)(const dj_reuse_evidence *evidence, uint64_t blocks);
    /// Writes what else the advice rests on, a line for each fact. NULL: the distances and the carrier.
    void (*state)(const dj_reuse_evidence *evidence, FILE *out);
} dj_advice_rule;

/// The rules of the library, in order.
DJ_API size_t dj_advice_rule_count(void);
DJ_API const dj_advice_rule *dj_advice_rule_get(size_t index);
DJ_API const dj_advice_rule *dj_advice_rule_find(const char *name); ///< the first with that name; NULL: none

/// The name of a rule; "none" for NULL.
DJ_API const char *dj_advice_name(const dj_advice_rule *rule);

/// Wording for `say`. A text that starts with one of these is capitalized.
DJ_API void dj_reuse_say_loop(const dj_reuse_evidence *evidence, uint32_t loop,
                              FILE *out); ///< "loop a.c:1-2 in f"
DJ_API void dj_reuse_say_thread(const dj_reuse_evidence *evidence, uint32_t place, FILE *out);
/// Where a use is: "loop a.c:1-2 in f", "the call of g at a.c:3", "a.c:4 in f".
DJ_API void dj_reuse_say_from(const dj_reuse_evidence *evidence, FILE *out);
DJ_API void dj_reuse_say_to(const dj_reuse_evidence *evidence, FILE *out);

/// Evidence about one row of a ranking by spatial locality.
typedef struct dj_spatial_evidence {
    const dj_profile *profile;
    const dj_attribution *attribution;
    const struct dj_rank_row *row; ///< complete except for advice and text
    uint64_t block, cache;         ///< the block and cache for which `used` was measured, in address units
    /// Steps are those of its worst place; blocks are those fetched by the row or, if none, by its loop.
    dj_usage usage;
    double used;      ///< address units used of each fetched block
    int64_t stride;   ///< the most frequent nonzero stride; 0: none
    double share;     ///< share of that stride among nonzero ones
    bool regular;     ///< most steps are equal
    bool along;       ///< between runs of that stride it advances by less: an outer loop runs along memory
    uint64_t element; ///< size of the elements, or the distance between them; 0: unknown
    bool field;       ///< accesses fields of structures
    bool nodes;       ///< small heap blocks, allocated individually: lists, trees
    uint32_t inner, outer; ///< the two innermost loops around it, including loops of callers
    /// Elements of the data that are fetched separately in this loop, most often fetched first, and the
    /// blocks fetched for each.
    const char *parts[2];
    uint64_t part_fetched[2];
    uint32_t partner; ///< a place in the loop that accesses other data at the same index, or DJ_NOWHERE
    bool listed; ///< the loop traverses other data, one element per access: possibly a list of what to access
    /// Twice the number of misses that a score of 1 would avoid, counting the row and all accesses to the
    /// same data in its loop.
    int64_t unsaved;
    const struct dj_ranking_work *work; ///< for the functions below
} dj_spatial_evidence;

/// Applied only to rows that have something to gain: they fetch blocks of data whose layout can change, use
/// so little of each block that much of it stays unused, and access more than one element.
typedef struct dj_spatial_rule {
    const char *name; ///< "split", in reports and JSON
    bool (*applies)(const dj_spatial_evidence *evidence);
    /// Writes what may help. The library writes the strides and the use of blocks before it.
    void (*say)(const dj_spatial_evidence *evidence, FILE *out);
    bool of_data; ///< the advice is about the data, whichever line accesses it
} dj_spatial_rule;

DJ_API size_t dj_spatial_rule_count(void);
DJ_API const dj_spatial_rule *dj_spatial_rule_get(size_t index);
DJ_API const dj_spatial_rule *dj_spatial_rule_find(const char *name); ///< NULL: none

/// The name of a rule; "none" for NULL, where no rule applies.
DJ_API const char *dj_spatial_advice_name(const dj_spatial_rule *rule);

/// Wording for `say`.
DJ_API void dj_spatial_say_loop(const dj_spatial_evidence *evidence, uint32_t loop, FILE *out);
DJ_API void dj_spatial_say_data(const dj_spatial_evidence *evidence, uint32_t object, const char *element,
                                FILE *out);                               ///< "grid[*].x"
DJ_API void dj_spatial_say_count(uint64_t count, FILE *out);              ///< "12,345"
DJ_API const char *dj_spatial_units(const dj_spatial_evidence *evidence); ///< "bytes" or "elements"

#ifdef __cplusplus
}
#endif
#endif
