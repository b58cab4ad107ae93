// SPDX-License-Identifier: MIT
/// \file
/// Sinks write accesses, either as Deja's own stream or in a simple format that other programs read.
#ifndef DEJA_SINK_H
#define DEJA_SINK_H

#include <deja/source.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_sink_info {
    const char *name; ///< of the trace format that it writes
    const char *summary;
    const char *extensions; ///< space-separated, with dots
    uint32_t columns;       ///< bits of dj_column_bit that it writes
    bool keeps_events;
} dj_sink_info;

DJ_API size_t dj_sink_count(void);
DJ_API const dj_sink_info *dj_sink_get(size_t index);
/// By name, and by the extension of a path; NULL if there is none.
DJ_API const dj_sink_info *dj_sink_find(const char *name);
DJ_API const dj_sink_info *dj_sink_find_path(const char *path);

/// Where the bytes go. Sinks write few, large chunks. Format `deja` writes one frame per call; flushing each
/// keeps the file readable while it grows.
typedef struct dj_sink_output {
    int (*write)(void *user, dj_context *context, const void *data, size_t bytes);
    void *user;
} dj_sink_output;

/// Writes to an open file and flushes after each chunk. A full disk or a closed pipe is DJ_ERR_IO. The caller
/// keeps ownership of the file.
DJ_API dj_sink_output dj_sink_output_file(FILE *file);

typedef struct dj_sink_options {
    /// Write even what the format cannot represent: truncate keys to 32 bits, drop devices. Otherwise the
    /// first such access is an error.
    bool lossy;
    int level;              ///< deja: zstd level; 0: the default
    const char *origin;     ///< deja: name of the original trace format; NULL: that of `info`
    const char *provenance; ///< deja: one line of free text; NULL: none
} dj_sink_options;

typedef struct dj_sink_stats {
    uint64_t accesses;
    uint64_t events;
    uint64_t bytes;           ///< written so far
    uint32_t dropped_columns; ///< bits of dj_column_bit that were present but not written
    uint64_t dropped_events;
} dj_sink_stats;

typedef struct dj_sink dj_sink;

/// `info` describes the source of the accesses; `options` may be NULL. Both are copied.
DJ_API int dj_sink_create(dj_context *context, const char *format, const dj_sink_output *output,
                          const dj_source_info *info, const dj_sink_options *options, dj_sink **out);
/// Writes the accesses and events of a batch, in order. After an error, only destroy may be called.
DJ_API int dj_sink_write(dj_sink *sink, dj_context *context, const dj_batch *batch);
/// Writes the rest of a source. `on_progress` may be NULL. After bad input or a request to stop
/// (DJ_ERR_INPUT, DJ_ERR_STOPPED) everything before it has been written, and dj_sink_finish still completes
/// the trace.
DJ_API int dj_sink_copy(dj_sink *sink, dj_context *context, dj_source *source,
                        void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses),
                        void *user);
/// Writes buffered data and the end of the stream.
DJ_API int dj_sink_finish(dj_sink *sink, dj_context *context);
/// Writes buffered data only, for a trace whose end is missing: readers of format `deja` call it cut short.
DJ_API int dj_sink_leave(dj_sink *sink, dj_context *context);
DJ_API void dj_sink_destroy(dj_sink *sink);
DJ_API void dj_sink_get_stats(const dj_sink *sink, dj_sink_stats *out);

#ifdef __cplusplus
}
#endif
#endif
