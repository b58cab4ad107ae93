// SPDX-License-Identifier: MIT
#include "trace/input/growing.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "trace/input/layer.h"

enum {
    BUFFER_BYTES = 2 << 20,  // more than the longest line
    LINE_TOO_LONG = 3 << 19, // its reader reports that
    NAP_MS = 50,             // between looks at a file
};

typedef struct growing {
    int fd;
    bool owned, regular;
    char *path;
    dev_t device;
    ino_t inode;
    unsigned unit;
    bool closed; // the other end of the pipe
    uint64_t taken;
    size_t at, ready, end; // in `buffer`: the next byte, the end of what is complete, the end of all
    uint8_t buffer[BUFFER_BYTES];
} growing;

static int fail_read(const growing *g, dj_context *context, const char *name)
{
    return dj_fail(context, DJ_ERR_IO, "%s: byte %llu: cannot read: %s", name, (unsigned long long)g->taken,
                   strerror(errno));
}

static int fail_stopped(dj_context *context, const char *name)
{
    return dj_fail(context, DJ_ERR_STOPPED, "%s: interrupted", name);
}

// Whether a read would return at once.
static bool has_bytes(const growing *g)
{
    struct pollfd poll_fd = {.fd = g->fd, .events = POLLIN};
    return g->regular || (poll(&poll_fd, 1, 0) > 0 && poll_fd.revents != 0);
}

// Takes what is there, as far as there is room for it.
static int take(growing *g, dj_context *context, const char *name)
{
    memmove(g->buffer, g->buffer + g->at, g->end - g->at);
    g->end -= g->at;
    g->ready -= g->at;
    g->at = 0;
    while (g->end < BUFFER_BYTES && !g->closed && has_bytes(g)) {
        ssize_t n = read(g->fd, g->buffer + g->end, BUFFER_BYTES - g->end);
        if (n < 0 && errno == EINTR && dj_context_stopped(context))
            return fail_stopped(context, name);
        if (n < 0 && errno != EINTR)
            return fail_read(g, context, name);
        if (n == 0 && !g->regular)
            g->closed = true;
        if (n == 0)
            break;
        g->end += n > 0 ? (size_t)n : 0;
        g->taken += n > 0 ? (uint64_t)n : 0;
    }
    return DJ_OK;
}

// Finds how much of it is complete.
static void find_complete(growing *g)
{
    const size_t bytes = g->end - g->at;
    const uint8_t *newline = g->unit == 1 ? memrchr(g->buffer + g->at, '\n', bytes) : NULL;
    if (g->closed || (g->unit == 1 && !newline && bytes > LINE_TOO_LONG))
        g->ready = g->end;
    else if (g->unit == 1)
        g->ready = newline ? (size_t)(newline - g->buffer) + 1 : g->at;
    else
        g->ready = g->at + bytes / g->unit * g->unit;
}

static int growing_fill(void *state, dj_context *context, const char *name, uint8_t *to, size_t capacity,
                        size_t *got)
{
    growing *g = state;
    int err = DJ_OK;
    if (g->ready == g->at) {
        err = take(g, context, name);
        find_complete(g);
    }
    *got = g->ready - g->at < capacity ? g->ready - g->at : capacity;
    memcpy(to, g->buffer + g->at, *got);
    g->at += *got;
    return *got > 0 ? DJ_OK : err;
}

static void growing_progress(const void *state, dj_progress *out)
{
    const growing *g = state;
    out->bytes_read = g->taken;
    out->bytes_total = 0;
}

static void growing_close(void *state)
{
    growing *g = state;
    if (g->owned && g->fd >= 0)
        close(g->fd);
    free(g->path);
    free(g);
}

static const dj_layer_ops growing_ops = {growing_fill, growing_progress, growing_close};

static growing *get_growing(const dj_input *input)
{
    return (growing *)(uintptr_t)dj_input_layer(input, &growing_ops);
}

