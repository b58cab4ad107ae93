// SPDX-License-Identifier: MIT
// A made-up program that randomly calls, returns, jumps, unwinds, switches threads,
// allocates and frees. For each access it records the functions on the path and the
// object, found by exhaustive search. It serves as a source and provides the lookup
// functions of a locator.
#ifndef TESTS_UNIT_MADE_UP_PROGRAM_H
#define TESTS_UNIT_MADE_UP_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka needs the four above it
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"
#include "locate/locate.h"
#include "support/context.h"

enum {
    FUNCTIONS = 9,
    STUB = FUNCTIONS, // the last one is a stub
    WRAPPER = 5,      // returns the blocks that it allocates to its caller
    SITES_EACH = 6,
    THREADS = 3,
    DEPTH_MOST = 40,
    BLOCKS_MOST = 50,
    ACCESSES = 20000,
    GLOBALS = 0x1000, // offsets of variables of 64 bytes each, with holes of 64
    GLOBALS_END = 0x3000,
    MODULE_BYTES = 0x4000,
    LOCAL_LO = -96, // each function has one local array there
    LOCAL_HI = -32,
};
#define LOAD UINT64_C(0x400000)
#define HEAP UINT64_C(0x10000000)
#define STACK(t) (UINT64_C(0x7f0000000000) + (uint64_t)(t)*0x1000000)
#define STACK_BYTES 0x800000

typedef struct expectation {
    char path[256]; // names of functions on the path, as letters, recursion folded
    char object[300];
    uint64_t address;
    uint64_t offset; // in the object; DJ_NO_OFFSET if it has no start
    uint32_t thread;
} expectation;

typedef struct call {
    uint32_t function, call_site;
    uint64_t sp;
    char path[256];
    uint32_t home; // the function that was called, before jumps to others; 0: unknown
    char home_path[256];
} call;

typedef struct block {
    uint64_t lo, hi;
    char object[300];
} block;

typedef struct item {
    bool access;
    dj_event event;
    uint32_t site;
    uint64_t address;
} item;

typedef struct program {
    dj_random random;
    call stack[THREADS][DEPTH_MOST + 1];
    uint32_t depth[THREADS];
    uint32_t thread;
    block blocks[BLOCKS_MOST];
    uint32_t block_count;
    item *items;
    size_t item_count, item_at, item_capacity;
    expectation *expected;
    size_t expected_count, expected_capacity;
} program;

// --- the lookup functions ------------------------------------------------

static uint32_t fake_function(void *user, uint32_t module, uint64_t offset)
{
    (void)user;
    (void)module;
    return (uint32_t)(offset / 100);
}

static bool fake_stub(void *user, uint32_t function)
{
    (void)user;
    return function == STUB;
}

static bool fake_global(void *user, uint32_t module, uint64_t offset, dj_extent *out)
{
    (void)user;
    (void)module;
    if (offset < GLOBALS || offset >= GLOBALS_END) {
        *out = (dj_extent){offset < GLOBALS ? 0 : GLOBALS_END, offset < GLOBALS ? GLOBALS : MODULE_BYTES, 0};
        return false;
    }
    int64_t lo = (int64_t)(offset & ~UINT64_C(63));
    *out = (dj_extent){lo, lo + 64, (uint32_t)lo};
    return (offset / 64) % 2 == 0;
}

static bool fake_local(void *user, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out)
{
    (void)user;
    assert_int_equal(pc / 100, function);
    if (cfa_offset >= LOCAL_LO && cfa_offset < LOCAL_HI) {
        *out = (dj_extent){LOCAL_LO, LOCAL_HI, 1000000 + function};
        return true;
    }
    *out = cfa_offset < LOCAL_LO ? (dj_extent){INT64_MIN / 2, LOCAL_LO, 0} : (dj_extent){LOCAL_HI, 0, 0};
    return false;
}

static bool fake_forwards(void *user, dj_context *ctx, uint32_t module, uint64_t offset)
{
    (void)user;
    (void)ctx;
    (void)module;
    return offset / 100 == WRAPPER;
}

static const dj_lookup fake = {.function = fake_function,
                               .is_stub = fake_stub,
                               .global = fake_global,
                               .local = fake_local,
                               .forwards = fake_forwards};

// --- the program ------------------------------------------------------------

static uint64_t below(program *p, uint64_t n)
{
    return dj_random_next(&p->random) % n;
}

static item *append(program *p)
{
    assert_int_equal(
        dj_grow(context, "items", &p->items, &p->item_capacity, p->item_count + 1, sizeof *p->items), DJ_OK);
    p->items[p->item_count] = (item){.event.text = ""};
    return &p->items[p->item_count++];
}

static void emit(program *p, enum dj_event_type type, uint64_t a, uint64_t b, uint64_t c, const char *text)
{
    append(p)->event = (dj_event){.type = type, .a = a, .b = b, .c = c, .text = text};
}

