// SPDX-License-Identifier: MIT
// One decompressor (FUZZ_DECODER) on arbitrary bytes, read in steps of odd sizes: from memory, from a
// file, and from a pipe.
#include "fuzz/check.h"

#include <sys/mman.h>
#include <unistd.h>

#include "trace/input/layer.h"

enum { BYTES_MOST = 8 << 20 };

// Reads to the end, and closes.
static void read_all(dj_context *context, dj_input *input, int err, const char *name)
{
    uint64_t total = 0;
    bool more = true;
    while (!err && more && total < BYTES_MOST) {
        uint8_t some[4099];
        dj_span span;
        size_t got = 0;
        err = dj_input_peek(context, input, 1 + total % 777, &span);
        if (!err)
            err = dj_input_read(context, input, some, sizeof some, &got);
        CHECK(got <= sizeof some);
        total += got;
        CHECK(dj_input_offset(input) == total);
        more = got > 0;
        dj_progress progress = {0};
        dj_input_progress(input, &progress);
        CHECK(progress.bytes_total == 0 || progress.bytes_read <= progress.bytes_total); // unknown of a pipe
    }
    CHECK(err == DJ_OK || err == DJ_ERR_INPUT);
    CHECK(err == DJ_OK || strncmp(dj_context_message(context), name, strlen(name)) == 0);
    dj_input_close(input);
}

// A path that leads to no file.
static void refuse(dj_context *context, const char *path)
{
    dj_input *input = NULL;
    CHECK(dj_input_open(context, path, &input) == DJ_ERR_INPUT);
    CHECK(strncmp(dj_context_message(context), path, strlen(path)) == 0);
}

static void read_file(dj_context *context, const uint8_t *data, size_t bytes)
{
    refuse(context, "/proc/self/fd");
    refuse(context, "/proc/self/none");
    char path[64];
    dj_input *input = NULL;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int err = dj_input_open(context, path, &input);
    if (!err && dj_input_is_plain(input)) {
        dj_input *shared = NULL;
        CHECK(dj_input_share(context, input, &shared) == DJ_OK);
        dj_input_seek(shared, 0);
        read_all(context, shared, DJ_OK, path);
    }
    read_all(context, input, err, path);
    close(fd);
}

// As much as a pipe holds when nobody reads it yet.
static void read_pipe(dj_context *context, const uint8_t *data, size_t bytes)
{
    char path[64];
    int ends[2];
    dj_input *input = NULL;
    if (bytes > 65536)
        return;
    CHECK(pipe(ends) == 0 && write(ends[1], data, bytes) == (ssize_t)bytes && close(ends[1]) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    int err = dj_input_open(context, path, &input);
    close(ends[0]);
    read_all(context, input, err, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    dj_context *context = NULL;
    dj_input *below = NULL, *input = NULL;
    CHECK(dj_context_create(&context) == DJ_OK);
    int err = dj_input_open_memory(context, data, bytes, "fuzz", &below);
    if (!err && dj_input_stable(below))
        err = FUZZ_DECODER(context, below, &input);
    else
        input = below; // the magic number is right, so this is already the decoder
    read_all(context, input, err, "fuzz: ");
    read_file(context, data, bytes);
    read_pipe(context, data, bytes);
    dj_context_destroy(context);
    return 0;
}
