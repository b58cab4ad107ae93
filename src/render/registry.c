// SPDX-License-Identifier: MIT
// The registry of renderers, one line each.
#include <string.h>

#include "render/render.h"

static const dj_renderer renderers[] = {
    {"text", "for terminals", false, false, dj_render_text},
    {"csv", "numbers, for spreadsheets and scripts", true, false, dj_render_csv},
    {"markdown", "for pull requests and notes", false, true, dj_render_markdown},
    {"svg", "a picture of the charts, or of the tables if there are none", false, false, dj_render_svg},
};

enum { COUNT = sizeof renderers / sizeof *renderers };

size_t dj_renderer_count(void)
{
    return COUNT;
}

const dj_renderer *dj_renderer_get(size_t index)
{
    return index < COUNT ? &renderers[index] : NULL;
}

const dj_renderer *dj_renderer_find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(renderers[i].name, name) == 0)
            return &renderers[i];
    return NULL;
}

int dj_render(dj_context *context, const dj_renderer *renderer, const dj_document *document,
              const dj_render_options *options, FILE *out)
{
    static const dj_render_options usual = {.width = DJ_WIDTH_USUAL, .unicode = true};
    return renderer->render(context, document, options ? options : &usual, out);
}
