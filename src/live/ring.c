// SPDX-License-Identifier: MIT
#include "live/ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FRAMES_LEAST = 2, FRAME_WORDS_LEAST = 64 };

#define NO_FRAME UINT32_MAX
#define GET(r, field) dj_ring_file_get(&(r)->file, offsetof(dj_ring, field))
#define SET(r, field, value) dj_ring_file_set(&(r)->file, offsetof(dj_ring, field), value)

static uint64_t get_long(dj_ring_reader *r, uint64_t offset)
{
    uint64_t value;
    dj_ring_file_read(&r->file, offset, &value, sizeof value);
    return value;
}

static int read_header(dj_ring_reader *r, dj_context *context, const char *path)
{
    if (get_long(r, offsetof(dj_ring, magic)) != DJ_RING_MAGIC)
        return dj_fail(context, DJ_ERR_INPUT, "%s: not a ring of the tracer", path);
    uint32_t version = GET(r, version);
    if (version != DJ_RING_VERSION)
        return dj_fail(
            context, DJ_ERR_INPUT,
            "%s: the tracer has version %u, and this program version %d; install both from the same "
            "release",
            path, version, DJ_RING_VERSION);
    r->frames = GET(r, frames);
    r->frame_words = GET(r, frame_words);
    r->header_bytes = GET(r, header_bytes);
    r->base = get_long(r, offsetof(dj_ring, base));
    r->pid = GET(r, pid);
    r->parent = GET(r, parent);
    if (r->frames < FRAMES_LEAST || r->frames > DJ_RING_FRAMES_MOST || r->frame_words < FRAME_WORDS_LEAST ||
        r->frame_words > DJ_RING_FRAME_WORDS || r->header_bytes < sizeof(dj_ring) || r->header_bytes % 64 ||
        r->header_bytes + (uint64_t)r->frames * r->frame_words * sizeof(uint64_t) > r->file.bytes)
        return dj_fail(context, DJ_ERR_INPUT, "%s: a ring of %u frames of %u words does not fit its file",
                       path, r->frames, r->frame_words);
    return DJ_OK;
}

int dj_ring_open(dj_ring_reader *r, dj_context *context, const char *path)
{
    *r = (dj_ring_reader){.process = -1};
    int err = dj_ring_file_open(&r->file, context, path);
    if (!err)
        err = read_header(r, context, path);
    if (!err) {
        r->path = strdup(path);
        r->frame = malloc(r->frame_words * sizeof *r->frame);
        err = r->path && r->frame ? DJ_OK : dj_fail_memory(context, "a frame", r->frame_words * 8);
    }
    if (err) {
        dj_ring_close(r);
        return err;
    }
    r->process = (int)syscall(SYS_pidfd_open, (pid_t)r->pid, 0);
    if (r->process >= 0)
        fcntl(r->process, F_SETFD, FD_CLOEXEC);
    SET(r, analyzer_pid, (uint32_t)getpid());
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

enum dj_mapped { DJ_MAPPED, DJ_NOT_MAPPED, DJ_MAPPED_UNKNOWN };

// What the mappings in a file of /proc say; unknown if it cannot be read.
static enum dj_mapped look_in(const dj_ring_reader *r, const char *path)
{
    char line[512];
    bool found = false, any = false;
    FILE *maps = fopen(path, "re");
    if (!maps)
        return DJ_MAPPED_UNKNOWN;
    do {
        rewind(maps);
        while (!found && fgets(line, sizeof line, maps)) {
            unsigned long long inode;
            any = true;
            found = sscanf(line, "%*s %*s %*s %*s %llu", &inode) == 1 && inode == r->file.inode;
        }
    } while (!found && ferror(maps) && errno == EINTR);
    bool failed = ferror(maps) != 0;
    fclose(maps);
    return found ? DJ_MAPPED : failed || !any ? DJ_MAPPED_UNKNOWN : DJ_NOT_MAPPED;
}

// A thread that has ended has no mappings, while the others have those of the process.
static enum dj_mapped look_in_threads(const dj_ring_reader *r)
{
    enum dj_mapped mapped = DJ_MAPPED_UNKNOWN;
    char path[512];
    snprintf(path, sizeof path, "/proc/%u/task", r->pid);
    DIR *threads = opendir(path);
    for (const struct dirent *thread; mapped == DJ_MAPPED_UNKNOWN && threads && (thread = readdir(threads));)
        if (thread->d_name[0] != '.') {
            snprintf(path, sizeof path, "/proc/%u/task/%s/maps", r->pid, thread->d_name);
            mapped = look_in(r, path);
        }
    if (threads)
        closedir(threads);
    return mapped;
}

// After a failed exec the process continues in the old ring; a successful one unmaps the ring. `unknown` is
// the answer if the mappings of a process of this user cannot be read.
static bool is_mapped(const dj_ring_reader *r, bool unknown)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/maps", r->pid);
    enum dj_mapped mapped = look_in(r, path);
    if (mapped == DJ_MAPPED_UNKNOWN)
        mapped = look_in_threads(r);
    return mapped == DJ_MAPPED_UNKNOWN ? unknown && kill((pid_t)r->pid, 0) == 0 : mapped == DJ_MAPPED;
}

static uint64_t ahead(const dj_ring_reader *r)
{
    return r->front.published - r->consumed;
}

static void look(dj_ring_reader *r)
{
    r->front = dj_ring_file_front(&r->file);
}

// Copies a frame: the program may change the original at any time.
static void copy_frame(dj_ring_reader *r, uint32_t frame, uint32_t used)
{
    uint64_t offset = r->header_bytes + (uint64_t)frame * r->frame_words * sizeof *r->frame;
    dj_ring_file_read(&r->file, offset, r->frame, used * sizeof *r->frame);
}

