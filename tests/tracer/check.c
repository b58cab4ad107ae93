// SPDX-License-Identifier: MIT
#include "check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/ring.h"

#define PC_BITS UINT64_C(0xffffffffffff)

static bool fail(check *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!c->failed)
        vsnprintf(c->why, sizeof c->why, format, arguments);
    va_end(arguments);
    c->failed = true;
    return false;
}

static void *grow(void *array, uint32_t *capacity, uint32_t least, size_t size)
{
    if (least < *capacity)
        return array;
    uint32_t wider = 2 * least + 64;
    char *fresh = realloc(array, wider * size);
    if (!fresh)
        abort();
    memset(fresh + *capacity * size, 0, (wider - *capacity) * size);
    *capacity = wider;
    return fresh;
}

static bool in_module(const check *c, uint64_t pc)
{
    for (uint64_t i = 0; i < c->modules && i < 1024; i++)
        if (pc >= c->module[i].start && pc < c->module[i].end)
            return true;
    return false;
}

static unsigned ending_of(const uint64_t *defined)
{
    return defined[1] & 0xff;
}

static bool define(check *c, uint32_t id, const uint64_t *words, uint32_t count)
{
    if (count < 3 || count % 2 == 0)
        return fail(c, "segment %u is defined with %u words", id, count);
    c->segments = grow(c->segments, &c->segment_capacity, id, sizeof *c->segments);
    if (c->segments[id].words)
        return fail(c, "segment %u is defined twice", id);
    const uint64_t bytes = words[1] >> 8 & UINT32_MAX, last = words[1] >> 40;
    if (ending_of(words) > DJ_ENDING_RETURN)
        return fail(c, "segment %u has ending %u", id, ending_of(words));
    if (last >= bytes)
        return fail(c, "segment %u has %" PRIu64 " bytes, its last instruction at %" PRIu64, id, bytes, last);
    uint32_t addresses = 0;
    for (uint32_t i = 3; i < count; i += 2) {
        uint32_t size = (uint32_t)words[i + 1], kind = (uint32_t)(words[i + 1] >> 32) & 0xff;
        if (size == 0 || size > 4096 || kind > 2)
            return fail(c, "segment %u has an access of %u bytes, kind %u", id, size, kind);
        bool relative = words[i + 1] >> 40 & DJ_ACCESS_RELATIVE;
        if (relative && words[i] >> 48 >= addresses)
            return fail(c, "segment %u refers to word %" PRIu64, id, words[i] >> 48);
        addresses += !relative;
        if ((words[i] & PC_BITS) - words[0] > 4096)
            return fail(c, "segment %u begins at %" PRIx64 " and has an access at %" PRIx64, id, words[0],
                        words[i]);
    }
    if (!in_module(c, words[0]))
        c->outside++;
    uint64_t *kept = malloc(count * sizeof *kept);
    if (!kept)
        abort();
    memcpy(kept, words, count * sizeof *kept);
    c->segments[id] = (segment){kept, (count - 3) / 2, addresses};
    c->defines++;
    return true;
}

static void called(check *c, uint64_t sp, uint64_t pc)
{
    frames *f = &c->stacks[c->thread];
    uint32_t capacity = f->capacity;
    f->sp = grow(f->sp, &capacity, f->depth, sizeof *f->sp);
    f->pc = grow(f->pc, &f->capacity, f->depth, sizeof *f->pc);
    f->pc[f->depth] = pc;
    f->sp[f->depth++] = sp;
    c->calls++;
}

static void returned(check *c, uint64_t sp, uint64_t result)
{
    frames *f = &c->stacks[c->thread];
    while (f->depth && f->sp[f->depth - 1] < sp - 8)
        f->depth--;
    if (f->depth && f->sp[f->depth - 1] == sp - 8) {
        f->depth--;
        c->matched++;
    }
    if (c->wanted_sp && c->wanted_sp == sp - 8) {
        c->wanted_sp = 0;
        c->blocks += result != 0;
    }
    c->returns++;
}

static void count_access(check *c, uint64_t address, uint64_t description)
{
    if (address == DJ_RING_SKIPPED) {
        c->skipped++;
        return;
    }
    unsigned kind = (unsigned)(description >> 32) & 0xff;
    c->accesses++;
    c->reads += kind == 0;
    c->writes += kind == 1;
    c->modifies += kind == 2;
    c->strings += (description >> 40 & DJ_ACCESS_STRING) != 0;
}

