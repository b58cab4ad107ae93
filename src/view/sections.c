// SPDX-License-Identifier: MIT
#include "view/sections.h"

#include <stdlib.h>

#include "profile/columns_file.h"
#include "view/base64.h"

int dj_view_begin(dj_view_sections *s, dj_context *context, FILE *out)
{
    *s = (dj_view_sections){.context = context, .out = out};
    if (!dj_text_stream_open(&s->index))
        return dj_fail_memory(context, "a page", 0);
    s->json = (dj_json_writer){.out = s->index.file};
    dj_json_begin_object(&s->json, NULL);
    dj_json_uint(&s->json, "format", DJ_VIEW_FORMAT);
    dj_json_begin_list(&s->json, "sections");
    return DJ_OK;
}

static void add_to_index(dj_view_sections *s, const dj_columns_section *section, const dj_field *fields)
{
    dj_json_writer *json = &s->json;
    dj_json_begin_row(json, NULL);
    dj_json_uint(json, "id", s->count);
    dj_json_text(json, "name", section->name);
    dj_json_uint(json, "profile", section->profile);
    dj_json_uint(json, "lane", section->lane);
    dj_json_uint(json, "version", section->version);
    dj_view_layout(json, "layout", fields);
    dj_json_end_object(json);
}

int dj_view_add(dj_view_sections *s, const char *name, unsigned version, unsigned lane, const dj_field *fields,
                const void *value)
{
    const dj_columns_section section = {
        .name = name, .version = version, .profile = s->profile, .lane = lane, .coding = DJ_PACK_DEFLATE};
    dj_text_stream memory;
    size_t bytes = 0;
    if (!dj_text_stream_open(&memory))
        return dj_fail_memory(s->context, "a page", 0);
    int err = dj_columns_write_section(s->context, &section, fields, value, memory.file);
    char *packed = dj_text_stream_close(&memory, &bytes);
    if (!packed && !err)
        err = dj_fail_memory(s->context, "a page", 0);
    if (!err) {
        add_to_index(s, &section, fields);
        fprintf(s->out, "<script type=\"application/octet-stream\" id=\"deja-%u\">", s->count++);
        dj_base64_write(s->out, packed, bytes);
        fputs("</script>\n", s->out);
    }
    free(packed);
    return err;
}

// Nothing in a script may look like its end.
static void write_index(FILE *out, const char *text)
{
    fputs("<script type=\"application/json\" id=\"deja-index\">", out);
    for (; *text; text++)
        if (*text == '<')
            fputs("\\u003c", out);
        else
            fputc(*text, out);
    fputs("</script>\n", out);
}

int dj_view_end(dj_view_sections *s, int err)
{
    if (!err) {
        dj_json_end_list(&s->json);
        dj_json_end_object(&s->json);
    }
    char *index = dj_text_stream_close(&s->index, NULL);
    if (!index && !err)
        err = dj_fail_memory(s->context, "a page", 0);
    if (!err)
        write_index(s->out, index);
    free(index);
    return err;
}