static uint32_t site_of(program *p, uint32_t function)
{
    return function * SITES_EACH + (uint32_t)below(p, SITES_EACH);
}

static call *top(program *p)
{
    return &p->stack[p->thread][p->depth[p->thread]];
}

// "abc" extended by function b is "ab", because b is already on the path.
static void extend(char *path, const char *from, uint32_t function)
{
    char letter = (char)('a' + function), *at;
    memmove(path, from, strlen(from) + 1);
    if ((at = strchr(path, letter)))
        at[1] = 0;
    else
        snprintf(path + strlen(path), 2, "%c", letter);
}

static void touch_at(program *p, uint32_t function, const char *path, uint64_t address, const char *object,
                     uint64_t offset)
{
    assert_int_equal(dj_grow(context, "expectations", &p->expected, &p->expected_capacity,
                             p->expected_count + 1, sizeof *p->expected),
                     DJ_OK);
    expectation *e = &p->expected[p->expected_count++];
    snprintf(e->path, sizeof e->path, "%s", path);
    snprintf(e->object, sizeof e->object, "%s", object);
    e->address = address;
    e->offset = offset;
    e->thread = p->thread;
    item *i = append(p);
    i->access = true;
    i->site = site_of(p, function);
    i->address = address;
}

// Memory of no variable and no block.
static void touch(program *p, uint32_t function, const char *path, uint64_t address, const char *object)
{
    touch_at(p, function, path, address, object, DJ_NO_OFFSET);
}

// Accesses something that the innermost function may access: a global, a heap block, its
// own frame, or the frame of one of its callers.
static void touch_any(program *p)
{
    const call *in = top(p);
    char object[300];
    uint64_t address;
    switch (below(p, 5)) {
    case 0: {
        uint64_t offset = below(p, MODULE_BYTES);
        bool variable = offset >= GLOBALS && offset < GLOBALS_END && (offset / 64) % 2 == 0;
        snprintf(object, sizeof object, variable ? "global %u" : "module", (unsigned)(offset & ~63u));
        touch_at(p, in->function, in->path, LOAD + offset, object, variable ? offset % 64 : DJ_NO_OFFSET);
        return;
    }
    case 1:
    case 2:
        if (p->block_count) {
            const block *b = &p->blocks[below(p, p->block_count)];
            const uint64_t offset = below(p, b->hi - b->lo);
            touch_at(p, in->function, in->path, b->lo + offset, b->object, offset);
            return;
        }
        address = UINT64_C(0x6000000000) + below(p, 1 << 20);
        touch(p, in->function, in->path, address, "unknown");
        return;
    default: {
        uint32_t depth = p->depth[p->thread];
        uint64_t within = DJ_NO_OFFSET;
        uint32_t whose = below(p, 2) ? depth : (uint32_t)below(p, depth + 1);
        const call *owner = &p->stack[p->thread][whose];
        if (whose == 0) {
            address = STACK(p->thread) + STACK_BYTES - 8; // above all frames
            snprintf(object, sizeof object, "stack of %u", owner->function);
        } else {
            int64_t offset = -8 - (int64_t)below(p, 120);
            address = owner->sp + 8 + (uint64_t)offset;
            bool local = offset >= LOCAL_LO && offset < LOCAL_HI;
            within = local ? (uint64_t)(offset - LOCAL_LO) : DJ_NO_OFFSET;
            snprintf(object, sizeof object, local ? "local of %u" : "stack of %u", owner->function);
        }
        touch_at(p, in->function, in->path, address, object, within);
    }
    }
}

static void enter(program *p)
{
    call *caller = top(p);
    if (p->depth[p->thread] == DEPTH_MOST)
        return;
    uint64_t sp = caller->sp - 128 - 16 * below(p, 4);
    uint32_t call_site = site_of(p, caller->function);
    emit(p, DJ_EVENT_CALL, call_site, 0, sp, "");
    if (below(p, 4) == 0) // through a stub, whose accesses are the caller's
        touch(p, STUB, caller->path, LOAD + 8, "module");
    call *callee = &p->stack[p->thread][++p->depth[p->thread]];
    callee->function = 1 + (uint32_t)below(p, FUNCTIONS - 1);
    callee->sp = sp;
    callee->call_site = call_site;
    extend(callee->path, caller->path, callee->function);
    callee->home = callee->function;
    memcpy(callee->home_path, callee->path, sizeof callee->home_path);
    touch(p, callee->function, callee->path, LOAD, "module"); // its first access
}

static void leave(program *p)
{
    if (p->depth[p->thread] == 0)
        return;
    emit(p, DJ_EVENT_RETURN, 0, 0, top(p)->sp + 8, "");
    p->depth[p->thread]--;
}