static bool executed(check *c, uint32_t id, const uint64_t *words, uint32_t count)
{
    static const uint32_t extra[] = {0, 1, 2, 2};
    if (id >= c->segment_capacity || !c->segments[id].words)
        return fail(c, "segment %u is used before it is defined", id);
    segment s = c->segments[id];
    if (count != s.addresses + extra[ending_of(s.words)])
        return fail(c, "segment %u has %u words instead of %u", id, count,
                    s.addresses + extra[ending_of(s.words)]);
    for (uint32_t i = 0, word = 0; i < s.accesses; i++) {
        uint64_t pc = s.words[3 + 2 * i], description = s.words[4 + 2 * i];
        if (description >> 40 & DJ_ACCESS_RELATIVE)
            count_access(c, words[pc >> 48] + (uint64_t)(int16_t)(description >> 48), description);
        else
            count_access(c, words[word++], description);
    }
    if (ending_of(s.words) == DJ_ENDING_RETURN)
        returned(c, words[s.addresses], words[s.addresses + 1]);
    else if (ending_of(s.words) != DJ_ENDING_NONE)
        called(c, words[s.addresses], 0);
    return true;
}

// Steps that are recorded together still count one by one.
static bool repeated(check *c, uint32_t id, const uint64_t *words, uint32_t count)
{
    if (id >= c->segment_capacity || !c->segments[id].words || count != c->segments[id].accesses + 1)
        return fail(c, "a string of segment %u with %u words", id, count);
    segment s = c->segments[id];
    uint64_t bytes = words[s.accesses], step = s.words[4] & UINT32_MAX;
    if (bytes == 0 || bytes > 64)
        return fail(c, "a string of %" PRIu64 " bytes", bytes);
    c->string_bytes += bytes;
    for (uint32_t i = 0; i < s.accesses; i++)
        for (uint64_t at = 0; at < bytes; at += step)
            count_access(c, words[i] + at, s.words[3 + 2 * i + 1]);
    return true;
}

static bool begin_thread(check *c, uint32_t id, const uint64_t *words, uint32_t count)
{
    if (count < 2 || words[0] > words[1] || id == 0)
        return fail(c, "thread %u has %u words, or a stack that ends before its beginning", id, count);
    c->stacks = grow(c->stacks, &c->stack_room, id, sizeof *c->stacks);
    c->switches += id != c->thread;
    c->thread = id;
    c->threads = id > c->threads ? id : c->threads;
    return true;
}

static bool allocator(check *c, uint32_t id, const uint64_t *words, uint32_t count)
{
    if (count != 4 || id < DJ_ALLOCATOR_MALLOC || id > DJ_ALLOCATOR_FREE)
        return fail(c, "allocator %u with %u words", id, count);
    if (id == DJ_ALLOCATOR_FREE) {
        c->frees++;
    } else {
        c->allocations++;
        c->wanted_sp = words[3];
    }
    return true;
}

static bool add_module(check *c, const uint64_t *words, uint32_t count)
{
    if (count < 3 || words[1] == 0)
        return fail(c, "a module with %u words", count);
    c->module[c->modules % 1024].start = words[0];
    c->module[c->modules % 1024].end = words[0] + words[1];
    c->modules++;
    return true;
}

// A record of two words, the first with a pc.
static bool direct(check *c, uint64_t head, uint64_t word)
{
    unsigned type = DJ_RECORD_TYPE(head);
    uint64_t kind = type >> 3 & 3;
    c->records++;
    if (!c->thread)
        return fail(c, "a record of type %u before the first thread", type);
    frames *f = &c->stacks[c->thread];
    c->outside += !in_module(c, DJ_DIRECT_PC(head));
    if (type < DJ_DIRECT_ACCESS_END) {
        count_access(c, word, kind << 32);
        return kind <= 2 || fail(c, "an access of kind %" PRIu64, kind);
    }
    switch (type) {
    case DJ_DIRECT_ENTRY:
        while (f->depth && f->sp[f->depth - 1] <= word)
            f->depth--;
        called(c, word, DJ_DIRECT_PC(head));
        return true;
    case DJ_DIRECT_EXIT:
        while (f->depth && f->sp[f->depth - 1] < word - 8)
            f->depth--;
        if (f->depth && f->sp[f->depth - 1] == word - 8 && f->pc[f->depth - 1] != DJ_DIRECT_PC(head))
            f->depth--;
        c->returns++;
        c->matched += f->depth > 0;
        f->depth -= f->depth > 0;
        return true;
    case DJ_DIRECT_PASS:
        c->passes++;
        return true;
    default:
        return fail(c, "a record of type %u", type);
    }
}

static bool block(check *c, const uint64_t *words, uint32_t count)
{
    if (count != 5 || words[2] == 0)
        return fail(c, "a block with %u words", count);
    c->allocations++;
    c->blocks++;
    c->frees += words[4] != 0;
    return true;
}

static bool range(check *c, unsigned type, uint32_t id, const uint64_t *words, uint32_t count)
{
    bool copy = type == DJ_RECORD_COPY;
    if (count != (copy ? 4 : 3) || id > 2 || words[count - 1] >> 48)
        return fail(c, "a range of kind %u with %u words", id, count);
    c->ranges++;
    return true;
}

