// SPDX-License-Identifier: MIT
// Blocks and mappings, derived from the arguments and results of allocation functions.
#include "unit/live.h"

enum { RETURN = 9 }; // segment of a return without accesses

static void define_return(words *w)
{
    PUT(w, DJ_RECORD_DEFINE, RETURN, 0x10, DJ_ENDING_RETURN, 0);
    feed_well(w);
    skip_events();
}

static void enter(words *w, uint32_t function, uint64_t a, uint64_t b, uint64_t c, uint64_t sp)
{
    PUT(w, DJ_RECORD_ALLOCATOR, function, a, b, c, sp);
}

static void leave(words *w, uint64_t sp, uint64_t result)
{
    PUT(w, DJ_RECORD_SEGMENT, RETURN, sp, result);
}

static void expect_return(uint64_t sp)
{
    expect_event(0, DJ_EVENT_RETURN, 0, 0, sp, "");
}

static void allocations_and_frees_become_events(void **state)
{
    (void)state;
    words w = {.count = 0};
    define_return(&w);
    enter(&w, DJ_ALLOCATOR_MALLOC, 100, 0, 0, 0x1000);
    leave(&w, 0xff0, 7); // of a function that malloc calls
    leave(&w, 0x1008, 0x5000);
    enter(&w, DJ_ALLOCATOR_CALLOC, 3, 8, 0, 0x1000);
    leave(&w, 0x1008, 0x6000);
    enter(&w, DJ_ALLOCATOR_MALLOC, UINT64_MAX, 0, 0, 0x1000);
    leave(&w, 0x1008, 0); // out of memory
    enter(&w, DJ_ALLOCATOR_REALLOC, 0x5000, 200, 0, 0x1000);
    leave(&w, 0x1008, 0); // failed: the old block remains
    enter(&w, DJ_ALLOCATOR_REALLOC, 0x5000, 200, 0, 0x1000);
    leave(&w, 0x1008, 0x7000);
    enter(&w, DJ_ALLOCATOR_FREE, 0x6000, 0, 0, 0x1000);
    leave(&w, 0x1008, 0);
    enter(&w, DJ_ALLOCATOR_FREE, 0x6000, 0, 0, 0x1000); // no longer allocated
    leave(&w, 0x1008, 0);
    enter(&w, DJ_ALLOCATOR_MEMALIGN, 64, 640, 0, 0x1000);
    leave(&w, 0x1008, 0x8000);
    feed_well(&w);
    expect_return(0xff0);
    expect_return(0x1008);
    expect_event(0, DJ_EVENT_ALLOC, 1, 0x5000, 100, "");
    expect_return(0x1008);
    expect_event(0, DJ_EVENT_ALLOC, 2, 0x6000, 24, "");
    expect_return(0x1008);
    expect_return(0x1008);
    expect_return(0x1008);
    expect_event(0, DJ_EVENT_FREE, 1, 0x5000, 0, "");
    expect_event(0, DJ_EVENT_ALLOC, 3, 0x7000, 200, "");
    expect_event(0, DJ_EVENT_FREE, 2, 0x6000, 0, "");
    expect_return(0x1008);
    expect_return(0x1008);
    expect_return(0x1008);
    expect_event(0, DJ_EVENT_ALLOC, 4, 0x8000, 640, "");
    expect_no_more_events();
}

// operator new calls malloc, and a second one jumps to it; each block counts once.
static void the_outermost_allocator_counts(void **state)
{
    (void)state;
    words w = {.count = 0};
    define_return(&w);
    enter(&w, DJ_ALLOCATOR_MALLOC, 32, 0, 0, 0x1000);
    enter(&w, DJ_ALLOCATOR_MALLOC, 48, 0, 0, 0xfe0);
    leave(&w, 0xfe8, 0x5000);
    leave(&w, 0x1008, 0x5010);
    enter(&w, DJ_ALLOCATOR_MALLOC, 32, 0, 0, 0x1000);
    enter(&w, DJ_ALLOCATOR_MALLOC, 32, 0, 0, 0x1000);
    leave(&w, 0x1008, 0x6000);
    feed_well(&w);
    expect_return(0xfe8);
    expect_return(0x1008);
    expect_event(0, DJ_EVENT_ALLOC, 1, 0x5010, 32, "");
    expect_return(0x1008);
    expect_event(0, DJ_EVENT_ALLOC, 2, 0x6000, 32, "");
    expect_no_more_events();
}

// operator new throws: its frame is never left by a return.
static void an_exception_leaves_no_block(void **state)
{
    (void)state;
    words w = {.count = 0};
    define_return(&w);
    enter(&w, DJ_ALLOCATOR_MALLOC, 32, 0, 0, 0x1000);
    leave(&w, 0x1100, 0x5000); // the function that caught it
    enter(&w, DJ_ALLOCATOR_MALLOC, 32, 0, 0, 0x1000);
    enter(&w, DJ_ALLOCATOR_MALLOC, 64, 0, 0, 0x1080); // further up: the other was left
    leave(&w, 0x1088, 0x6000);
    feed_well(&w);
    expect_return(0x1100);
    expect_return(0x1088);
    expect_event(0, DJ_EVENT_ALLOC, 1, 0x6000, 64, "");
    expect_no_more_events();
}

