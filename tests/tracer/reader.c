// SPDX-License-Identifier: MIT
// ring_reader DIR [--dump | --drain | --slow | --leave] COMMAND…
// Runs a command that creates rings in DIR, reads them all, and writes a line of counts
// for each to DIR/report. --dump prints the records, --drain returns frames unread, --slow
// pauses before each frame, --leave stops after ten frames and lets the tracer detach.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "tracer/ring.h"

enum { RINGS_MOST = 4096 };

typedef struct reader {
    dj_ring *ring;
    size_t bytes;
    char name[64];
    check check;
    bool done;
} reader;

static reader *readers[RINGS_MOST];
static unsigned reader_count;
static enum { CHECK, DUMP, DRAIN, SLOW, LEAVE } mode;

static void open_ring(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0 || reader_count == RINGS_MOST)
        exit(3);
    reader *r = calloc(1, sizeof *r);
    if (!r)
        exit(4);
    r->bytes = (size_t)about.st_size;
    r->ring = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (r->ring == MAP_FAILED || r->ring->magic != DJ_RING_MAGIC)
        exit(3);
    // Before the file goes: a tracer that waits for space would take a ring without reader and file for lost.
    __atomic_store_n(&r->ring->analyzer_pid, (uint32_t)getpid(), __ATOMIC_SEQ_CST);
    unlink(path);
    snprintf(r->name, sizeof r->name, "%.60s", name);
    r->check.dump = mode == DUMP;
    readers[reader_count++] = r;
}

static void find_rings(const char *folder)
{
    DIR *d = opendir(folder);
    if (!d)
        exit(3);
    for (struct dirent *entry; (entry = readdir(d));)
        if (strncmp(entry->d_name, "ring.", 5) == 0)
            open_ring(folder, entry->d_name);
    closedir(d);
}

static const uint64_t *frame_at(const reader *r, uint32_t frame)
{
    return (const uint64_t *)((const char *)r->ring + r->ring->header_bytes) +
           (size_t)frame * r->ring->frame_words;
}

static uint32_t frame_of(const reader *r, uint64_t number)
{
    return r->ring->order[number % r->ring->frames];
}

static void return_frame(reader *r)
{
    __atomic_fetch_add(&r->ring->consumed, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&r->ring->tracer_waits, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &r->ring->consumed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

// Reads the published frames; returns whether there were any.
static bool advance(reader *r)
{
    bool moved = false;
    while (r->ring->consumed < __atomic_load_n(&r->ring->published, __ATOMIC_ACQUIRE)) {
        uint64_t number = r->ring->consumed;
        if (mode == LEAVE && number >= 10)
            r->ring->detach = 1;
        if (mode == SLOW)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        if (mode != DRAIN)
            check_frame(&r->check, frame_at(r, frame_of(r, number)), r->ring->used[frame_of(r, number)]);
        return_frame(r);
        moved = true;
    }
    return moved;
}

// Reads the unpublished frames of writers that died.
static void read_rest(reader *r)
{
    const dj_ring *ring = r->ring;
    if (mode == DRAIN || ring->detach)
        return;
    uint64_t words = ring->frame_words;
    for (unsigned i = 0; i < DJ_RING_WRITERS; i++) {
        uint64_t at = (ring->writer[i].cursor - ring->base) / sizeof(uint64_t), frame = at / words;
        bool last = ring->published && frame == frame_of(r, ring->published - 1);
        if (ring->writer[i].cursor >= ring->base && frame < ring->frames && !last)
            check_frame(&r->check, frame_at(r, (uint32_t)frame), (uint32_t)(at % words));
    }
}

static void poll_ring(reader *r, bool *moved, unsigned *living)
{
    if (r->done)
        return;
    bool ended = r->ring->state != DJ_RING_RUNNING || (kill((pid_t)r->ring->pid, 0) != 0 && errno == ESRCH);
    *moved |= advance(r);
    bool may_resume = r->ring->state == DJ_RING_REPLACED && kill((pid_t)r->ring->pid, 0) == 0;
    if (ended && !may_resume) {
        advance(r);
        read_rest(r);
        r->done = true;
    }
    *living += !r->done && !may_resume;
}

static void pause_until_more(void)
{
    struct timespec patience = {.tv_nsec = 1000000};
    if (reader_count != 1 || readers[0]->done) {
        nanosleep(&patience, NULL);
        return;
    }
    dj_ring *ring = readers[0]->ring;
    uint64_t seen = ring->consumed;
    __atomic_store_n(&ring->analyzer_waits, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ring->published, __ATOMIC_SEQ_CST) == seen)
        syscall(SYS_futex, &ring->published, FUTEX_WAIT, (uint32_t)seen, &patience, NULL, 0);
    __atomic_store_n(&ring->analyzer_waits, 0, __ATOMIC_RELAXED);
}

static void report(FILE *out, const reader *r)
{
    const check *c = &r->check;
    fprintf(out,
            "%s parent=%u state=%u frames=%" PRIu64 " records=%" PRIu64 " accesses=%" PRIu64 " reads=%" PRIu64
            " writes=%" PRIu64 " modifies=%" PRIu64 " skipped=%" PRIu64 " strings=%" PRIu64 " calls=%" PRIu64
            " returns=%" PRIu64 " matched=%" PRIu64 " defines=%" PRIu64 " outside=%" PRIu64
            " modules=%" PRIu64 " threads=%" PRIu64 " switches=%" PRIu64 " names=%" PRIu64 " forks=%" PRIu64
            " messages=%" PRIu64 " ranges=%" PRIu64 " passes=%" PRIu64 " allocations=%" PRIu64
            " blocks=%" PRIu64 " frees=%" PRIu64 " ended=%d status=%u%s%s\n",
            r->name, r->ring->parent, r->ring->state, r->ring->published, c->records, c->accesses, c->reads,
            c->writes, c->modifies, c->skipped, c->strings, c->calls, c->returns, c->matched, c->defines,
            c->outside, c->modules, c->threads, c->switches, c->names, c->forks, c->messages, c->ranges,
            c->passes, c->allocations, c->blocks, c->frees, c->ended, c->status, c->failed ? " ERROR " : "",
            c->why);
}

static void read_all(const char *folder, pid_t child, int *status, struct rusage *usage)
{
    bool child_lives = true;
    for (;;) {
        bool moved = false;
        unsigned living = 0;
        if (child_lives && wait4(child, status, WNOHANG, usage) == child)
            child_lives = false;
        find_rings(folder);
        for (unsigned i = 0; i < reader_count; i++)
            poll_ring(readers[i], &moved, &living);
        if (!child_lives && !living && !moved)
            return;
        if (!moved)
            pause_until_more();
    }
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"", "--dump", "--drain", "--slow", "--leave"};
    int at = 2, status = 0;
    for (int i = 1; argc > 2 && i < 5; i++)
        if (strcmp(argv[2], modes[i]) == 0) {
            mode = (unsigned)i;
            at = 3;
        }
    if (argc <= at)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[at], argv + at);
        _exit(127);
    }
    struct rusage usage = {0};
    read_all(argv[1], child, &status, &usage);
    bool failed = false;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/report", argv[1]);
    FILE *out = fopen(path, "w");
    if (!out)
        return 3;
    for (unsigned i = 0; i < reader_count; i++) {
        report(out, readers[i]);
        failed |= readers[i]->check.failed;
        check_free(&readers[i]->check);
        munmap(readers[i]->ring, readers[i]->bytes);
        free(readers[i]);
    }
    fprintf(out, "status %d rings %u seconds %.3f\n", status, reader_count,
            (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6);
    fclose(out);
    return failed ? 1 : 0;
}