// The calls that have not returned, the outermost first.
static bool begin_burst(check *c, uint32_t id, const uint64_t *words, uint32_t count)
{
    const uint32_t each = id == 2 ? 3 : 2;
    if (id < 1 || id > 2 || count % each != 0 || !c->thread)
        return fail(c, "a stack %u with %u words", id, count);
    c->stacks[c->thread].depth = 0;
    for (uint32_t i = 0; i < count; i += each) {
        if (i > 0 && words[i + 1] > words[i + 1 - each])
            return fail(c, "a stack whose frame %u is above its caller", i / each);
        called(c, words[i + 1] - 8, words[i]);
        c->calls--;
    }
    return true;
}

static bool record(check *c, unsigned type, uint32_t id, const uint64_t *words, uint32_t count)
{
    c->records++;
    switch (type) {
    case DJ_RECORD_SEGMENT:
        return c->thread ? executed(c, id, words, count) : fail(c, "a segment before the first thread");
    case DJ_RECORD_DEFINE:
        return define(c, id, words, count);
    case DJ_RECORD_MODULE:
        return add_module(c, words, count);
    case DJ_RECORD_THREAD:
        return begin_thread(c, id, words, count);
    case DJ_RECORD_ALLOCATOR:
        return allocator(c, id, words, count);
    case DJ_RECORD_END:
        c->ended = true;
        c->status = id;
        return true;
    case DJ_RECORD_FORK:
        c->forks++;
        return true;
    case DJ_RECORD_MESSAGE:
        c->messages++;
        return true;
    case DJ_RECORD_THREAD_NAME:
        c->names++;
        return true;
    case DJ_RECORD_STRING:
        return repeated(c, id, words, count);
    case DJ_RECORD_MAP:
    case DJ_RECORD_UNMAP:
        return count == 2 || (type == DJ_RECORD_MAP && count == 4) || fail(c, "a mapping of %u words", count);
    case DJ_RECORD_ALLOC:
        return block(c, words, count);
    case DJ_RECORD_FREE:
        c->frees++;
        return count == 1 || fail(c, "a freed block with %u words", count);
    case DJ_RECORD_RANGE:
    case DJ_RECORD_COPY:
        return range(c, type, id, words, count);
    case DJ_RECORD_DATA:
        return count >= 3 || fail(c, "data with %u words", count);
    case DJ_RECORD_STATEMENT:
        return count == 1 || fail(c, "a statement with %u words", count);
    case DJ_RECORD_BURST: // the end of a burst, or of a gap
        return (count == 1 && id <= 1) || fail(c, "a burst %u with %u words", id, count);
    case DJ_RECORD_BUDGET: // the rate that was chosen, or what the run has cost
        return (id <= 1 && count == (id ? 1 : 3)) || fail(c, "a budget %u with %u words", id, count);
    case DJ_RECORD_STACK:
        return begin_burst(c, id, words, count);
    case DJ_RECORD_SYNC: // acquires or releases, an object or a thread
        return (count == 1 && words[0] && ((id & 3) == 1 || (id & 3) == 2) && id < 8) ||
               fail(c, "a synchronization %u with %u words", id, count);
    case 0: // unused space
    case DJ_RECORD_REGION:
    case DJ_RECORD_PROCESS:
        return true;
    default:
        return fail(c, "a record of type %u", type);
    }
}

static void print(unsigned type, uint32_t id, const uint64_t *words, uint32_t count)
{
    bool text = type == DJ_RECORD_PROCESS || type == DJ_RECORD_MESSAGE || type == DJ_RECORD_THREAD_NAME;
    printf("%u %u", type, id);
    for (uint32_t i = 0; i < count && !text && (type != DJ_RECORD_MODULE || i < 2); i++)
        printf(" %" PRIx64, words[i]);
    if (text || type == DJ_RECORD_MODULE)
        printf(" %.*s", (int)(count - (text ? 0u : 2u)) * 8, (const char *)(words + (text ? 0 : 2)));
    putchar('\n');
}

bool check_frame(check *c, const uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t n = DJ_RECORD_WORDS(words[i]);
        if (n > count - i - 1)
            return fail(c, "a record of %u words where only %u are left", n, count - i - 1);
        if (c->dump && DJ_RECORD_IS_DIRECT(words[i]))
            printf("%u %" PRIx64 " %" PRIx64 "\n", DJ_RECORD_TYPE(words[i]), DJ_DIRECT_PC(words[i]),
                   words[i + 1]);
        else if (c->dump)
            print(DJ_RECORD_TYPE(words[i]), DJ_RECORD_ID(words[i]), words + i + 1, n);
        bool good = DJ_RECORD_IS_DIRECT(words[i])
                        ? direct(c, words[i], words[i + 1])
                        : record(c, DJ_RECORD_TYPE(words[i]), DJ_RECORD_ID(words[i]), words + i + 1, n);
        if (!good)
            return false;
        i += 1 + n;
    }
    return true;
}

void check_free(check *c)
{
    for (uint32_t i = 0; i < c->segment_capacity; i++)
        free((void *)c->segments[i].words);
    for (uint32_t i = 0; i < c->stack_room; i++)
        free(c->stacks[i].sp), free(c->stacks[i].pc);
    free(c->segments);
    free(c->stacks);
}
