// SPDX-License-Identifier: MIT
// Compressed copies of bytes, for tests.
#ifndef TESTS_UNIT_COMPRESS_H
#define TESTS_UNIT_COMPRESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lzma.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

typedef struct blob {
    uint8_t *data;
    size_t bytes;
    size_t capacity;
} blob;

static void blob_append(blob *to, const void *data, size_t bytes)
{
    if (to->bytes + bytes + 1 > to->capacity) {
        to->capacity =
            2 * (to->bytes + bytes + 1); // growing byte by byte would be quadratic under a sanitizer
        to->data = realloc(to->data, to->capacity);
        assert_non_null(to->data);
    }
    if (bytes)
        memcpy(to->data + to->bytes, data, bytes);
    to->bytes += bytes;
}

static inline void add_gzip(blob *to, const void *data, size_t bytes)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t capacity = deflateBound(&z, bytes);
    uint8_t *out = malloc(capacity);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)bytes;
    z.next_out = out;
    z.avail_out = (uInt)capacity;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    blob_append(to, out, z.total_out);
    deflateEnd(&z);
    free(out);
}

static inline void add_zstd(blob *to, const void *data, size_t bytes)
{
    size_t capacity = ZSTD_compressBound(bytes);
    uint8_t *out = malloc(capacity);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t used = ZSTD_compress2(context, out, capacity, data, bytes);
    assert_false(ZSTD_isError(used));
    blob_append(to, out, used);
    ZSTD_freeCCtx(context);
    free(out);
}

static inline void add_xz(blob *to, const void *data, size_t bytes)
{
    size_t capacity = lzma_stream_buffer_bound(bytes);
    size_t used = 0;
    uint8_t *out = malloc(capacity);
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, data, bytes, out, &used, capacity),
                     LZMA_OK);
    blob_append(to, out, used);
    free(out);
}

// An archive of `count` members that contain equal parts of the data.
static inline void add_zip(blob *to, const void *data, size_t bytes, size_t count)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *buffer = zip_source_buffer_create(NULL, 0, 0, &error);
    zip_t *archive = zip_open_from_source(buffer, ZIP_TRUNCATE, &error);
    assert_non_null(archive);
    zip_source_keep(buffer);
    for (size_t i = 0; i < count; i++) {
        size_t from = bytes * i / count, end = bytes * (i + 1) / count;
        char name[] = {'c', (char)('0' + (int)i), 0};
        zip_source_t *part = zip_source_buffer(archive, (const uint8_t *)data + from, end - from, 0);
        assert_true(zip_file_add(archive, name, part, 0) >= 0);
    }
    assert_int_equal(zip_close(archive), 0);
    zip_stat_t st;
    assert_int_equal(zip_source_stat(buffer, &st), 0);
    uint8_t *out = malloc(st.size);
    assert_int_equal(zip_source_open(buffer), 0);
    assert_int_equal(zip_source_read(buffer, out, st.size), st.size);
    zip_source_close(buffer);
    zip_source_free(buffer);
    blob_append(to, out, st.size);
    free(out);
}

#endif
