// SPDX-License-Identifier: MIT
#include "trace/sharers/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/text.h"
#include "base/unnamed.h"
#include "trace/stream/read.h"
#include "trace/stream/write.h"

enum {
    LEVEL = -10,         // of compression: it must be faster than reading the trace again
    MANY_THREADS = 64,   // with more of them,
    FEW_ACCESSES = 2048, // each keeps only so many accesses in memory
};

typedef struct frame_place {
    uint64_t offset;
    uint32_t bytes;
} frame_place;

typedef struct stored {
    dj_batch *batch; // accesses not yet written; NULL: none
    uint32_t columns;
    frame_place *frames;
    size_t count, capacity;
    uint64_t accesses;
} stored;

struct dj_store {
    unsigned references;
    char *name;
    int fd;
    uint64_t end; // bytes of the file
    dj_pool *pool;
    stored *threads;
    size_t count, capacity;
    dj_frame_writer *writer;
    dj_access_writer accesses;
    // A frame is decoded entirely into one batch, so the sources share these.
    dj_frame frame;
    dj_access_reader reader;
    uint8_t *bytes;
    size_t byte_capacity;
};

int dj_store_create(dj_context *context, const char *name, dj_store **out)
{
    dj_store *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the threads of a trace", sizeof *s);
    s->references = 1;
    s->fd = dj_unnamed_file();
    int err = s->fd < 0 ? dj_fail(context, DJ_ERR_IO,
                                  "cannot create a temporary file for the threads of %s: %s; name a writable "
                                  "folder in TMPDIR",
                                  name, strerror(errno))
                        : dj_copy_text(context, name, &s->name);
    if (!err)
        err = dj_pool_create(context, &s->pool);
    if (!err)
        err = dj_frame_writer_create(context, LEVEL, &s->writer);
    if (!err)
        err = dj_access_writer_create(context, &s->accesses);
    if (err)
        dj_store_release(s);
    else
        *out = s;
    return err;
}

dj_store *dj_store_retain(dj_store *s)
{
    s->references++;
    return s;
}

uint64_t dj_store_accesses(const dj_store *s, uint32_t thread)
{
    return s->threads[thread].accesses;
}

void dj_store_release(dj_store *s)
{
    if (!s || --s->references > 0)
        return;
    for (size_t i = 0; i < s->count; i++) {
        dj_batch_release(s->threads[i].batch);
        free(s->threads[i].frames);
    }
    if (s->fd >= 0)
        close(s->fd);
    dj_frame_writer_destroy(s->writer);
    dj_access_writer_free(&s->accesses);
    dj_access_reader_free(&s->reader);
    dj_frame_free(&s->frame);
    dj_pool_destroy(s->pool);
    free(s->threads);
    free(s->bytes);
    free(s->name);
    free(s);
}

int dj_store_append(dj_store *s, dj_context *context, const uint8_t *data, size_t bytes, uint64_t *offset)
{
    if (!dj_write_all(s->fd, data, bytes))
        return dj_fail(context, DJ_ERR_IO,
                       "cannot write the threads of %s to a temporary file after %llu MB: %s; name a folder "
                       "with more space in TMPDIR",
                       s->name, (unsigned long long)(s->end / 1000000), strerror(errno));
    *offset = s->end;
    s->end += bytes;
    return DJ_OK;
}

int dj_store_load(dj_store *s, dj_context *context, uint64_t offset, uint8_t *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(s->fd, data + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return dj_fail(context, DJ_ERR_IO, "cannot read the threads of %s from a temporary file: %s",
                           s->name, got < 0 ? strerror(errno) : "it is too short");
        done += (size_t)got;
    }
    return DJ_OK;
}

static int append_frame(dj_store *s, dj_context *context, stored *t, const uint8_t *data, size_t bytes)
{
    uint64_t offset;
    int err =
        dj_grow(context, "the threads of a trace", &t->frames, &t->capacity, t->count + 1, sizeof *t->frames);
    if (!err)
        err = dj_store_append(s, context, data, bytes, &offset);
    if (!err)
        t->frames[t->count++] = (frame_place){offset, (uint32_t)bytes};
    return err;
}

// Writes the accesses of a thread that are in memory.
static int flush(dj_store *s, dj_context *context, stored *t)
{
    int err = DJ_OK;
    dj_batch *batch = t->batch;
    if (!batch)
        return DJ_OK;
    dj_batch_set_columns(batch, t->columns);
    for (uint32_t from = 0; !err && from < batch->count;) {
        const uint8_t *data;
        size_t bytes;
        dj_frame_header header = {.type = DJ_FRAME_ACCESSES, .first = t->accesses};
        dj_access_writer_begin(&s->accesses, batch);
        uint32_t to = dj_access_writer_add(&s->accesses, batch, from, batch->count);
        dj_frame_begin(s->writer);
        err = dj_access_writer_end(context, &s->accesses, s->writer, &header);
        if (err)
            break;
        dj_frame_end(s->writer, &header, &data, &bytes);
        err = append_frame(s, context, t, data, bytes);
        t->accesses += to - from;
        from = to;
    }
    dj_batch_release(batch);
    t->batch = NULL;
    return err;
}

