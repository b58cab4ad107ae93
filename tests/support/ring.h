// SPDX-License-Identifier: MIT
// Writes what a tracer would write: records into words, and words into a ring.
#ifndef DEJA_TESTS_RING_H
#define DEJA_TESTS_RING_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/ring.h"

enum { FRAME_WORDS = DJ_RING_FRAME_WORDS };

typedef struct words {
    uint64_t at[FRAME_WORDS];
    size_t count;
} words;

static inline void put_list(words *w, unsigned type, uint32_t id, const uint64_t *list, size_t count)
{
    w->at[w->count++] = DJ_RECORD(type, count, id);
    memcpy(w->at + w->count, list, count * sizeof *list);
    w->count += count;
}

#define PUT(w, type, id, ...)                                                                                \
    put_list(w, type, id, (const uint64_t[]){__VA_ARGS__},                                                   \
             sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static inline void put_text(words *w, unsigned type, uint32_t id, const uint64_t *list, size_t count,
                            const char *text)
{
    uint64_t all[512] = {0};
    size_t text_words = (strlen(text) + 7) / 8;
    if (count)
        memcpy(all, list, count * sizeof *list);
    memcpy(all + count, text, strlen(text));
    put_list(w, type, id, all, count + text_words);
}

static inline void put_module(words *w, uint64_t load, uint64_t bytes, const char *path)
{
    put_text(w, DJ_RECORD_MODULE, 0, (const uint64_t[]){load, bytes}, 2, path);
}

// The word that describes an access, after its pc.
static inline uint64_t describe(uint64_t size, uint64_t kind, uint64_t flags)
{
    return size | kind << 32 | flags << 40;
}

typedef struct test_ring {
    char path[64];
    dj_ring *ring;
    size_t bytes;
} test_ring;

// A ring of this process, in a separate file.
static inline int make_ring(test_ring *r, uint32_t frames)
{
    snprintf(r->path, sizeof r->path, "/tmp/deja-ring-XXXXXX");
    int fd = mkstemp(r->path);
    r->bytes = DJ_RING_HEADER_BYTES + (size_t)frames * FRAME_WORDS * sizeof(uint64_t);
    if (fd < 0 || ftruncate(fd, (off_t)r->bytes) != 0)
        return -1;
    r->ring = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (r->ring == MAP_FAILED)
        return -1;
    *r->ring = (dj_ring){.magic = DJ_RING_MAGIC,
                         .version = DJ_RING_VERSION,
                         .header_bytes = DJ_RING_HEADER_BYTES,
                         .frame_words = FRAME_WORDS,
                         .frames = frames,
                         .pid = (uint32_t)getpid(),
                         .parent = (uint32_t)getppid()};
    r->ring->base = (uint64_t)(uintptr_t)r->ring + DJ_RING_HEADER_BYTES;
    r->ring->writer[0].cursor = r->ring->base;
    return 0;
}

static inline void drop_ring(test_ring *r)
{
    munmap(r->ring, r->bytes);
    unlink(r->path);
}

static inline uint64_t *ring_frame(const test_ring *r, uint64_t number)
{
    return (uint64_t *)(uintptr_t)(r->ring->base + number % r->ring->frames * FRAME_WORDS * sizeof(uint64_t));
}

// Writes to the current frame without publishing it.
static inline void write_words(const test_ring *r, const words *w)
{
    memcpy((void *)(uintptr_t)r->ring->writer[0].cursor, w->at, w->count * sizeof *w->at);
    r->ring->writer[0].cursor += w->count * sizeof *w->at;
}

// Publishes the current frame, waits until the next one is free, and begins it.
static inline void publish(const test_ring *r)
{
    dj_ring *ring = r->ring;
    uint64_t number = ring->published;
    ring->order[number % ring->frames] = (uint32_t)(number % ring->frames);
    ring->used[number % ring->frames] =
        (uint32_t)((ring->writer[0].cursor - (uint64_t)(uintptr_t)ring_frame(r, number)) / sizeof(uint64_t));
    __atomic_store_n(&ring->published, number + 1, __ATOMIC_SEQ_CST);
    while (number + 1 - __atomic_load_n(&ring->consumed, __ATOMIC_SEQ_CST) >= ring->frames &&
           !__atomic_load_n(&ring->detach, __ATOMIC_SEQ_CST))
        usleep(100);
    ring->writer[0].cursor = (uint64_t)(uintptr_t)ring_frame(r, number + 1);
}

static inline void set_state(const test_ring *r, uint32_t state)
{
    __atomic_store_n(&r->ring->state, state, __ATOMIC_SEQ_CST);
}

#endif
