// SPDX-License-Identifier: MIT
/// \file
/// Sources of accesses: trace files in many formats, standard input, memory.
#ifndef DEJA_SOURCE_H
#define DEJA_SOURCE_H

#include <deja/batch.h>
#include <deja/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the addresses of a format are. Determines the default block size (64 bytes, 4096 bytes, 1) and
/// whether accesses are split at block boundaries (block I/O) or count only in their first block.
enum dj_class {
    DJ_CLASS_MEMORY,   ///< byte addresses of a program
    DJ_CLASS_BLOCK_IO, ///< byte offsets of a storage volume
    DJ_CLASS_KEYS,     ///< opaque keys
};

/// Reader options. `columns` and `header` are for `csv`.
typedef struct dj_source_options {
    const char *format;  ///< name, or NULL to detect it from content and file name
    const char *columns; ///< as in "time,key,size,op,thread"; "-" skips a column
    bool header;         ///< the first line contains column names
    bool instructions;   ///< keep instruction fetches
    bool clock;          ///< fill the column `clock`, if the format records times
    bool files;          ///< insert a DJ_EVENT_FILE before the first access of each file
    /// At the end of the only file, wait for more until the caller asks to stop; a pipe ends when it is
    /// closed. Meanwhile batches without accesses come several times a second. What is incomplete at the end,
    /// a line or record, is read when the rest has come. Not for compressed data, nor for formats that cannot
    /// be read before they are complete.
    bool follow;
} dj_source_options;

extern DJ_API const dj_option dj_source_option_table[];

typedef struct dj_source_info {
    const char *format; ///< name of the format
    enum dj_class kind;
    uint64_t default_block; ///< block size in bytes unless the user chooses one
    uint64_t unit_bytes;    ///< bytes of one address unit: 1, or 0 if a unit has no size in bytes
    uint32_t columns;       ///< bits of dj_column_bit that its batches may have
    bool default_split;
    bool numbers_devices; ///< devices are numbered in order of appearance, so numbers differ between files
    uint32_t provides;    ///< bits of dj_column_bit available on request or from events: clock, thread, file
    /// The tracer that recorded the accesses of a program, "valgrind" or "native", which determines the order
    /// of its threads. It must outlive the source. NULL: none of these.
    const char *tracer;
} dj_source_info;

typedef struct dj_progress {
    uint64_t bytes_read;  ///< of the files as stored on disk
    uint64_t bytes_total; ///< 0 when unknown (pipe)
} dj_progress;

typedef struct dj_source dj_source;

/// Opens several files as one trace, in the order given; "-" is standard input. gz, zst, xz and zip are
/// decompressed transparently. All files must have the same format.
DJ_API int dj_source_open(dj_context *context, const char *const *paths, size_t count,
                          const dj_source_options *options, dj_source **out);
/// Reads from memory, which must outlive the source. `name` is used in messages.
DJ_API int dj_source_open_memory(dj_context *context, const void *data, size_t bytes, const char *name,
                                 const dj_source_options *options, dj_source **out);

struct dj_sharer; // sharers.h

/// A source implemented by the caller: a table of functions and a state. Used by live tracers and tests.
typedef struct dj_source_ops {
    /// Sets *out to the next batch, with one reference for the caller, or to NULL at the end. The framework
    /// sets `batch->first`.
    int (*next)(void *state, dj_context *context, dj_pool *pool, dj_batch **out);
    void (*progress)(const void *state, dj_progress *out); ///< may be NULL
    void (*close)(void *state);
    const char *(*name)(const void *state);             ///< origin of the last batch; may be NULL
    void (*use_threads)(void *state, unsigned threads); ///< see dj_source_use_threads; may be NULL
    /// See dj_source_sharers; NULL for sources that merge none.
    const struct dj_sharer *(*sharers)(const void *state, size_t *count);
} dj_source_ops;

DJ_API int dj_source_create(dj_context *context, const dj_source_ops *ops, void *state,
                            const dj_source_info *info, dj_source **out);

/// Returns the next batch, or NULL at the end of the trace. After DJ_ERR_INPUT all earlier batches remain
/// valid, and no more follow.
DJ_API int dj_source_next(dj_source *source, dj_context *context, dj_batch **out);
DJ_API const dj_source_info *dj_source_get_info(const dj_source *source);
/// Returns the name of the file that the last batch came from, for messages.
DJ_API const char *dj_source_name(const dj_source *source);
/// Call before the first batch. Allows up to `threads` threads to read in parallel, which helps with
/// uncompressed files of fixed-width keys; other files are read by one. The batches are the same.
DJ_API void dj_source_use_threads(dj_source *source, unsigned threads);
DJ_API void dj_source_progress(const dj_source *source, dj_progress *out);
/// All batches must have been released.
DJ_API void dj_source_close(dj_source *source);

/// Describes one format, for listings.
typedef struct dj_format_info {
    const char *name;
    const char *summary;
    const char *extensions; ///< space-separated, may be ""
    enum dj_class kind;
    bool binary;
} dj_format_info;

DJ_API size_t dj_format_count(void);
DJ_API int dj_format_get(size_t index, dj_format_info *out);

#ifdef __cplusplus
}
#endif
#endif