static uint32_t frame_of(dj_ring_reader *r, uint64_t number)
{
    return dj_ring_file_get(&r->file,
                            offsetof(dj_ring, order) + number % r->frames * sizeof((dj_ring *)0)->order[0]);
}

static int take_frame(dj_ring_reader *r, dj_context *context, const uint64_t **words, size_t *count)
{
    if (ahead(r) > r->frames)
        return dj_fail(context, DJ_ERR_INPUT, "the tracer claims %llu frames at once in a ring of %u",
                       (unsigned long long)ahead(r), r->frames);
    uint32_t frame = frame_of(r, r->consumed);
    if (frame >= r->frames)
        return dj_fail(context, DJ_ERR_INPUT, "the tracer claims frame %u of a ring of %u", frame, r->frames);
    uint32_t used = dj_ring_file_get(&r->file, offsetof(dj_ring, used) + frame * sizeof used);
    if (used > r->frame_words)
        return dj_fail(context, DJ_ERR_INPUT, "the tracer used %u words of a frame of %u", used,
                       r->frame_words);
    copy_frame(r, frame, used);
    *words = r->frame;
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
        uint64_t cursor = get_long(r, offsetof(dj_ring, writer) + r->rest++ * sizeof(dj_ring_writer) +
                                          offsetof(dj_ring_writer, cursor));
        uint64_t bytes = cursor - r->base, frame = bytes / frame_bytes;
        if (bytes % sizeof(uint64_t) || bytes % frame_bytes == 0 || frame >= r->frames || frame == last)
            continue;
        *count = (size_t)(bytes % frame_bytes / sizeof(uint64_t));
        *words = r->frame;
        copy_frame(r, (uint32_t)frame, (uint32_t)*count);
        r->in_rest = true;
        return true;
    }
    return false;
}

static void wait_for_frame(dj_ring_reader *r, int wait_ms)
{
    dj_ring_file_wait(&r->file, r->consumed, wait_ms);
    look(r);
    if (ahead(r) || r->file.cut)
        return;
    // Was the header overwritten? Otherwise a tracer may wait, after the program has changed the count.
    r->file.cut = r->file.cut || get_long(r, offsetof(dj_ring, magic)) != DJ_RING_MAGIC;
    dj_ring_file_set_consumed(&r->file, r->consumed);
    dj_ring_file_wake(&r->file);
}

// Whether no more frames will come, and in *dead, whether nobody announced that. Reads the state first:
// everything before it has been published.
static bool is_over(dj_ring_reader *r, bool waited, bool *dead)
{
    uint32_t state = r->front.state;
    *dead = false;
    if (state == DJ_RING_ENDED)
        return true;
    bool gone = is_dead(r);
    if (state == DJ_RING_RUNNING) {
        *dead = gone;
        // An image that was not built for tracing may have replaced it without notice.
        return gone || (waited && !is_mapped(r, true));
    }
    return (gone || !is_mapped(r, false)) && state == GET(r, state);
}

static int find(dj_ring_reader *r, dj_context *context, int wait_ms, enum dj_ring_found *found,
                const uint64_t **words, size_t *count)
{
    bool dead = false, over = false;
    if (!ahead(r))
        look(r);
    bool wait = !ahead(r) && wait_ms > 0 && r->front.state != DJ_RING_ENDED;
    *found = DJ_RING_FRAME;
    if (wait)
        wait_for_frame(r, r->front.state == DJ_RING_RUNNING ? wait_ms : 1);
    if (!ahead(r)) {
        over = is_over(r, wait, &dead);
        look(r);
    }
    if (ahead(r))
        return take_frame(r, context, words, count);
    if (!over)
        *found = DJ_RING_NOTHING;
    else if (r->front.state == DJ_RING_ENDED || !take_rest(r, words, count))
        *found = dead ? DJ_RING_DEAD : DJ_RING_OVER;
    return DJ_OK;
}

int dj_ring_next(dj_ring_reader *r, dj_context *context, int wait_ms, enum dj_ring_found *found,
                 const uint64_t **words, size_t *count)
{
    int err = find(r, context, wait_ms, found, words, count);
    bool cut = r->file.cut || (err && get_long(r, offsetof(dj_ring, magic)) != DJ_RING_MAGIC);
    if (!cut)
        return err;
    return dj_fail(
        context, DJ_ERR_INPUT,
        "the file through which process %u is traced was truncated or overwritten; only accesses read "
        "before that are counted",
        r->pid);
}

uint64_t dj_ring_gap_length(dj_ring_reader *r)
{
    return get_long(r, offsetof(dj_ring, gap_length));
}

void dj_ring_release(dj_ring_reader *r)
{
    if (r->in_rest) {
        r->in_rest = false;
        return;
    }
    uint32_t most = r->frames < DJ_RING_AHEAD_MOST ? r->frames : DJ_RING_AHEAD_MOST;
    r->consumed++;
    dj_ring_file_set_consumed(&r->file, r->consumed);
    look(r);
    // A waiting tracer is woken when there is space for a while, not for every frame.
    if (r->front.tracer_waits && ahead(r) <= most / 2)
        dj_ring_file_wake(&r->file);
}

void dj_ring_close(dj_ring_reader *r)
{
    if (r->path) {
        SET(r, detach, 1);
        dj_ring_file_wake(&r->file);
        unlink(r->path);
    }
    dj_ring_file_close(&r->file);
    if (r->process >= 0)
        close(r->process);
    free(r->path);
    free(r->frame);
    *r = (dj_ring_reader){.file.fd = -1, .process = -1};
}
