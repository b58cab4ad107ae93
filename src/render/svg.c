// SPDX-License-Identifier: MIT
// Documents as pictures: the charts or, without any, the text of the document. A picture is self-contained:
// no scripts, no fonts, nothing fetched. It follows the viewer's light or dark theme.
#include "render/svg.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "render/render.h"
#include "render/text.h"

enum { CHARACTER = 8, TEXT_LINE = 17 }; // in the font of tables

void dj_svg_escape(dj_picture *p, const char *text)
{
    const char *piece;
    size_t bytes;
    while ((bytes = dj_plain_next(&text, true, &piece)) > 0)
        if (*piece == '&')
            fputs("&amp;", p->out);
        else if (*piece == '<' || *piece == '>')
            fputs(*piece == '<' ? "&lt;" : "&gt;", p->out);
        else if (*piece == '"')
            fputs("&quot;", p->out);
        else
            fwrite(piece, 1, bytes, p->out);
}

void dj_svg_text(dj_picture *p, double x, double y, const char *class, const char *anchor, const char *text)
{
    fprintf(p->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"", class, x, y);
    if (strcmp(anchor, "start") != 0)
        fprintf(p->out, " text-anchor=\"%s\"", anchor);
    fputs(">", p->out);
    dj_svg_escape(p, text);
    fputs("</text>\n", p->out);
}

void dj_svg_heading(dj_picture *p, const char *title, const char *subtitle)
{
    p->y += DJ_SVG_LINE;
    fprintf(p->out, "<text class=\"t\" x=\"%d\" y=\"%.1f\"><tspan class=\"s\">", DJ_SVG_MARGIN, p->y);
    dj_svg_escape(p, title);
    fputs("</tspan>", p->out);
    if (*subtitle) {
        fputs("<tspan class=\"f\" dx=\"10\">", p->out);
        dj_svg_escape(p, subtitle);
        fputs("</tspan>", p->out);
    }
    fputs("</text>\n", p->out);
    p->y += 8;
}

static bool is_chart(const dj_node *node)
{
    return !node->hidden && !node->detail &&
           (node->kind == DJ_NODE_CHART || node->kind == DJ_NODE_BARS || node->kind == DJ_NODE_HEAT);
}

static const char *fit(dj_picture *p, const char *text, unsigned columns)
{
    return dj_plain_fit(&p->arena, dj_plain(&p->arena, text, true), columns, DJ_FIT_MIDDLE, true);
}

static void put_line(dj_picture *p, const dj_text *text, const char *class, unsigned columns)
{
    dj_text_stream to;
    bool opened = dj_text_stream_open(&to);
    for (size_t i = 0; opened && i < text->part_count; i++)
        fputs(text->parts[i].text, to.file);
    char *all = opened ? dj_text_stream_close(&to, NULL) : NULL;
    p->failed |= !all;
    if (all) {
        p->y += DJ_SVG_LINE;
        dj_svg_text(p, DJ_SVG_MARGIN, p->y, class, "start", fit(p, all, columns));
    }
    free(all);
}

static void put_lines(dj_picture *p, const dj_document *document, enum dj_text_role role, const char *class,
                      unsigned columns)
{
    for (size_t i = 0; i < document->count; i++)
        if (document->nodes[i]->kind == DJ_NODE_TEXT && document->nodes[i]->text.role == role)
            put_line(p, &document->nodes[i]->text, class, columns);
}

static void draw_charts(dj_picture *p, const dj_document *document)
{
    put_lines(p, document, DJ_TEXT_TITLE, "t s", 90);
    put_lines(p, document, DJ_TEXT_ALARM, "t a", 100);
    for (size_t i = 0; i < document->count; i++) {
        const dj_node *node = document->nodes[i];
        if (!is_chart(node))
            continue;
        p->y += 10;
        if (node->kind == DJ_NODE_CHART)
            dj_svg_chart(p, &node->chart);
        else if (node->kind == DJ_NODE_BARS)
            dj_svg_bars(p, &node->bars);
        else
            dj_svg_heat(p, &node->heat);
        dj_arena_free(&p->arena);
    }
    put_lines(p, document, DJ_TEXT_PROVENANCE, "f", 130);
    put_lines(p, document, DJ_TEXT_COMMAND, "f", 130);
}

