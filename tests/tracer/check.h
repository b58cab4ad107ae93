// SPDX-License-Identifier: MIT
// Reads and counts the records of one ring; every record that violates the contract of
// tracer/ring.h is an error.
#ifndef DEJA_TESTS_TRACER_CHECK_H
#define DEJA_TESTS_TRACER_CHECK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct segment {
    const uint64_t *words; // of its DJ_RECORD_DEFINE; NULL: undefined
    uint32_t accesses;
    uint32_t addresses; // words of a record that are addresses
} segment;

typedef struct frames {
    uint64_t *sp; // of each call that has not returned
    uint64_t *pc; // its return address, if recorded
    uint32_t depth, capacity;
} frames;

typedef struct check {
    uint64_t records, accesses, reads, writes, modifies, skipped, strings, string_bytes;
    uint64_t calls, returns, matched, defines, modules, switches, threads, forks, messages, names;
    uint64_t ranges, passes;
    uint64_t allocations, frees, blocks, outside; // blocks: allocations with a recorded return
    uint32_t status;
    bool ended, failed;

    bool dump;
    segment *segments;
    uint32_t segment_capacity;
    frames *stacks; // by thread
    uint32_t stack_room;
    uint32_t thread;
    uint64_t wanted_sp; // awaited return of an allocation function; 0: none
    struct {
        uint64_t start, end;
    } module[1024];
    char why[256];
} check;

bool check_frame(check *c, const uint64_t *words, uint32_t count);
void check_free(check *c);

#endif
