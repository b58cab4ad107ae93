// SPDX-License-Identifier: MIT
// zip: the members in stored order. An archive is read from the directory at its end, so it must be a file or
// in memory.
#include "trace/input/layer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>
#include <zlib.h>

typedef struct zip {
    dj_input *below;
    zip_t *archive;
    zip_int64_t count, next; // members
    zip_file_t *member;      // the open one
    uint64_t stored;         // compressed bytes of the members opened so far
} zip;

static void zip_layer_close(void *state)
{
    zip *z = state;
    if (z->member)
        zip_fclose(z->member);
    if (z->archive)
        zip_discard(z->archive);
    dj_input_close(z->below);
    free(z);
}

static void zip_layer_progress(const void *state, dj_progress *out)
{
    const zip *z = state;
    dj_input_progress(z->below, out);
    out->bytes_read = z->stored < out->bytes_total ? z->stored : out->bytes_total;
}

static int zip_fail(const zip *z, dj_context *context, zip_error_t *error)
{
    int code = zip_error_code_zip(error);
    // Some of its functions call an archive damaged for which there was no memory.
    bool memory = code == ZIP_ER_MEMORY || errno == ENOMEM ||
                  (code == ZIP_ER_ZLIB && zip_error_code_system(error) == Z_MEM_ERROR);
    if (memory)
        return dj_fail_memory(context, "zip decompression", 0);
    enum dj_err err = code == ZIP_ER_READ || code == ZIP_ER_OPEN ? DJ_ERR_IO : DJ_ERR_INPUT;
    return dj_fail(context, err, "%s: zip archive, member %lld: %s", dj_input_name(z->below),
                   (long long)z->next, zip_error_strerror(error));
}

static int open_member(zip *z, dj_context *context)
{
    zip_stat_t st;
    zip_uint64_t index = (zip_uint64_t)z->next;
    errno = 0;
    z->member = zip_fopen_index(z->archive, index, 0);
    z->next++;
    if (!z->member)
        return zip_fail(z, context, zip_get_error(z->archive));
    if (zip_stat_index(z->archive, index, 0, &st) == 0 && st.valid & ZIP_STAT_COMP_SIZE)
        z->stored += st.comp_size;
    return DJ_OK;
}

static int zip_layer_fill(void *state, dj_context *context, const char *name, uint8_t *to, size_t capacity,
                          size_t *got)
{
    (void)name;
    zip *z = state;
    while (z->member || z->next < z->count) {
        if (!z->member) {
            int err = open_member(z, context);
            if (err)
                return err;
        }
        errno = 0;
        zip_int64_t n = zip_fread(z->member, to, capacity);
        if (n < 0)
            return zip_fail(z, context, zip_file_get_error(z->member));
        if (n > 0) {
            *got = (size_t)n;
            return DJ_OK;
        }
        zip_fclose(z->member);
        z->member = NULL;
    }
    return DJ_OK;
}

static const dj_layer_ops zip_ops = {zip_layer_fill, zip_layer_progress, zip_layer_close};

static zip_t *open_descriptor(int fd, zip_error_t *error)
{
    int copy = dup(fd);
    int code = 0;
    zip_t *archive = copy < 0 ? NULL : zip_fdopen(copy, 0, &code);
    if (!archive) {
        zip_error_set(error, copy < 0 ? ZIP_ER_OPEN : code, errno);
        if (copy >= 0)
            close(copy);
    }
    return archive;
}

static zip_t *open_memory(dj_span memory, zip_error_t *error)
{
    zip_source_t *source = zip_source_buffer_create(memory.data, memory.bytes, 0, error);
    zip_t *archive = source ? zip_open_from_source(source, ZIP_RDONLY, error) : NULL;
    if (!archive)
        zip_source_free(source);
    return archive;
}

int dj_input_open_zip(dj_context *context, dj_input *below, dj_input **out)
{
    zip_error_t error;
    zip_error_init(&error);
    dj_span memory;
    int err = DJ_OK;
    int fd = dj_input_file_descriptor(below);
    zip *z = calloc(1, sizeof *z);
    if (!z) {
        err = dj_fail_memory(context, "zip decompression", 0);
        goto fail;
    }
    z->below = below;
    errno = 0;
    if (dj_input_memory(below, &memory)) {
        z->archive = open_memory(memory, &error);
    } else if (fd >= 0) {
        z->archive = open_descriptor(fd, &error);
    } else {
        err =
            dj_fail(context, DJ_ERR_INPUT, "%s: a zip archive cannot be read from a pipe; give it as a file",
                    dj_input_name(below));
        goto fail;
    }
    if (!z->archive) {
        err = zip_fail(z, context, &error);
        goto fail;
    }
    z->count = zip_get_num_entries(z->archive, 0);
    zip_error_fini(&error);
    return dj_input_create(context, dj_input_name(below), &zip_ops, z, out);

fail:
    zip_error_fini(&error);
    free(z);
    dj_input_close(below);
    return err;
}
