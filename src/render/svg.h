// SPDX-License-Identifier: MIT
// Parts of the svg renderer.
#ifndef DEJA_RENDER_SVG_H
#define DEJA_RENDER_SVG_H

#include <deja/render.h>

#include "render/plain.h"

enum { DJ_SVG_WIDTH = 840, DJ_SVG_MARGIN = 20, DJ_SVG_LINE = 18, DJ_SVG_COLORS = 8 };

typedef struct dj_picture {
    FILE *out;
    dj_arena arena;
    double y;    // where the next node begins
    bool failed; // out of memory, as `arena` may be
} dj_picture;

// A text, escaped, at (x, y): class as in "t", anchor "start", "middle" or "end".
void dj_svg_text(dj_picture *picture, double x, double y, const char *class, const char *anchor,
                 const char *text);
void dj_svg_escape(dj_picture *picture, const char *text);
// A title followed by a description.
void dj_svg_heading(dj_picture *picture, const char *title, const char *subtitle);

// Each advances y to below itself.
void dj_svg_chart(dj_picture *picture, const dj_chart *chart);
void dj_svg_bars(dj_picture *picture, const dj_bars *bars);
void dj_svg_heat(dj_picture *picture, const dj_heat *heat);

#endif
