// SPDX-License-Identifier: MIT
/// \file
/// Renderers write documents. They alone handle width, colour, ASCII instead of Unicode, the shortening of
/// long text, and the neutralising of hostile text (terminal escapes, bidirectional controls, spreadsheet
/// formulas, markup).
#ifndef DEJA_RENDER_H
#define DEJA_RENDER_H

#include <deja/document.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DJ_WIDTH_LEAST = 60, DJ_WIDTH_MOST = 200, DJ_WIDTH_USUAL = 80 };

typedef struct dj_render_options {
    unsigned width; ///< columns to fill, DJ_WIDTH_LEAST to DJ_WIDTH_MOST; other values are clamped
    bool unicode;   ///< false: ASCII only, in text
    bool color;     ///< with ANSI escapes, in text
} dj_render_options;

typedef struct dj_renderer {
    const char *name;    ///< "text": the value of --export
    const char *summary; ///< one sentence, no final period
    bool all_rows;       ///< also writes hidden rows
    bool details;        ///< also writes detail nodes
    int (*render)(dj_context *context, const dj_document *document, const dj_render_options *options,
                  FILE *out);
} dj_renderer;

DJ_API size_t dj_renderer_count(void);
DJ_API const dj_renderer *dj_renderer_get(size_t index);      ///< NULL past the end; the first is text
DJ_API const dj_renderer *dj_renderer_find(const char *name); ///< NULL: none

/// Writes the document. Write errors remain in the stream (ferror).
DJ_API int dj_render(dj_context *context, const dj_renderer *renderer, const dj_document *document,
                     const dj_render_options *options, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
