// SPDX-License-Identifier: MIT
#include "reorder/nests.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/triple.h"

// Deeper nests are cut off.
enum { LEVELS = 32, FRAMES = 64 };

// A function on the way to an instruction, and where it was left: the lines in the function, in what is
// inlined there, and so on. Compilers move code, so offsets only tell what is later on the same lines.
typedef struct frame {
    uint32_t key; // of the function in its calling context
    uint32_t line_count;
    size_t first_line; // in dj_nest_finder.lines
    uint64_t offset;
} frame;

typedef struct level {
    uint32_t loop; // in its calling context
    uint32_t frame;
} level;

// From the outermost function and loop to the innermost.
typedef struct chain {
    size_t first_frame, first_level;
    uint32_t frame_count, level_count;
} chain;

struct dj_nest_finder {
    const dj_located *located;
    dj_symbols *symbols;
    dj_nests *nests;
    size_t capacity;  // of nests->list
    dj_triples known; // site, context → chain
    dj_triples loops; // loop of symbols, key of its frame → number
    chain *chains;
    frame *frames;
    level *levels;
    uint32_t *lines;
    size_t chain_count, frame_count, level_count, line_count;
    size_t chain_capacity, frame_capacity, level_capacity, line_capacity;
    uint32_t last; // chain of the last instance, DJ_NOWHERE: none
    uint32_t depth;
    uint32_t open[LEVELS]; // iterations, of the levels of that chain
    uint32_t runs;
};

int dj_nest_finder_create(dj_context *context, const dj_located *located, dj_symbols *symbols,
                          dj_nests *nests, dj_nest_finder **out)
{
    dj_nest_finder *f = calloc(1, sizeof *f);
    if (!f)
        return dj_fail_memory(context, "the loops", sizeof *f);
    f->located = located;
    f->symbols = symbols;
    f->nests = nests;
    f->last = DJ_NOWHERE;
    int err = dj_triples_create(&f->known, context);
    if (!err)
        err = dj_triples_create(&f->loops, context);
    if (err)
        dj_nest_finder_destroy(f);
    else
        *out = f;
    return err;
}

void dj_nest_finder_destroy(dj_nest_finder *f)
{
    if (!f)
        return;
    dj_triples_destroy(&f->known);
    dj_triples_destroy(&f->loops);
    free(f->chains);
    free(f->frames);
    free(f->levels);
    free(f->lines);
    free(f);
}

void dj_nests_free(dj_nests *nests)
{
    free(nests->list);
    *nests = (dj_nests){0};
}

static int add_level(dj_nest_finder *f, dj_context *context, uint32_t loop, uint32_t key, uint32_t in)
{
    uint32_t *number = dj_triples_at(&f->loops, context, loop, key, 0);
    if (!number)
        return DJ_ERR_MEMORY;
    if (*number == DJ_TRIPLE_FREE)
        *number = (uint32_t)f->loops.count;
    int err =
        dj_grow(context, "the loops", &f->levels, &f->level_capacity, f->level_count + 1, sizeof *f->levels);
    if (!err)
        f->levels[f->level_count++] = (level){*number, in};
    return err;
}

static int add_lines(dj_nest_finder *f, dj_context *context, const dj_code *code, frame *to)
{
    int err = dj_grow(context, "the loops", &f->lines, &f->line_capacity, f->line_count + code->frame_count,
                      sizeof *f->lines);
    to->first_line = f->line_count;
    for (uint32_t i = code->frame_count; !err && i-- > 0; to->line_count++)
        f->lines[f->line_count++] = code->frames[i].line;
    return err;
}

// Adds a function, and the loops around the instruction in it.
static int add_frame(dj_nest_finder *f, dj_context *context, chain *to, uint32_t site, uint32_t key)
{
    uint32_t loops[LEVELS], count = 0;
    dj_code code = {0};
    const dj_site_id unknown = {DJ_NOWHERE, 0},
                     *id = site < f->located->site_count ? &f->located->sites[site] : &unknown;
    int err = id->module == DJ_NOWHERE ? DJ_OK
                                       : dj_symbols_code(f->symbols, context, id->module, id->offset, &code);
    if (!err)
        err = dj_grow(context, "the loops", &f->frames, &f->frame_capacity, f->frame_count + 1,
                      sizeof *f->frames);
    if (err)
        return err;
    frame *added = &f->frames[f->frame_count++];
    key = key == DJ_NOWHERE ? code.function : key;
    *added = (frame){.key = key, .offset = id->offset};
    err = add_lines(f, context, &code, added);
    for (uint32_t loop = code.loop; loop && count < LEVELS;
         loop = dj_symbols_loop_info(f->symbols, loop)->parent)
        loops[count++] = loop;
    while (!err && count > 0 && to->level_count < LEVELS) {
        err = add_level(f, context, loops[--count], key, to->frame_count);
        to->level_count += !err;
    }
    to->frame_count += !err;
    return err;
}

static int add_chain(dj_nest_finder *f, dj_context *context, uint32_t site, uint32_t node, uint32_t *number)
{
    uint32_t sites[FRAMES], keys[FRAMES], count = 1;
    chain made = {.first_frame = f->frame_count, .first_level = f->level_count};
    sites[0] = site;
    keys[0] = node;
    while (node != DJ_NOWHERE && count < FRAMES && f->located->cct[node].parent != DJ_NOWHERE) {
        const dj_cct_id *id = &f->located->cct[node];
        node = id->parent;
        if (id->call_site == DJ_NOWHERE)
            continue;
        sites[count] = id->call_site;
        keys[count++] = node;
    }
    int err =
        dj_grow(context, "the loops", &f->chains, &f->chain_capacity, f->chain_count + 1, sizeof *f->chains);
    while (!err && count-- > 0)
        err = add_frame(f, context, &made, sites[count], keys[count]);
    if (err)
        return err;
    *number = (uint32_t)f->chain_count;
    f->chains[f->chain_count++] = made;
    return DJ_OK;
}