// A jump to a function that has no frame on the stack, or back to the one that was
// called.
static void tail_call(program *p)
{
    call *in = top(p);
    uint32_t function = 1 + (uint32_t)below(p, FUNCTIONS - 1);
    for (uint32_t i = 0; i <= p->depth[p->thread]; i++)
        if (p->stack[p->thread][i].function == function)
            return;
    in->function = function;
    if (function == in->home)
        memcpy(in->path, in->home_path, sizeof in->path);
    else
        extend(in->path, in->path, function);
    touch(p, function, in->path, LOAD, "module");
}

// longjmp: there is no return event. The target is the innermost frame of its function.
static void unwind(program *p)
{
    uint32_t depth = p->depth[p->thread];
    if (depth == 0)
        return;
    uint32_t to = (uint32_t)below(p, depth);
    if (p->stack[p->thread][depth].home == p->stack[p->thread][to].function)
        return;
    for (uint32_t i = to + 1; i <= depth; i++)
        if (p->stack[p->thread][i].function == p->stack[p->thread][to].function)
            return;
    p->depth[p->thread] = to;
    touch(p, top(p)->function, top(p)->path, LOAD, "module");
}

static void allocate(program *p)
{
    static const uint64_t sizes[] = {1, 16, 24, 100, 4096, 5000, 20000};
    uint64_t lo = HEAP + 16 * below(p, 1 << 14), bytes = sizes[below(p, 7)];
    for (uint32_t i = 0; i < p->block_count; i++)
        if (lo < p->blocks[i].hi && p->blocks[i].lo < ((lo + bytes + 15) & ~UINT64_C(15)))
            return;
    if (p->block_count == BLOCKS_MOST)
        return;
    const call *caller = top(p);
    uint64_t sp = caller->sp - 512;
    uint32_t site = site_of(p, caller->function);
    emit(p, DJ_EVENT_CALL, site, 0, sp, "");
    emit(p, DJ_EVENT_RETURN, 0, 0, sp + 8, "");
    emit(p, DJ_EVENT_ALLOC, p->item_count, lo, bytes, "");
    block *b = &p->blocks[p->block_count++];
    *b = (block){lo, lo + bytes, ""};
    uint32_t depth = p->depth[p->thread];
    for (unsigned i = 0; i < 8 && depth > 0 && site / SITES_EACH == WRAPPER; i++)
        site = p->stack[p->thread][depth--].call_site;
    snprintf(b->object, sizeof b->object, "heap %u", site);
}

static void release(program *p)
{
    if (p->block_count == 0)
        return;
    uint32_t which = (uint32_t)below(p, p->block_count);
    emit(p, DJ_EVENT_FREE, 0, p->blocks[which].lo, 0, "");
    p->blocks[which] = p->blocks[--p->block_count];
}

static void change_thread(program *p, uint32_t to)
{
    p->thread = to;
    emit(p, DJ_EVENT_THREAD, 10 + to, STACK(to), STACK(to) + STACK_BYTES, "");
}

static void run_program(program *p, uint64_t seed)
{
    dj_random_seed(&p->random, seed);
    emit(p, DJ_EVENT_MODULE, 0, LOAD, MODULE_BYTES, "program");
    for (uint32_t site = SITES_EACH; site < (FUNCTIONS + 1) * SITES_EACH; site++)
        emit(p, DJ_EVENT_SITE, site, 0, site / SITES_EACH * 100 + site % SITES_EACH, "");
    for (uint32_t t = 0; t < THREADS; t++) {
        change_thread(p, t);
        call *first = top(p);
        first->function = 1 + t;
        first->sp = STACK(t) + STACK_BYTES - 64;
        extend(first->path, "", first->function);
        touch(p, first->function, first->path, LOAD, "module");
    }
    while (p->expected_count < ACCESSES) {
        unsigned what = (unsigned)below(p, 100);
        if (what < 60)
            touch_any(p);
        else if (what < 72)
            enter(p);
        else if (what < 83)
            leave(p);
        else if (what < 85)
            tail_call(p);
        else if (what < 86)
            unwind(p);
        else if (what < 92)
            allocate(p);
        else if (what < 97)
            release(p);
        else
            change_thread(p, (uint32_t)below(p, THREADS));
    }
}

static void drop_program(program *p)
{
    free(p->items);
    free(p->expected);
    free(p);
}

// --- as a source ------------------------------------------------------------

static int program_next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    program *p = state;
    *out = NULL;
    if (p->item_at == p->item_count)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_SITE);
    uint64_t most = 1 + below(p, 2000);
    for (uint64_t n = 0; !err && n < most && p->item_at < p->item_count; n++) {
        item *i = &p->items[p->item_at++];
        if (i->access) {
            to.address[(*out)->count] = i->address;
            to.site[(*out)->count++] = i->site;
        } else {
            i->event.index = (*out)->count;
            err = dj_batch_add_event(ctx, *out, &i->event);
        }
    }
    return err;
}

static dj_source *open_program(program *p)
{
    static const dj_source_ops ops = {.next = program_next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = 64,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_SITE};
    dj_source *source;
    assert_int_equal(dj_source_create(context, &ops, p, &info, &source), DJ_OK);
    return source;
}

#endif
