// SPDX-License-Identifier: MIT
// The bottom layer over a file or standard input.
#include "trace/input/layer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

typedef struct file {
    int fd;
    bool owned;
    bool seekable;
    uint64_t read, total;
} file;

// At the end of a file. What is left of one that was shortened since it was opened looks like a smaller
// trace.
static int check_end(const file *f, dj_context *context, const char *name, uint64_t at)
{
    if (!f->seekable || at >= f->total)
        return DJ_OK;
    return dj_fail(
        context, DJ_ERR_INPUT,
        "%s: byte %llu: the file ends here, but had %llu bytes when it was opened; do not change it "
        "while it is read",
        name, (unsigned long long)at, (unsigned long long)f->total);
}

static int file_fill(void *state, dj_context *context, const char *name, uint8_t *to, size_t capacity,
                     size_t *got)
{
    file *f = state;
    for (;;) {
        ssize_t n = read(f->fd, to, capacity);
        if (n >= 0) {
            *got = (size_t)n;
            f->read += (uint64_t)n;
            return n == 0 ? check_end(f, context, name, (uint64_t)lseek(f->fd, 0, SEEK_CUR)) : DJ_OK;
        }
        if (errno != EINTR)
            return dj_fail(context, DJ_ERR_IO, "%s: byte %llu: cannot read: %s", name,
                           (unsigned long long)f->read, strerror(errno));
        if (dj_context_stopped(context))
            return dj_fail(context, DJ_ERR_STOPPED, "%s: stopped while reading", name);
    }
}

static void file_progress(const void *state, dj_progress *out)
{
    const file *f = state;
    out->bytes_read = f->read;
    out->bytes_total = f->total;
}

static void file_close(void *state)
{
    file *f = state;
    if (f->owned)
        close(f->fd);
    free(f);
}

static const dj_layer_ops file_ops = {file_fill, file_progress, file_close};

// Does not use the file position, which belongs to another input.
static int shared_fill(void *state, dj_context *context, const char *name, uint8_t *to, size_t capacity,
                       size_t *got)
{
    file *f = state;
    ssize_t n;
    do
        n = pread(f->fd, to, capacity, (off_t)f->read);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return dj_fail(context, DJ_ERR_IO, "%s: byte %llu: cannot read: %s", name,
                       (unsigned long long)f->read, strerror(errno));
    *got = (size_t)n;
    f->read += (uint64_t)n;
    return n == 0 ? check_end(f, context, name, f->read) : DJ_OK;
}

static const dj_layer_ops shared_ops = {shared_fill, file_progress, file_close};

static int file_inspect(dj_context *context, file *f, const char *name)
{
    struct stat st;
    if (fstat(f->fd, &st) != 0)
        return dj_fail(context, DJ_ERR_IO, "%s: cannot read: %s", name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return dj_fail(context, DJ_ERR_INPUT, "%s: is a directory, not a trace; name the files in it", name);
    f->seekable = S_ISREG(st.st_mode);
    f->total = f->seekable ? (uint64_t)st.st_size : 0;
    if (f->seekable)
        posix_fadvise(f->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return DJ_OK;
}

int dj_input_open_file(dj_context *context, const char *path, dj_input **out)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    file *f = calloc(1, sizeof *f);
    if (!f)
        return dj_fail_memory(context, "a file", 0);
    f->owned = !standard;
    f->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0) {
        int error = errno;
        free(f);
        return dj_fail_open(context, path, error);
    }
    int err = file_inspect(context, f, name);
    if (err) {
        file_close(f);
        return err;
    }
    return dj_input_create(context, name, &file_ops, f, out);
}

bool dj_input_is_plain(const dj_input *input)
{
    const file *f = dj_input_layer(input, &file_ops);
    return f && f->seekable && f->owned;
}

int dj_input_share(dj_context *context, const dj_input *input, dj_input **out)
{
    const file *whole = dj_input_layer(input, &file_ops);
    file *f = calloc(1, sizeof *f);
    if (!f)
        return dj_fail_memory(context, "a file", 0);
    *f = *whole;
    f->owned = false;
    return dj_input_create(context, dj_input_name(input), &shared_ops, f, out);
}

void dj_input_seek(dj_input *input, uint64_t offset)
{
    file *f = (file *)(uintptr_t)dj_input_layer(input, &shared_ops);
    f->read = offset;
    dj_input_restart(input, offset);
}

int dj_input_file_descriptor(const dj_input *input)
{
    const file *f = dj_input_layer(input, &file_ops);
    return f && f->seekable ? f->fd : -1;
}
