// SPDX-License-Identifier: MIT
/// \file
/// Rules of advice. A rule says by what evidence it applies, and what to say then. Rules stand in an
/// ordered list, and the first one that applies gives the advice. The library has rules for long reuses
/// (reuse.h) and for spatial locality (components.h); a caller may use others, or some of these and some of
/// his own. See docs/adding-an-advice-rule.md.
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

/// What is known of a long reuse, a pair of uses of the same data.
typedef struct dj_reuse_evidence {
    const dj_attribution *attribution;
    const struct dj_reuse *reuse; ///< all of it but advice, outer_loop and text
    /// The loops that contain both uses, callers' too, outermost first; of very many the innermost ones.
    const uint32_t *loops;
    unsigned loop_count;
    uint32_t frame;              ///< the innermost calling context that contains both, or DJ_NOWHERE
    bool loop_in_frame;          ///< the innermost loop that contains both is one of that context
    uint32_t from_at, to_at;     ///< where the ways part: loops (siblings) or contexts (calls)
    const uint64_t *loop_blocks; ///< for each loop the distinct blocks touched while it runs; 0: unknown
    /// All that the line of the use does to this data, and that of the reuse: compilers make several
    /// instructions of one line.
    const dj_tally *from_line, *to_line;
    const struct dj_names *names; ///< for the functions below
} dj_reuse_evidence;

typedef struct dj_advice_rule {
    const char *name; ///< "tile", in reports and JSON; several rules may give the same advice
    bool (*applies)(const dj_reuse_evidence *evidence);
    /// The loop that likely comes back to the data: dj_reuse.outer_loop. NULL: none is known.
    uint32_t (*outer_loop)(const dj_reuse_evidence *evidence);
    /// Writes the reason and what may help, in sentences. reuse->outer_loop is set.
    void (*say)(const dj_reuse_evidence *evidence, FILE *out);
} dj_advice_rule;

/// The rules of the library, in their order.
DJ_API size_t dj_advice_rule_count(void);
DJ_API const dj_advice_rule *dj_advice_rule_get(size_t index);
DJ_API const dj_advice_rule *dj_advice_rule_find(const char *name); ///< the first one; NULL: none

/// The name of a rule; "none" for NULL.
DJ_API const char *dj_advice_name(const dj_advice_rule *rule);

/// Words for `say`. A text that begins with one of these begins with a capital letter.
DJ_API void dj_reuse_say_loop(const dj_reuse_evidence *evidence, uint32_t loop,
                              FILE *out); ///< "loop a.c:1-2 in f"
DJ_API void dj_reuse_say_thread(const dj_reuse_evidence *evidence, uint32_t place, FILE *out);
/// Where a use happens: "loop a.c:1-2 in f", "the call of g at a.c:3", "a.c:4 in f".
DJ_API void dj_reuse_say_from(const dj_reuse_evidence *evidence, FILE *out);
DJ_API void dj_reuse_say_to(const dj_reuse_evidence *evidence, FILE *out);

/// What is known of the accesses of a row of a ranking by spatial locality.
typedef struct dj_spatial_evidence {
    const dj_profile *profile;
    const dj_attribution *attribution;
    const struct dj_rank_row *row; ///< all of it but advice and text
    uint64_t block, cache;         ///< for which `used` was measured, in address units
    /// Steps of its worst place; blocks that all of it brings in, or when it brings in none, its loop.
    dj_usage usage;
    double used;      ///< of each block that comes in, in address units
    int64_t stride;   ///< the most frequent one that is not 0; 0: none
    double share;     ///< of it, among those that are not 0
    bool regular;     ///< most steps are alike
    bool along;       ///< between runs of that stride it moves on by less: another loop goes along memory
    uint64_t element; ///< how large elements are, or how far apart; 0: unknown
    bool field;       ///< parts of structures are met
    bool nodes;       ///< small pieces of memory, each allocated by itself: lists, trees
    uint32_t inner, outer; ///< the two innermost loops around it, those of callers included
    /// Elements of the data that come in by themselves in this loop, the most first; and their blocks.
    const char *parts[2];
    uint64_t part_fetched[2];
    uint32_t partner; ///< a place of the loop that meets other data at the same index, or DJ_NOWHERE
    bool listed; ///< the loop goes along other data, a step each time: what it comes to may stand in a list
    /// Twice the misses that would be hits with a score of 1, of the row and of all that meets the same data
    /// in its loop.
    int64_t unsaved;
    const struct dj_ranking_work *work; ///< for the functions below
} dj_spatial_evidence;

/// Asked of rows that have something to gain: they bring in blocks of data with a layout of its own, do not
/// use most of each, and come to more than one place.
typedef struct dj_spatial_rule {
    const char *name; ///< "split", in reports and JSON
    bool (*applies)(const dj_spatial_evidence *evidence);
    /// Writes what may help, after the steps and the use of blocks, which are said of every row.
    void (*say)(const dj_spatial_evidence *evidence, FILE *out);
    bool of_data; ///< the advice is one for the data, whichever line meets it
} dj_spatial_rule;

DJ_API size_t dj_spatial_rule_count(void);
DJ_API const dj_spatial_rule *dj_spatial_rule_get(size_t index);
DJ_API const dj_spatial_rule *dj_spatial_rule_find(const char *name); ///< NULL: none

/// The name of a rule; "none" for NULL, where no rule applies.
DJ_API const char *dj_spatial_advice_name(const dj_spatial_rule *rule);

/// Words for `say`.
DJ_API void dj_spatial_say_loop(const dj_spatial_evidence *evidence, uint32_t loop, FILE *out);
DJ_API void dj_spatial_say_data(const dj_spatial_evidence *evidence, uint32_t object, const char *element,
                                FILE *out);                               ///< "grid[*].x"
DJ_API void dj_spatial_say_count(uint64_t count, FILE *out);              ///< "12,345"
DJ_API const char *dj_spatial_units(const dj_spatial_evidence *evidence); ///< "bytes" or "elements"

#ifdef __cplusplus
}
#endif
#endif
