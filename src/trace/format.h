// SPDX-License-Identifier: MIT
// What a trace format implements: a table of functions over a byte stream. Files and decompression are hidden
// below the stream.
#ifndef DEJA_TRACE_FORMAT_H
#define DEJA_TRACE_FORMAT_H

#include <deja/source.h>

typedef struct dj_input dj_input; // input.h

// The first bytes of a trace (after decompression) and its name without .gz, .zst and .xz, for detecting the
// format.
typedef struct dj_head {
    const uint8_t *data;
    size_t bytes;
    bool whole; // the trace contains nothing else
    const char *path;
} dj_head;

enum { DJ_GROWS_BY_LINES = 1 };

typedef struct dj_format {
    dj_format_info info;
    uint64_t default_block;
    uint64_t unit_bytes;
    uint32_t columns; // bits of dj_column_bit that `read` may fill
    bool default_split;
    bool numbers_devices; // in order of appearance
    uint32_t provides;    // see dj_source_info
    // For formats of fixed-width keys and nothing else: the width of a key. Their `read` fills a complete
    // batch whenever the input has enough keys, and keeps no state. 0: any other format.
    unsigned record_bytes;
    // How a trace grows (dj_source_options.follow): by records of this width, or by lines. 0: its end is not
    // known until it is complete, so it cannot be followed.
    unsigned grows_by;

    // How certain it is that the head has this format: 0 (it has not) to 100 (a magic number). Text formats
    // whose lines parse but could be something else return about 50; the registry adds the weight of the file
    // name's extension. DJ_ERR_MEMORY if memory runs out.
    int (*probe)(const dj_head *head);
    int (*open)(dj_context *context, dj_input *input, const dj_source_options *options, void **state);
    // May be NULL. Adjusts what depends on the options or the first line (csv): called once, after open, with
    // *info filled from this table.
    void (*describe)(const void *state, dj_source_info *info);
    // May be NULL. The trace continues in another file, `input`, at its start: ids of devices and sites
    // remain valid. NULL: close and open.
    int (*resume)(void *state, dj_context *context, dj_input *input);
    // Appends accesses and events to an empty batch until it is full or the input ends (count 0 and no
    // events: the end). On DJ_ERR_INPUT the batch contains everything before the error.
    int (*read)(void *state, dj_context *context, dj_input *input, dj_batch *batch);
    void (*close)(void *state);
} dj_format;

#endif
