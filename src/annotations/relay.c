// SPDX-License-Identifier: MIT
// No descriptor stays open: the program may close descriptors that it did not open.
#include "annotations/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <deja/session.h>

#include "tracer/ring.h"

enum {
    FRAMES = 64,
    FRAME_BYTES = DJ_RING_FRAME_WORDS * sizeof(uint64_t),
    RECORD_WORDS = DJ_RING_FRAME_WORDS - 2, // at most: a cursor stays below the end of its frame
    EVENT_WORDS = 3,                        // before the text
    ACCESS_WORDS = 2,
    PATIENCE_NS = 100000000, // between checks whether anybody reads
};

static const size_t ring_bytes = DJ_RING_HEADER_BYTES + (size_t)FRAMES * FRAME_BYTES;

struct dj_relay {
    dj_ring *ring;
    uint64_t *at, *start; // in the current frame
    pid_t reader;
    char path[512];
    ino_t inode;
};

static int fail(dj_context *context, const dj_relay *r, int reason)
{
    return dj_fail(context, DJ_ERR_IO, "cannot pass the annotations to 'deja record' in '%s': %s", r->path,
                   strerror(reason));
}

// Not visible to others yet. Space is reserved, since a full file system would otherwise end the program by
// SIGBUS. Returns a descriptor, or -1 with errno.
static int create_file(dj_relay *r)
{
    struct stat status;
    int fd = open(r->path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return fd;
    bool sized = fallocate(fd, 0, 0, (off_t)ring_bytes) == 0 ||
                 ((errno == EOPNOTSUPP || errno == ENOSYS) && ftruncate(fd, (off_t)ring_bytes) == 0);
    if (sized && fstat(fd, &status) == 0) {
        r->inode = status.st_ino;
        return fd;
    }
    int reason = errno;
    close(fd);
    unlink(r->path);
    errno = reason;
    return -1;
}

static uint64_t *frame_at(const dj_relay *r, uint64_t number)
{
    return (uint64_t *)(void *)((char *)r->ring + DJ_RING_HEADER_BYTES + number % FRAMES * FRAME_BYTES);
}

static void set_cursor(dj_relay *r, uint64_t *at)
{
    r->at = at;
    __atomic_store_n(&r->ring->writer[0].cursor, (uint64_t)(uintptr_t)at, __ATOMIC_RELEASE);
}

static void enter_frame(dj_relay *r)
{
    r->start = frame_at(r, r->ring->published);
    set_cursor(r, r->start);
}

static void fill_header(dj_relay *r)
{
    dj_ring *ring = r->ring;
    ring->version = DJ_RING_VERSION;
    ring->header_bytes = DJ_RING_HEADER_BYTES;
    ring->frame_words = DJ_RING_FRAME_WORDS;
    ring->frames = FRAMES;
    ring->pid = (uint32_t)getpid();
    ring->parent = (uint32_t)getppid();
    ring->base = (uint64_t)(uintptr_t)frame_at(r, 0);
    enter_frame(r);
    ring->magic = DJ_RING_MAGIC;
}

static int map_file(dj_relay *r, dj_context *context)
{
    int fd = create_file(r);
    if (fd < 0)
        return fail(context, r, errno);
    void *memory = mmap(NULL, ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int reason = errno;
    close(fd);
    if (memory == MAP_FAILED) {
        unlink(r->path);
        return fail(context, r, reason);
    }
    (void)madvise(memory, ring_bytes, MADV_DONTFORK); // a child records nothing
    r->ring = memory;
    return DJ_OK;
}

static uint64_t count_words(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static void publish(dj_relay *r)
{
    dj_ring *ring = r->ring;
    uint64_t number = ring->published;
    ring->order[number % FRAMES] = (uint32_t)(number % FRAMES);
    ring->used[number % FRAMES] = (uint32_t)(r->at - r->start);
    __atomic_store_n(&ring->published, number + 1, __ATOMIC_SEQ_CST);
    enter_frame(r);
    if (__atomic_load_n(&ring->analyzer_waits, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, (uint32_t *)(void *)&ring->published, FUTEX_WAKE, 1, NULL, NULL, 0);
}

// The program may have removed or replaced the file. If the folder is not there either, it has only changed
// its root directory.
static bool is_lost(const dj_relay *r)
{
    struct stat status;
    char folder[sizeof r->path];
    if (lstat(r->path, &status) == 0)
        return status.st_ino != r->inode;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(r->path, '/') - r->path), r->path);
    return errno == ENOENT && lstat(folder, &status) == 0;
}

// Whether nobody will ever read the ring.
static bool is_in_vain(const dj_relay *r)
{
    uint32_t pid = __atomic_load_n(&r->ring->analyzer_pid, __ATOMIC_RELAXED);
    if (!pid && is_lost(r))
        return true;
    return kill(pid ? (pid_t)pid : r->reader, 0) != 0 && errno == ESRCH;
}

static bool is_full(const dj_relay *r)
{
    return r->ring->published - __atomic_load_n(&r->ring->consumed, __ATOMIC_ACQUIRE) >= FRAMES;
}

static bool is_detached(const dj_relay *r)
{
    return __atomic_load_n(&r->ring->detach, __ATOMIC_RELAXED) != 0;
}

static void wait_for_space(dj_relay *r)
{
    const struct timespec patience = {.tv_nsec = PATIENCE_NS};
    dj_ring *ring = r->ring;
    while (is_full(r) && !is_detached(r)) {
        uint32_t seen = (uint32_t)__atomic_load_n(&ring->consumed, __ATOMIC_ACQUIRE);
        __atomic_store_n(&ring->tracer_waits, 1, __ATOMIC_SEQ_CST);
        if (is_full(r) && seen == (uint32_t)__atomic_load_n(&ring->consumed, __ATOMIC_SEQ_CST) &&
            syscall(SYS_futex, (uint32_t *)(void *)&ring->consumed, FUTEX_WAIT, seen, &patience, NULL, 0) !=
                0 &&
            is_in_vain(r))
            __atomic_store_n(&ring->detach, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&ring->tracer_waits, 0, __ATOMIC_RELAXED);
    }
}

// What the current frame has left for the words of a record.
static uint64_t room(const dj_relay *r)
{
    uint64_t used = (uint64_t)(r->at - r->start);
    return used < RECORD_WORDS ? RECORD_WORDS - used : 0;
}

static void publish_and_wait(dj_relay *r)
{
    publish(r);
    wait_for_space(r);
}

// For a record of `words`; false: nobody reads any more.
static bool make_room(dj_relay *r, uint64_t words)
{
    if (room(r) < words || r->at == r->start + RECORD_WORDS + 1)
        publish_and_wait(r);
    return !is_detached(r);
}

// With as much of the text as fits.
static bool write_text(dj_relay *r, enum dj_record_type type, uint32_t id, const uint64_t *words,
                       uint64_t count, const char *text)
{
    size_t most = (RECORD_WORDS - count) * sizeof(uint64_t);
    size_t bytes = strlen(text) < most ? strlen(text) : most;
    uint64_t texts = count_words(bytes);
    if (!make_room(r, count + texts))
        return false;
    uint64_t *to = r->at;
    *to++ = DJ_RECORD(type, count + texts, id);
    for (uint64_t i = 0; i < count; i++)
        *to++ = words[i];
    if (texts) {
        to[texts - 1] = 0;
        memcpy(to, text, bytes);
    }
    set_cursor(r, to + texts);
    return true;
}

static bool write_accesses(dj_relay *r, const dj_batch *batch, uint32_t from, uint32_t until)
{
    const dj_columns *column = &batch->column;
    while (from < until) {
        if (!make_room(r, ACCESS_WORDS))
            return false;
        uint64_t most = room(r) / ACCESS_WORDS;
        uint32_t count = most < until - from ? (uint32_t)most : until - from;
        uint64_t *to = r->at;
        *to++ = DJ_RECORD(DJ_RECORD_ELEMENTS, (uint64_t)count * ACCESS_WORDS, 0);
        for (uint32_t i = from; i < from + count; i++) {
            *to++ = column->address[i];
            *to++ = column->site[i] | (uint64_t)column->kind[i] << 32;
        }
        set_cursor(r, to);
        from += count;
    }
    return true;
}

static bool write_batch(dj_relay *r, const dj_batch *batch)
{
    uint32_t done = 0;
    for (uint32_t e = 0; e < batch->event_count; e++) {
        const dj_event *event = &batch->events[e];
        const uint64_t words[EVENT_WORDS] = {event->a, event->b, event->c};
        if (!write_accesses(r, batch, done, event->index) ||
            !write_text(r, DJ_RECORD_EVENT, event->type, words, EVENT_WORDS, event->text))
            return false;
        done = event->index;
    }
    return write_accesses(r, batch, done, batch->count);
}

int dj_relay_write(dj_relay *r, dj_context *context, const dj_batch *batch)
{
    if (!write_batch(r, batch))
        return dj_fail(context, DJ_ERR_STOPPED, "nobody reads the annotations any more");
    if (r->at > r->start)
        publish_and_wait(r);
    return DJ_OK;
}

// Gives the file the name that the reader looks for.
static int show(dj_relay *r, dj_context *context, const dj_relay_config *config)
{
    char name[sizeof r->path];
    snprintf(name, sizeof name, "%s/ring.%d.%u", config->folder, (int)getpid(), config->image);
    if (rename(r->path, name) != 0) {
        int reason = errno;
        unlink(r->path);
        return fail(context, r, reason);
    }
    memcpy(r->path, name, sizeof name);
    return DJ_OK;
}

int dj_relay_open(dj_context *context, const dj_relay_config *config, dj_relay **out)
{
    dj_relay *r = calloc(1, sizeof *r);
    if (!r)
        return dj_fail_memory(context, "the recorder", sizeof *r);
    r->reader = config->reader;
    snprintf(r->path, sizeof r->path, "%s/.ring.%d.%u", config->folder, (int)getpid(), config->image);
    int err = map_file(r, context);
    if (!err) {
        fill_header(r);
        (void)write_text(r, DJ_RECORD_PROCESS, 0, NULL, 0, config->command); // there is room
        err = show(r, context, config);
    }
    if (!err) {
        *out = r;
        return DJ_OK;
    }
    if (r->ring)
        munmap(r->ring, ring_bytes);
    free(r);
    return err;
}

void dj_relay_close(dj_relay *r, const char *fault)
{
    if (!r)
        return;
    if ((!fault || write_text(r, DJ_RECORD_MESSAGE, 0, NULL, 0, fault)) &&
        write_text(r, DJ_RECORD_END, (uint32_t)DJ_END_UNKNOWN, NULL, 0, "")) {
        publish(r);
        __atomic_store_n(&r->ring->state, (uint32_t)DJ_RING_ENDED, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, (uint32_t *)(void *)&r->ring->published, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    munmap(r->ring, ring_bytes);
    free(r);
}