// Copies a range of every column.
static void copy_range(dj_batch *to, const dj_columns *from, uint32_t columns, uint32_t at, uint32_t count)
{
    dj_batch_buffers b = dj_batch_writable(to);
    uint32_t n = to->count;
    memcpy(b.address + n, from->address + at, count * sizeof *b.address);
    if (columns & DJ_COLUMN_SIZE)
        memcpy(b.size + n, from->size + at, count * sizeof *b.size);
    if (columns & DJ_COLUMN_DEVICE)
        memcpy(b.device + n, from->device + at, count * sizeof *b.device);
    if (columns & DJ_COLUMN_SITE)
        memcpy(b.site + n, from->site + at, count * sizeof *b.site);
    if (columns & DJ_COLUMN_PLACE)
        memcpy(b.place + n, from->place + at, count * sizeof *b.place);
    if (columns & DJ_COLUMN_KIND)
        memcpy(b.kind + n, from->kind + at, count);
    to->count += count;
}

int dj_store_add(dj_store *s, dj_context *context, uint32_t thread, const dj_batch *batch, uint32_t from,
                 uint32_t to)
{
    uint32_t columns = dj_batch_columns(batch) & DJ_STORE_COLUMNS;
    int err =
        dj_grow(context, "the threads of a trace", &s->threads, &s->capacity, thread + 1, sizeof *s->threads);
    if (err)
        return err;
    if (s->count <= thread)
        s->count = thread + 1;
    stored *t = &s->threads[thread];
    uint32_t full = s->count > MANY_THREADS ? (uint32_t)FEW_ACCESSES : (uint32_t)DJ_BATCH_CAPACITY;
    while (!err && from < to) {
        if (t->batch && (t->batch->count >= full || t->columns != columns))
            err = flush(s, context, t);
        if (!err && !t->batch)
            err = dj_pool_take(context, s->pool, &t->batch);
        if (err)
            break;
        t->columns = columns;
        uint32_t room = full - t->batch->count, count = to - from < room ? to - from : room;
        copy_range(t->batch, &batch->column, columns, from, count);
        from += count;
    }
    return err;
}

int dj_store_finish(dj_store *s, dj_context *context)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < s->count; i++)
        err = flush(s, context, &s->threads[i]);
    return err;
}

// One thread, as a source.
typedef struct stored_reader {
    dj_store *store;
    const stored *thread;
    size_t next;   // frame
    uint64_t read; // accesses
} stored_reader;

static int read_bytes(dj_store *s, dj_context *context, const frame_place *place)
{
    int err = dj_grow(context, "a frame", &s->bytes, &s->byte_capacity, place->bytes, 1);
    return err ? err : dj_store_load(s, context, place->offset, s->bytes, place->bytes);
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    stored_reader *r = state;
    dj_store *s = r->store;
    dj_frame_header header;
    *out = NULL;
    if (r->next == r->thread->count)
        return DJ_OK;
    int err = read_bytes(s, context, &r->thread->frames[r->next++]);
    if (!err)
        err = dj_frame_header_unpack(context, s->bytes, &header);
    if (!err)
        err = dj_frame_load(context, &s->frame, &header, s->bytes + DJ_FRAME_HEADER_BYTES);
    if (!err)
        err = dj_access_reader_begin(context, &s->reader, &s->frame);
    if (!err)
        err = dj_pool_take(context, pool, out);
    if (!err)
        err = dj_access_reader_read(context, &s->reader, *out, s->reader.left);
    if (err) {
        dj_batch_release(*out);
        *out = NULL;
        return err;
    }
    r->read += (*out)->count;
    return DJ_OK;
}

// Counts accesses instead of bytes: only the ratio matters.
static void progress(const void *state, dj_progress *out)
{
    const stored_reader *r = state;
    *out = (dj_progress){.bytes_read = r->read, .bytes_total = r->thread->accesses};
}

static const char *name(const void *state)
{
    return ((const stored_reader *)state)->store->name;
}

static void close_reader(void *state)
{
    stored_reader *r = state;
    dj_store_release(r->store);
    free(r);
}

int dj_store_open(dj_store *s, dj_context *context, uint32_t thread, const dj_source_info *info,
                  dj_source **out)
{
    static const dj_source_ops ops = {
        .next = next, .progress = progress, .close = close_reader, .name = name};
    stored_reader *r = calloc(1, sizeof *r);
    if (!r)
        return dj_fail_memory(context, "the threads of a trace", sizeof *r);
    *r = (stored_reader){.store = s, .thread = &s->threads[thread]};
    int err = dj_source_create(context, &ops, r, info, out);
    if (err)
        free(r);
    else
        dj_store_retain(s);
    return err;
}
