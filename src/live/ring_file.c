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

_Static_assert(offsetof(dj_ring, state) == offsetof(dj_ring, published) + offsetof(dj_ring_front, state) &&
                   offsetof(dj_ring, tracer_waits) ==
                       offsetof(dj_ring, published) + offsetof(dj_ring_front, tracer_waits),
               "the front is a part of the header");

int dj_ring_file_open(dj_ring_file *f, dj_context *context, const char *path)
{
    struct stat status;
    void *memory = MAP_FAILED;
    int err = DJ_OK;
    *f = (dj_ring_file){.fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)};
    if (f->fd < 0 || fstat(f->fd, &status) != 0)
        err = dj_fail(context, DJ_ERR_IO, "%s: cannot open the ring: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size < sizeof(dj_ring))
        err = dj_fail(context, DJ_ERR_INPUT, "%s: not a ring of the tracer", path);
    else if ((memory = mmap(NULL, sizeof(dj_ring), PROT_READ, MAP_SHARED, f->fd, 0)) == MAP_FAILED)
        err = dj_fail(context, DJ_ERR_MEMORY, "%s: cannot map the ring: %s", path, strerror(errno));
    if (err) {
        dj_ring_file_close(f);
        return err;
    }
    f->header = memory;
    f->inode = (uint64_t)status.st_ino;
    f->bytes = (uint64_t)status.st_size;
    return DJ_OK;
}

void dj_ring_file_close(dj_ring_file *f)
{
    if (f->header)
        munmap(f->header, sizeof *f->header);
    if (f->fd >= 0)
        close(f->fd);
    *f = (dj_ring_file){.fd = -1};
}

void dj_ring_file_read(dj_ring_file *f, uint64_t offset, void *to, size_t bytes)
{
    size_t have = 0;
    while (have < bytes) {
        ssize_t got = pread(f->fd, (char *)to + have, bytes - have, (off_t)(offset + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    if (have == bytes)
        return;
    memset((char *)to + have, 0, bytes - have);
    f->cut = true;
}

static void write_at(dj_ring_file *f, uint64_t offset, const void *from, size_t bytes)
{
    ssize_t put;
    do
        put = pwrite(f->fd, from, bytes, (off_t)offset);
    while (put < 0 && errno == EINTR);
    f->cut = f->cut || put != (ssize_t)bytes;
}

uint32_t dj_ring_file_get(dj_ring_file *f, uint64_t offset)
{
    uint32_t value;
    dj_ring_file_read(f, offset, &value, sizeof value);
    return value;
}

void dj_ring_file_set(dj_ring_file *f, uint64_t offset, uint32_t value)
{
    write_at(f, offset, &value, sizeof value);
}

// No rule says that the kernel copies a word at once. The count only grows, so one that has not changed, or
// that is read twice, is not a mixture of two counts.
dj_ring_front dj_ring_file_front(dj_ring_file *f, uint64_t known)
{
    dj_ring_front now;
    dj_ring_file_read(f, offsetof(dj_ring, published), &now, sizeof now);
    for (int tries = 0; tries < 100 && now.published != known; tries++) {
        known = now.published;
        dj_ring_file_read(f, offsetof(dj_ring, published), &now, sizeof now);
    }
    return now;
}

void dj_ring_file_set_consumed(dj_ring_file *f, uint64_t consumed)
{
    write_at(f, offsetof(dj_ring, consumed), &consumed, sizeof consumed);
}

void dj_ring_file_wait(dj_ring_file *f, uint64_t seen, int wait_ms)
{
    struct timespec timeout = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
    struct stat status;
    if (fstat(f->fd, &status) != 0 || (uint64_t)status.st_size < f->bytes) {
        f->cut = true; // and the writes below would lengthen it
        return;
    }
    dj_ring_file_set(f, offsetof(dj_ring, analyzer_waits), 1);
    // The kernel compares the count itself. If the file was truncated, it fails.
    syscall(SYS_futex, (uint32_t *)(void *)&f->header->published, FUTEX_WAIT, (uint32_t)seen, &timeout, NULL,
            0);
    dj_ring_file_set(f, offsetof(dj_ring, analyzer_waits), 0);
}

void dj_ring_file_wake(const dj_ring_file *f)
{
    syscall(SYS_futex, (uint32_t *)(void *)&f->header->consumed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void dj_ring_file_detach(const char *path)
{
    struct stat status;
    dj_ring_file f = {.fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)};
    if (f.fd < 0 || fstat(f.fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1 ||
        (uint64_t)status.st_size < sizeof(dj_ring)) {
        dj_ring_file_close(&f);
        return;
    }
    dj_ring_file_set(&f, offsetof(dj_ring, detach), 1);
    void *memory = mmap(NULL, sizeof(dj_ring), PROT_READ, MAP_SHARED, f.fd, 0);
    if (memory != MAP_FAILED) { // otherwise the tracer takes a moment longer
        f.header = memory;
        dj_ring_file_wake(&f);
    }
    dj_ring_file_close(&f);
}