static int inspect(growing *g, dj_context *context, const char *name)
{
    struct stat st;
    if (fstat(g->fd, &st) != 0)
        return dj_fail(context, DJ_ERR_IO, "%s: cannot read: %s", name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return dj_fail(context, DJ_ERR_INPUT, "%s: is a directory, not a trace; name one file in it", name);
    g->regular = S_ISREG(st.st_mode);
    g->device = st.st_dev;
    g->inode = st.st_ino;
    const off_t at = g->regular ? lseek(g->fd, 0, SEEK_CUR) : 0;
    g->taken = at > 0 ? (uint64_t)at : 0;
    return DJ_OK;
}

int dj_growing_open(dj_context *context, const char *path, dj_input **out)
{
    const bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    growing *g = calloc(1, sizeof *g);
    char *copy = strdup(path);
    if (!g || !copy) {
        free(g);
        free(copy);
        return dj_fail_memory(context, "an input", sizeof *g);
    }
    g->path = copy;
    g->owned = !standard;
    g->unit = 1;
    g->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    int err = g->fd < 0 ? dj_fail_open(context, path, errno) : inspect(g, context, name);
    if (err) {
        growing_close(g);
        return err;
    }
    return dj_input_create(context, name, &growing_ops, g, out);
}

int dj_growing_head(dj_context *context, dj_input *input, dj_span *out, bool *closed)
{
    growing *g = get_growing(input);
    int err = take(g, context, dj_input_name(input));
    *out = (dj_span){g->buffer, g->end};
    *closed = g->closed;
    return err;
}

void dj_growing_set_unit(dj_input *input, unsigned bytes)
{
    get_growing(input)->unit = bytes;
}

// What was read of a file that is no longer there, or no longer has it, is not the beginning of anything
// that will come.
static int check_file(const growing *g, dj_context *context, const char *name)
{
    struct stat opened, named;
    if (!g->regular)
        return DJ_OK;
    if (fstat(g->fd, &opened) != 0)
        return fail_read(g, context, name);
    if ((uint64_t)opened.st_size < g->taken)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s: byte %llu: the file was shortened to %lld bytes while it was followed; follow a "
                       "file that only grows, or pipe it in with 'tail -F -c +1'",
                       name, (unsigned long long)g->taken, (long long)opened.st_size);
    if (!g->owned)
        return DJ_OK;
    if (stat(g->path, &named) != 0)
        return dj_fail(context, DJ_ERR_INPUT, "%s: byte %llu: the file was removed while it was followed: %s",
                       name, (unsigned long long)g->taken, strerror(errno));
    if (named.st_dev != g->device || named.st_ino != g->inode)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s: byte %llu: another file replaced it while it was followed; start again, or pipe "
                       "it in with 'tail -F -c +1'",
                       name, (unsigned long long)g->taken);
    return DJ_OK;
}

// Sleeps until bytes may have come.
static void nap(const growing *g, unsigned ms)
{
    struct pollfd poll_fd = {.fd = g->regular ? -1 : g->fd, .events = POLLIN};
    poll(&poll_fd, 1, (int)ms);
}

int dj_growing_wait(dj_context *context, dj_input *input, unsigned most_ms, bool *closed)
{
    growing *g = get_growing(input);
    const char *name = dj_input_name(input);
    for (unsigned waited = 0;; waited += NAP_MS) {
        const size_t before = g->end - g->at;
        if (dj_context_stopped(context))
            return fail_stopped(context, name);
        int err = take(g, context, name);
        find_complete(g);
        *closed = g->closed && g->ready == g->at;
        if (err || *closed || g->ready > g->at || waited >= most_ms) {
            dj_input_continue(input);
            return err;
        }
        err = check_file(g, context, name);
        if (err)
            return err;
        // A pipe with an incomplete line is readable only when more comes, so this does not spin.
        if (g->end - g->at == before)
            nap(g, NAP_MS);
    }
}
