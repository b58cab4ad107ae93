// SPDX-License-Identifier: MIT
#include "live/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPINS = 200, FRAMES_LEAST = 2, FRAME_WORDS_LEAST = 64 };

#define NO_FRAME UINT32_MAX

static int check(dj_ring_reader *r, dj_context *context, const char *path, uint64_t file_bytes)
{
    const dj_ring *ring = r->ring;
    if (ring->magic != DJ_RING_MAGIC)
        return dj_fail(context, DJ_ERR_INPUT, "%s: not a ring of the tracer", path);
    if (ring->version != DJ_RING_VERSION)
        return dj_fail(
            context, DJ_ERR_INPUT,
            "%s: the tracer has version %u, and this program version %d; install both from the same "
            "release",
            path, ring->version, DJ_RING_VERSION);
    r->frames = ring->frames;
    r->frame_words = ring->frame_words;
    r->header_bytes = ring->header_bytes;
    r->base = ring->base;
    r->pid = ring->pid;
    r->parent = ring->parent;
    if (r->frames < FRAMES_LEAST || r->frames > DJ_RING_FRAMES_MOST || r->frame_words < FRAME_WORDS_LEAST ||
        r->frame_words > DJ_RING_FRAME_WORDS || r->header_bytes < sizeof *ring || r->header_bytes % 64 ||
        r->header_bytes + (uint64_t)r->frames * r->frame_words * sizeof(uint64_t) > file_bytes)
        return dj_fail(context, DJ_ERR_INPUT, "%s: a ring of %u frames of %u words does not fit its file",
                       path, r->frames, r->frame_words);
    return DJ_OK;
}

