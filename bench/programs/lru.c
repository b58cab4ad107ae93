// SPDX-License-Identifier: MIT
// Misses of a program's own accesses in LRU caches, for ./dev bench advice. Nothing here is shared with Deja:
// gcc's -fsanitize=thread calls these functions at every access of the kernel, and this file takes the place
// of its library. At the end it writes "NAME FULL SETS" for each cache of LRU_CACHES to the file LRU_OUT: the
// misses of a fully associative cache and of one with eight ways.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64
#define WAYS 8
#define MOST 4
#define BUCKETS (1 << 16)
#define NONE UINT32_MAX

struct cache {
    char name[16];
    uint32_t lines, used, first, last, sets;
    uint32_t *before, *after;
    unsigned char *inside;
    uint64_t *tags; // of each set, the most recent first
    uint64_t full_misses, set_misses;
};

static struct cache caches[MOST];
static unsigned count;
static uint64_t *line_of; // by number
static uint32_t *chained, bucket[BUCKETS], lines, room;

static uint32_t number_of(uint64_t line)
{
    uint32_t *at = &bucket[(line * 0x9E3779B97F4A7C15U) >> 48];
    for (uint32_t i = *at; i; i = chained[i]) {
        if (line_of[i] == line) {
            return i;
        }
    }
    if (++lines >= room) {
        room = room ? room * 2 : 1 << 16;
        line_of = realloc(line_of, room * sizeof *line_of);
        chained = realloc(chained, room * sizeof *chained);
        for (unsigned c = 0; c < count; c++) {
            caches[c].before = realloc(caches[c].before, room * sizeof(uint32_t));
            caches[c].after = realloc(caches[c].after, room * sizeof(uint32_t));
            caches[c].inside = realloc(caches[c].inside, room);
        }
    }
    for (unsigned c = 0; c < count; c++) {
        caches[c].inside[lines] = 0;
    }
    line_of[lines] = line;
    chained[lines] = *at;
    return *at = lines;
}

static void take_out(struct cache *c, uint32_t i)
{
    *(c->before[i] == NONE ? &c->first : &c->after[c->before[i]]) = c->after[i];
    *(c->after[i] == NONE ? &c->last : &c->before[c->after[i]]) = c->before[i];
}

static void put_first(struct cache *c, uint32_t i)
{
    c->before[i] = NONE;
    c->after[i] = c->first;
    *(c->first == NONE ? &c->last : &c->before[c->first]) = i;
    c->first = i;
}

static void access_full(struct cache *c, uint32_t i)
{
    if (c->inside[i]) {
        take_out(c, i);
    } else {
        c->full_misses++;
        c->inside[i] = 1;
        if (c->used++ == c->lines) {
            uint32_t victim = c->last;
            take_out(c, victim);
            c->inside[victim] = 0;
            c->used--;
        }
    }
    put_first(c, i);
}

static void access_sets(struct cache *c, uint64_t line)
{
    uint64_t *tags = c->tags + line % c->sets * WAYS;
    unsigned way = 0;
    while (way < WAYS - 1 && tags[way] != line + 1) {
        way++;
    }
    c->set_misses += tags[way] != line + 1;
    memmove(tags + 1, tags, way * sizeof *tags);
    tags[0] = line + 1;
}

static void access_bytes(const void *address, unsigned bytes)
{
    uint64_t at = (uint64_t)(uintptr_t)address;
    for (uint64_t line = at / LINE; line <= (at + bytes - 1) / LINE; line++) {
        uint32_t i = number_of(line);
        for (unsigned c = 0; c < count; c++) {
            access_full(&caches[c], i);
            access_sets(&caches[c], line);
        }
    }
}

static void print_misses(void)
{
    FILE *out = fopen(getenv("LRU_OUT"), "w");
    for (unsigned c = 0; out && c < count; c++) {
        fprintf(out, "%s %llu %llu\n", caches[c].name, (unsigned long long)caches[c].full_misses,
                (unsigned long long)caches[c].set_misses);
    }
    if (out) {
        fclose(out);
    }
}

// LRU_CACHES is a list such as "L1 8192 L2 65536".
void __tsan_init(void);
void __tsan_init(void)
{
    const char *at = getenv("LRU_CACHES");
    int read = 0;
    struct cache c = {.first = NONE, .last = NONE};
    if (count) {
        return;
    }
    for (; at && count < MOST && sscanf(at, "%15s %u%n", c.name, &c.lines, &read) == 2; at += read) {
        c.lines /= LINE;
        c.sets = c.lines / WAYS;
        c.tags = calloc(c.lines, sizeof *c.tags);
        caches[count++] = c;
    }
    atexit(print_misses);
}

#define ACCESS(bytes)                                                                                        \
    void __tsan_read##bytes(void *);                                                                         \
    void __tsan_read##bytes(void *address)                                                                   \
    {                                                                                                        \
        access_bytes(address, bytes);                                                                        \
    }                                                                                                        \
    void __tsan_write##bytes(void *);                                                                        \
    void __tsan_write##bytes(void *address)                                                                  \
    {                                                                                                        \
        access_bytes(address, bytes);                                                                        \
    }

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_func_entry(void *);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *, uint64_t);
void __tsan_read_range(void *address, uint64_t bytes)
{
    access_bytes(address, (unsigned)bytes);
}

void __tsan_write_range(void *, uint64_t);
void __tsan_write_range(void *address, uint64_t bytes)
{
    access_bytes(address, (unsigned)bytes);
}
