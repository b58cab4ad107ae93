// SPDX-License-Identifier: MIT
// The renderers, one file each.
#ifndef DEJA_RENDER_RENDER_H
#define DEJA_RENDER_RENDER_H

#include <deja/render.h>

typedef int dj_render_function(dj_context *context, const dj_document *document,
                               const dj_render_options *options, FILE *out);

dj_render_function dj_render_text, dj_render_csv, dj_render_markdown, dj_render_svg;

static inline unsigned dj_render_width(const dj_render_options *options)
{
    if (options->width < DJ_WIDTH_LEAST)
        return DJ_WIDTH_LEAST;
    return options->width > DJ_WIDTH_MOST ? DJ_WIDTH_MOST : options->width;
}

#endif