static int map_file(dj_ring_reader *r, dj_context *context, const char *path)
{
    struct stat status;
    r->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (r->fd < 0 || fstat(r->fd, &status) != 0)
        return dj_fail(context, DJ_ERR_IO, "%s: cannot open the ring: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size < sizeof *r->ring)
        return dj_fail(context, DJ_ERR_INPUT, "%s: not a ring of the tracer", path);
    void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    if (memory == MAP_FAILED)
        return dj_fail(context, DJ_ERR_MEMORY, "%s: cannot map the ring: %s", path, strerror(errno));
    r->ring = memory;
    r->bytes = (size_t)status.st_size;
    r->inode = (uint64_t)status.st_ino;
    return check(r, context, path, r->bytes);
}

int dj_ring_open(dj_ring_reader *r, dj_context *context, const char *path)
{
    *r = (dj_ring_reader){.fd = -1, .process = -1};
    int err = map_file(r, context, path);
    if (!err) {
        r->path = strdup(path);
        err = r->path ? DJ_OK : dj_fail_memory(context, "a file name", 0);
    }
    if (err) {
        dj_ring_close(r);
        return err;
    }
    r->process = (int)syscall(SYS_pidfd_open, (pid_t)r->pid, 0);
    if (r->process >= 0)
        fcntl(r->process, F_SETFD, FD_CLOEXEC);
    __atomic_store_n(&r->ring->analyzer_pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
    return DJ_OK;
}

static bool is_dead(dj_ring_reader *r)
{
    struct pollfd ask = {.fd = r->process, .events = POLLIN};
    if (r->process >= 0 && poll(&ask, 1, 0) == 0)
        return false;
    if (r->process >= 0)
        close(r->process);
    r->process = -1;
    return true;
}

// After a failed exec the process continues in the old ring; a successful one unmaps the ring. `unknown` is
// the answer if the mappings cannot be read.
static bool is_mapped(const dj_ring_reader *r, bool unknown)
{
    char path[64], line[512];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%u/maps", r->pid);
    FILE *maps = fopen(path, "re");
    if (!maps)
        return unknown;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long long inode;
        found = sscanf(line, "%*s %*s %*s %*s %llu", &inode) == 1 && inode == r->inode;
    }
    fclose(maps);
    return found;
}

static uint64_t published(const dj_ring_reader *r)
{
    return __atomic_load_n(&r->ring->published, __ATOMIC_ACQUIRE);
}

static const uint64_t *frame_at(const dj_ring_reader *r, uint32_t frame)
{
    const char *first = (const char *)r->ring + r->header_bytes;
    return (const uint64_t *)(const void *)first + (size_t)frame * r->frame_words;
}

static uint32_t frame_of(const dj_ring_reader *r, uint64_t number)
{
    return __atomic_load_n(&r->ring->order[number % r->frames], __ATOMIC_RELAXED);
}

static int take_frame(dj_ring_reader *r, dj_context *context, uint64_t ahead, const uint64_t **words,
                      size_t *count)
{
    if (ahead > r->frames)
        return dj_fail(context, DJ_ERR_INPUT, "the tracer claims %llu frames at once in a ring of %u",
                       (unsigned long long)ahead, r->frames);
    uint32_t frame = frame_of(r, r->consumed);
    if (frame >= r->frames)
        return dj_fail(context, DJ_ERR_INPUT, "the tracer claims frame %u of a ring of %u", frame, r->frames);
    uint32_t used = __atomic_load_n(&r->ring->used[frame], __ATOMIC_RELAXED);
    if (used > r->frame_words)
        return dj_fail(context, DJ_ERR_INPUT, "the tracer used %u words of a frame of %u", used,
                       r->frame_words);
    *words = frame_at(r, frame);
    *count = used;
    return DJ_OK;
}

// Returns what the writers had written to the frames that they owned when the program ended, one frame at a
// time.
static bool take_rest(dj_ring_reader *r, const uint64_t **words, size_t *count)
{
    const uint64_t frame_bytes = r->frame_words * sizeof(uint64_t);
    uint32_t last = r->consumed ? frame_of(r, r->consumed - 1) : NO_FRAME;
    while (r->rest < DJ_RING_WRITERS) {
        uint64_t cursor = __atomic_load_n(&r->ring->writer[r->rest++].cursor, __ATOMIC_ACQUIRE);
        uint64_t bytes = cursor - r->base, frame = bytes / frame_bytes;
        if (bytes % sizeof(uint64_t) || bytes % frame_bytes == 0 || frame >= r->frames || frame == last)
            continue;
        *words = frame_at(r, (uint32_t)frame);
        *count = (size_t)(bytes % frame_bytes / sizeof(uint64_t));
        r->in_rest = true;
        return true;
    }
    return false;
}

// Sleeps until more than `seen` frames are published, or `wait_ms` have passed.
static void wait_for_frame(const dj_ring_reader *r, uint64_t seen, int wait_ms)
{
    for (int i = 0; i < SPINS; i++) {
        if (published(r) != seen)
            return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    struct timespec timeout = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
    __atomic_store_n(&r->ring->analyzer_waits, 1, __ATOMIC_SEQ_CST);
    if (published(r) == seen)
        syscall(SYS_futex, (uint32_t *)(void *)&r->ring->published, FUTEX_WAIT, (uint32_t)seen, &timeout,
                NULL, 0);
    __atomic_store_n(&r->ring->analyzer_waits, 0, __ATOMIC_SEQ_CST);
}

static uint32_t get_state(const dj_ring_reader *r)
{
    return __atomic_load_n(&r->ring->state, __ATOMIC_ACQUIRE);
}

// Whether no more frames will come, and in *dead, whether nobody announced that. Reads the state first:
// everything before it has been published.
static bool is_over(dj_ring_reader *r, bool waited, bool *dead)
{
    uint32_t state = get_state(r);
    *dead = false;
    if (state == DJ_RING_ENDED)
        return true;
    bool gone = is_dead(r);
    if (state == DJ_RING_RUNNING) {
        *dead = gone;
        // An image that was not built for tracing may have replaced it without notice.
        return gone || (waited && !is_mapped(r, true));
    }
    return (gone || !is_mapped(r, false)) && state == get_state(r);
}

int dj_ring_next(dj_ring_reader *r, dj_context *context, int wait_ms, enum dj_ring_found *found,
                 const uint64_t **words, size_t *count)
{
    bool dead = false, over = false;
    bool wait = published(r) == r->consumed && wait_ms > 0 && get_state(r) != DJ_RING_ENDED;
    *found = DJ_RING_FRAME;
    if (wait)
        wait_for_frame(r, r->consumed, get_state(r) == DJ_RING_RUNNING ? wait_ms : 1);
    if (published(r) == r->consumed)
        over = is_over(r, wait, &dead);
    uint64_t ahead = published(r) - r->consumed;
    if (ahead)
        return take_frame(r, context, ahead, words, count);
    if (!over)
        *found = DJ_RING_NOTHING;
    else if (get_state(r) == DJ_RING_ENDED || !take_rest(r, words, count))
        *found = dead ? DJ_RING_DEAD : DJ_RING_OVER;
    return DJ_OK;
}

static void wake_tracer(const dj_ring_reader *r)
{
    syscall(SYS_futex, (uint32_t *)(void *)&r->ring->consumed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void dj_ring_release(dj_ring_reader *r)
{
    if (r->in_rest) {
        r->in_rest = false;
        return;
    }
    uint32_t most = r->frames < DJ_RING_AHEAD_MOST ? r->frames : DJ_RING_AHEAD_MOST;
    r->consumed++;
    __atomic_store_n(&r->ring->consumed, r->consumed, __ATOMIC_SEQ_CST);
    // A waiting tracer is woken when there is space for a while, not for every frame.
    if (__atomic_load_n(&r->ring->tracer_waits, __ATOMIC_SEQ_CST) && published(r) - r->consumed <= most / 2)
        wake_tracer(r);
}

void dj_ring_close(dj_ring_reader *r)
{
    if (r->ring && r->path) {
        __atomic_store_n(&r->ring->detach, 1, __ATOMIC_SEQ_CST);
        wake_tracer(r);
        unlink(r->path);
    }
    if (r->ring)
        munmap(r->ring, r->bytes);
    if (r->process >= 0)
        close(r->process);
    if (r->fd >= 0)
        close(r->fd);
    free(r->path);
    *r = (dj_ring_reader){.fd = -1, .process = -1};
}