static void posix_memalign_returns_its_block_through_memory(void **state)
{
    (void)state;
    words w = {.count = 0};
    PUT(&w, DJ_RECORD_DEFINE, 1, 0x20, DJ_ENDING_NONE, 0, 0x20, describe(8, W, 0));
    define_return(&w);
    enter(&w, DJ_ALLOCATOR_POSIX, 0x9000, 64, 1000, 0x1000);
    leave(&w, 0xff0, 0x5001); // not aligned: something else
    leave(&w, 0xff0, 0x5040);
    PUT(&w, DJ_RECORD_SEGMENT, 1, 0x9000);
    leave(&w, 0xff8, 0x6000); // after the store
    leave(&w, 0x1008, 0);
    enter(&w, DJ_ALLOCATOR_POSIX, 0x9000, 64, 1000, 0x1000);
    leave(&w, 0xff0, 0);
    leave(&w, 0x1008, 12); // ENOMEM
    feed_well(&w);
    expect_return(0xff0);
    expect_return(0xff0);
    expect_event(1, DJ_EVENT_RETURN, 0, 0, 0xff8, "");
    expect_event(1, DJ_EVENT_RETURN, 0, 0, 0x1008, "");
    expect_event(1, DJ_EVENT_ALLOC, 1, 0x5040, 1000, "");
    expect_event(1, DJ_EVENT_RETURN, 0, 0, 0xff0, "");
    expect_event(1, DJ_EVENT_RETURN, 0, 0, 0x1008, "");
    expect_no_more_events();
}

// Two threads are in malloc at once.
static void each_thread_has_its_own_allocation_in_flight(void **state)
{
    (void)state;
    words w = {.count = 0};
    define_return(&w);
    PUT(&w, DJ_RECORD_THREAD, 1, 0, 0x2000);
    enter(&w, DJ_ALLOCATOR_MALLOC, 10, 0, 0, 0x1000);
    PUT(&w, DJ_RECORD_THREAD, 2, 0x8000, 0x9000);
    enter(&w, DJ_ALLOCATOR_MALLOC, 20, 0, 0, 0x8800);
    PUT(&w, DJ_RECORD_THREAD, 1, 0, 0x2000);
    leave(&w, 0x1008, 0x5000);
    put_text(&w, DJ_RECORD_THREAD_NAME, 2, NULL, 0, "worker");
    PUT(&w, DJ_RECORD_THREAD, 2, 0x8000, 0x9000);
    leave(&w, 0x8808, 0x6000);
    feed_well(&w);
    expect_event(0, DJ_EVENT_THREAD, 1, 0, 0x2000, "");
    expect_event(0, DJ_EVENT_THREAD, 2, 0x8000, 0x9000, "");
    expect_event(0, DJ_EVENT_THREAD, 1, 0, 0x2000, "");
    expect_return(0x1008);
    expect_event(0, DJ_EVENT_ALLOC, 1, 0x5000, 10, "");
    expect_event(0, DJ_EVENT_THREAD, 2, 0x8000, 0x9000, "worker");
    expect_return(0x8808);
    expect_event(0, DJ_EVENT_ALLOC, 2, 0x6000, 20, "");
    expect_no_more_events();
}

static void mappings_are_blocks_unless_an_allocator_created_them(void **state)
{
    (void)state;
    words w = {.count = 0};
    put_module(&w, 0x400000, 0x10000, "m");
    define_return(&w);
    PUT(&w, DJ_RECORD_MAP, 0, 0x10000, 0x4000);
    PUT(&w, DJ_RECORD_MAP, 0, 0x404000, 0x1000); // the module's own
    enter(&w, DJ_ALLOCATOR_MALLOC, 5000, 0, 0, 0x1000);
    PUT(&w, DJ_RECORD_MAP, 0, 0x20000, 0x2000);
    leave(&w, 0x1008, 0x20010);
    PUT(&w, DJ_RECORD_UNMAP, 0, 0x10000, 0x1000); // its front
    PUT(&w, DJ_RECORD_UNMAP, 0, 0x13000, 0x1000); // its back
    PUT(&w, DJ_RECORD_MAP, 0, 0x30000, 0x1000);
    PUT(&w, DJ_RECORD_UNMAP, 0, 0x11000, 0x2000); // the rest
    feed_well(&w);
    expect_event(0, DJ_EVENT_ALLOC, 1, 0x10000, 0x4000, "mmap");
    expect_return(0x1008);
    expect_event(0, DJ_EVENT_ALLOC, 2, 0x20010, 5000, "");
    expect_event(0, DJ_EVENT_ALLOC, 3, 0x30000, 0x1000, "mmap");
    expect_event(0, DJ_EVENT_FREE, 1, 0x10000, 0, "");
    expect_no_more_events();
}

// The call is recorded around the mapping, which is created during the call.
static void mappings_of_a_recorded_call_have_its_site(void **state)
{
    (void)state;
    words w = {.count = 0};
    put_module(&w, 0x400000, 0x10000, "m");
    feed_well(&w);
    skip_events();
    PUT(&w, DJ_RECORD_MAP, 0, 0x10000, 0x4000, 0x400120, 0x1000);
    PUT(&w, DJ_RECORD_MAP, 0, 0x404000, 0x1000, 0x400130, 0x1000); // the module's own
    feed_well(&w);
    expect_event(0, DJ_EVENT_SITE, 0, 0, 0x11f, "");
    expect_event(0, DJ_EVENT_CALL, 0, 0, 0xff8, "");
    expect_event(0, DJ_EVENT_ALLOC, 1, 0x10000, 0x4000, "mmap");
    expect_return(0x1000);
    expect_no_more_events();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(allocations_and_frees_become_events),
        TEST(the_outermost_allocator_counts),
        TEST(an_exception_leaves_no_block),
        TEST(posix_memalign_returns_its_block_through_memory),
        TEST(each_thread_has_its_own_allocation_in_flight),
        TEST(mappings_are_blocks_unless_an_allocator_created_them),
        TEST(mappings_of_a_recorded_call_have_its_site),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