static uint32_t count_common_frames(const dj_nest_finder *f, const chain *a, const chain *b)
{
    const frame *x = f->frames + a->first_frame, *y = f->frames + b->first_frame;
    uint32_t n = 0;
    while (n < a->frame_count && n < b->frame_count && x[n].key == y[n].key)
        n++;
    return n;
}

// The loops of the first `frames` functions that both are in.
static uint32_t count_common_levels(const dj_nest_finder *f, const chain *a, const chain *b, uint32_t frames)
{
    const level *x = f->levels + a->first_level, *y = f->levels + b->first_level;
    uint32_t n = 0;
    while (n < a->level_count && n < b->level_count && x[n].loop == y[n].loop && x[n].frame < frames)
        n++;
    return n;
}

// Whether the program went on in the code of the innermost of the first `frames` functions, which both are
// in. From a call to its callee is no way back.
static bool is_later(const dj_nest_finder *f, const chain *from, const chain *to, uint32_t frames)
{
    const frame *a = &f->frames[from->first_frame + frames - 1],
                *b = &f->frames[to->first_frame + frames - 1];
    for (uint32_t i = 0; i < a->line_count && i < b->line_count; i++) {
        const uint32_t x = f->lines[a->first_line + i], y = f->lines[b->first_line + i];
        if (x != y)
            return x < y;
    }
    const bool calls = from->frame_count == frames && to->frame_count > frames;
    return calls ? a->offset <= b->offset : a->offset < b->offset;
}

// How many of the open iterations go on; *next says whether the innermost of the remaining loops goes on to
// its next iteration. Where the program went back, in the innermost function that both instances are in, a
// loop of this function went on, or the function was called again: then the same holds for its caller.
static uint32_t count_continued(const dj_nest_finder *f, const chain *from, const chain *to, bool *next)
{
    uint32_t frames = count_common_frames(f, from, to);
    *next = false;
    for (; frames > 0; frames--) {
        const uint32_t levels = count_common_levels(f, from, to, frames);
        if (is_later(f, from, to, frames))
            return levels;
        if (levels > 0 && f->levels[to->first_level + levels - 1].frame == frames - 1) {
            *next = true;
            return levels;
        }
    }
    return 0;
}

static int begin_iteration(dj_nest_finder *f, dj_context *context, uint32_t run)
{
    dj_nests *n = f->nests;
    int err = dj_grow_slowly(context, "the iterations of loops", &n->list, &f->capacity, n->count + 1,
                             sizeof *n->list);
    if (err)
        return err;
    n->list[n->count] = (dj_iteration){f->depth ? f->open[f->depth - 1] : DJ_NOWHERE, run, f->depth};
    f->open[f->depth++] = (uint32_t)n->count++;
    return DJ_OK;
}

int dj_nest_finder_next(dj_nest_finder *f, dj_context *context, uint32_t site, uint32_t cct_node,
                        uint32_t *iteration)
{
    bool next = false;
    uint32_t *number = dj_triples_at(&f->known, context, site, cct_node, 0), found = 0;
    if (!number)
        return DJ_ERR_MEMORY;
    int err = *number == DJ_TRIPLE_FREE ? add_chain(f, context, site, cct_node, &found) : DJ_OK;
    if (err)
        return err;
    if (*number == DJ_TRIPLE_FREE)
        *number = found;
    const chain *to = &f->chains[*number];
    f->depth = f->last == DJ_NOWHERE ? 0 : count_continued(f, &f->chains[f->last], to, &next);
    f->last = *number;
    if (next) {
        f->depth--;
        err = begin_iteration(f, context, f->nests->list[f->open[f->depth]].run);
    }
    while (!err && f->depth < to->level_count)
        err = begin_iteration(f, context, f->runs++);
    *iteration = dj_nest_finder_current(f);
    return err;
}

uint32_t dj_nest_finder_current(const dj_nest_finder *f)
{
    return f->depth ? f->open[f->depth - 1] : DJ_NOWHERE;
}

// What replaces an iteration: itself, or what is around its loop.
static uint32_t replacement(const dj_nests *n, const uint32_t *iterations, uint32_t at)
{
    return at == DJ_NOWHERE || iterations[n->list[at].run] > 1 ? at : n->list[at].parent;
}

int dj_nests_simplify(dj_nests *n, dj_context *context, uint32_t *nest, size_t count)
{
    // There are no more runs than iterations.
    uint32_t *iterations = calloc(n->count + 1, sizeof *iterations);
    if (!iterations)
        return dj_fail_memory(context, "the loops", n->count * sizeof *iterations);
    for (size_t i = 0; i < n->count; i++)
        iterations[n->list[i].run]++;
    // Outer iterations come first, so their own parents are final.
    for (size_t i = 0; i < n->count; i++) {
        dj_iteration *at = &n->list[i];
        at->parent = replacement(n, iterations, at->parent);
        at->depth = at->parent == DJ_NOWHERE ? 0 : n->list[at->parent].depth + 1;
    }
    for (size_t i = 0; i < count; i++)
        nest[i] = replacement(n, iterations, nest[i]);
    free(iterations);
    return DJ_OK;
}