// As in a terminal, line by line.
static int set_as_text(dj_context *context, dj_picture *p, const dj_document *document,
                       const dj_render_options *options)
{
    const dj_render_options plain = {.width = dj_render_width(options), .unicode = true};
    dj_text_stream to;
    bool opened = dj_text_stream_open(&to);
    int err = opened ? dj_render_text(context, document, &plain, to.file) : DJ_OK;
    char *text = opened ? dj_text_stream_close(&to, NULL) : NULL, *line, *rest;
    if (!text)
        err = dj_fail_memory(context, "a picture", 0);
    for (rest = text; !err && rest && (line = strsep(&rest, "\n"));) {
        p->y += TEXT_LINE;
        if (!*line)
            continue;
        fprintf(p->out, "<text class=\"m\" x=\"%d\" y=\"%.1f\" xml:space=\"preserve\">", DJ_SVG_MARGIN, p->y);
        dj_svg_escape(p, line);
        fputs("</text>\n", p->out);
    }
    free(text);
    return err;
}

static void put_style(FILE *out)
{
    static const char *const light[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                        "#8a6d00", "#56b4e9", "#7a3ea0", "#444444"};
    static const char *const dark[] = {"#6cb8f0", "#ff9a4d", "#4fd6a8", "#f0a6cc",
                                       "#e6d15c", "#9adcff", "#c69cf0", "#cccccc"};
    fputs("<style>\n"
          "text{font:13px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1f2328}\n"
          ".s{font-weight:600}.f{font-size:11px;fill:#59636e}.a{fill:#cf222e;font-weight:600}\n"
          ".m{font:13px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
          ".k{font-size:11px;fill:#8250df}.b{fill:#ffffff}.g{stroke:#d1d9e0;stroke-width:1}\n"
          ".x{stroke:#818b98;stroke-width:1}.c{stroke:#8250df;stroke-width:1;stroke-dasharray:3 3}\n"
          ".l{fill:none;stroke-width:2;stroke-linejoin:round}.d{stroke:none}\n",
          out);
    for (unsigned i = 0; i < DJ_SVG_COLORS; i++)
        fprintf(out, ".l%u{stroke:%s}.d%u{fill:%s}%s", i, light[i], i, light[i], i % 2 ? "\n" : "");
    fputs("@media (prefers-color-scheme:dark){\n"
          "text{fill:#e6edf3}.f{fill:#9198a1}.a{fill:#ff7b72}.k{fill:#d2a8ff}.b{fill:#0d1117}\n"
          ".g{stroke:#30363d}.x{stroke:#768390}.c{stroke:#d2a8ff}\n",
          out);
    for (unsigned i = 0; i < DJ_SVG_COLORS; i++)
        fprintf(out, ".l%u{stroke:%s}.d%u{fill:%s}%s", i, dark[i], i, dark[i], i % 2 ? "\n" : "");
    fputs("}\n</style>\n", out);
}

// The description of the picture for screen readers.
static void put_description(dj_picture *p, const dj_document *document)
{
    for (size_t i = 0; i < document->count; i++) {
        const dj_node *node = document->nodes[i];
        if (node->kind != DJ_NODE_TEXT || node->text.role != DJ_TEXT_TITLE || node->text.part_count == 0)
            continue;
        fputs("<title>", p->out);
        dj_svg_escape(p, node->text.parts[0].text);
        fputs("</title>\n", p->out);
        break;
    }
    if (document->summary) {
        fputs("<desc>", p->out);
        dj_svg_escape(p, document->summary);
        fputs("</desc>\n", p->out);
    }
}

int dj_render_svg(dj_context *context, const dj_document *document, const dj_render_options *options,
                  FILE *out)
{
    size_t bytes = 0;
    bool charts = false;
    dj_text_stream to;
    for (size_t i = 0; i < document->count; i++)
        charts |= is_chart(document->nodes[i]);
    // The height is known after everything is drawn.
    if (!dj_text_stream_open(&to))
        return dj_fail_memory(context, "a picture", 0);
    dj_picture p = {.out = to.file, .y = DJ_SVG_MARGIN / 2.0};
    int err = DJ_OK;
    if (charts)
        draw_charts(&p, document);
    else
        err = set_as_text(context, &p, document, options);
    char *body = dj_text_stream_close(&to, &bytes);
    if (!err && (!body || p.failed || p.arena.failed))
        err = dj_fail_memory(context, "a picture", 0);
    dj_arena_free(&p.arena);
    unsigned text_width = dj_render_width(options) * CHARACTER + 2 * DJ_SVG_MARGIN;
    unsigned width = charts ? DJ_SVG_WIDTH : text_width;
    if (!err) {
        fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%.0f\" "
                "viewBox=\"0 0 %u %.0f\" role=\"img\">\n",
                width, p.y + DJ_SVG_MARGIN, width, p.y + DJ_SVG_MARGIN);
        p.out = out;
        put_description(&p, document);
        put_style(out);
        fputs("<rect class=\"b\" width=\"100%\" height=\"100%\"/>\n", out);
        fwrite(body, 1, bytes, out);
        fputs("</svg>\n", out);
    }
    free(body);
    return err;
}
