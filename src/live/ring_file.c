// SPDX-License-Identifier: MIT
#include "live/ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPINS = 200 };

static bool map(dj_ring_file *f, const struct stat *status)
{
    size_t bytes = (size_t)status->st_size;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
    if (memory == MAP_FAILED)
        return false;
    f->ring = memory;
    f->bytes = bytes;
    f->inode = (uint64_t)status->st_ino;
    return dj_guard_open(&f->guard, memory, bytes);
}

int dj_ring_file_open(dj_ring_file *f, dj_context *context, const char *path)
{
    struct stat status;
    int err = DJ_OK;
    *f = (dj_ring_file){.fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)};
    if (f->fd < 0 || fstat(f->fd, &status) != 0)
        err = dj_fail(context, DJ_ERR_IO, "%s: cannot open the ring: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size < sizeof(dj_ring))
        err = dj_fail(context, DJ_ERR_INPUT, "%s: not a ring of the tracer", path);
    else if (!map(f, &status))
        err = dj_fail(context, DJ_ERR_MEMORY, "%s: cannot map the ring: %s", path, strerror(errno));
    if (err)
        dj_ring_file_close(f);
    return err;
}

void dj_ring_file_close(dj_ring_file *f)
{
    dj_guard_close(&f->guard);
    if (f->ring)
        munmap(f->ring, f->bytes);
    if (f->fd >= 0)
        close(f->fd);
    *f = (dj_ring_file){.fd = -1};
}

static void *enter(dj_ring_file *f, uint64_t offset)
{
    dj_guard_enter(&f->guard);
    return (char *)f->ring + offset;
}

static void leave(dj_ring_file *f)
{
    dj_guard_leave();
    f->cut = f->cut || f->guard.lost;
}

static void check_size(dj_ring_file *f)
{
    struct stat status;
    f->cut = f->cut || fstat(f->fd, &status) != 0 || (uint64_t)status.st_size < f->bytes;
}

void dj_ring_file_read(dj_ring_file *f, uint64_t offset, void *to, size_t bytes)
{
    const char *from = enter(f, offset);
    uint64_t last = 0;
    memcpy(to, from, bytes);
    // The guard sees only whole pages. In the page that contains the new end of a truncated file, everything
    // after it is zero. So the size is asked for only if the last word, read after all others, is zero.
    __sync_synchronize();
    if (bytes >= sizeof last)
        last =
            __atomic_load_n((const uint64_t *)(const void *)(from + bytes - sizeof last), __ATOMIC_RELAXED);
    leave(f);
    if (!last)
        check_size(f);
}

uint32_t dj_ring_file_get(dj_ring_file *f, uint64_t offset)
{
    uint32_t value = __atomic_load_n((const uint32_t *)enter(f, offset), __ATOMIC_ACQUIRE);
    leave(f);
    return value;
}

void dj_ring_file_set(dj_ring_file *f, uint64_t offset, uint32_t value)
{
    __atomic_store_n((uint32_t *)enter(f, offset), value, __ATOMIC_SEQ_CST);
    leave(f);
}

// The state first: everything before it has been published.
dj_ring_front dj_ring_file_front(dj_ring_file *f)
{
    const dj_ring *ring = enter(f, 0);
    dj_ring_front now;
    now.state = __atomic_load_n(&ring->state, __ATOMIC_SEQ_CST);
    now.tracer_waits = __atomic_load_n(&ring->tracer_waits, __ATOMIC_SEQ_CST);
    now.published = __atomic_load_n(&ring->published, __ATOMIC_SEQ_CST);
    leave(f);
    return now;
}

void dj_ring_file_set_consumed(dj_ring_file *f, uint64_t consumed)
{
    dj_ring *ring = enter(f, 0);
    __atomic_store_n(&ring->consumed, consumed, __ATOMIC_SEQ_CST);
    leave(f);
}

static bool spin(dj_ring_file *f, uint64_t seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (dj_ring_file_front(f).published != seen || f->cut)
            return true;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    return false;
}

void dj_ring_file_wait(dj_ring_file *f, uint64_t seen, int wait_ms)
{
    struct timespec timeout = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
    if (spin(f, seen))
        return;
    check_size(f);
    if (f->cut)
        return;
    dj_ring_file_set(f, offsetof(dj_ring, analyzer_waits), 1);
    // The kernel compares the count itself. If the file was truncated, it fails.
    syscall(SYS_futex, (uint32_t *)(void *)&f->ring->published, FUTEX_WAIT, (uint32_t)seen, &timeout, NULL,
            0);
    dj_ring_file_set(f, offsetof(dj_ring, analyzer_waits), 0);
}

void dj_ring_file_wake(const dj_ring_file *f)
{
    syscall(SYS_futex, (uint32_t *)(void *)&f->ring->consumed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void dj_ring_file_detach(const char *path)
{
    struct stat status;
    dj_ring_file f = {.fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)};
    // If it cannot be mapped, the tracer takes a moment longer.
    if (f.fd >= 0 && fstat(f.fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
        (uint64_t)status.st_size >= sizeof(dj_ring) && map(&f, &status)) {
        dj_ring_file_set(&f, offsetof(dj_ring, detach), 1);
        dj_ring_file_wake(&f);
    }
    dj_ring_file_close(&f);
}
