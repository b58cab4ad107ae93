// SPDX-License-Identifier: MIT
// The page: the template, with a title and the sections in place of its comments.
#include <stdlib.h>
#include <string.h>

#include "report/spatial/spatial.h"
#include "view/parts.h"
#include "view/plain.h"

#define TITLE "<!--deja:title-->"
#define DATA "<!--deja:data-->"

static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*text, out);
            break;
        }
    }
}

static void write_title(const dj_view_request *request, FILE *out)
{
    for (unsigned i = 0; i < DJ_VIEW_PROFILES && request->profiles[i]; i++) {
        const dj_provenance *from = &request->profiles[i]->provenance;
        if (i > 0)
            fputs(" → ", out);
        write_escaped(out, from->input_count > 0 ? from->inputs[0] : "profile");
    }
    fputs(" · deja", out);
}

static int add_places(dj_view_sections *sections, const dj_view_request *request, const dj_profile *profile)
{
    dj_view_breakdowns breakdowns;
    int err = dj_view_breakdowns_create(sections->context, request, sections->profile, &breakdowns);
    if (err)
        return err;
    err = dj_view_add_overview(sections, request, &breakdowns);
    if (!err)
        err = dj_view_add_breakdowns(sections, &breakdowns);
    if (!err)
        err = dj_view_add_fields(sections, &breakdowns);
    if (!err)
        err = dj_view_add_files(sections, &breakdowns.files);
    if (!err)
        err = dj_view_add_reuses(sections, &breakdowns);
    if (!err && dj_profile_elements(profile))
        err = dj_view_add_elements(sections, &breakdowns, dj_profile_elements(profile));
    if (!err && dj_profile_sharing(profile))
        err = dj_view_add_false_sharing(sections, profile);
    if (!err && dj_profile_sharing(profile))
        err = dj_view_add_sharing_matrix(sections, profile);
    dj_view_breakdowns_destroy(&breakdowns);
    return err;
}

static int add_profile(dj_view_sections *sections, const dj_view_request *request, const dj_profile *profile)
{
    int err = dj_profile_attribution(profile) ? add_places(sections, request, profile)
                                              : dj_view_add_overview(sections, request, NULL);
    if (!err)
        err = dj_view_add_profile(sections, profile);
    if (!err)
        err = dj_view_add_phases(sections, profile);
    if (!err && dj_profile_spatial(profile))
        err = dj_view_add_components(sections, profile);
    if (!err && dj_profile_spatial(profile) && dj_spatial_has_places(profile))
        err = dj_view_add_rankings(sections, profile);
    return err;
}

static int write_data(dj_context *context, const dj_view_request *request, FILE *out)
{
    dj_view_sections sections;
    int err = dj_view_begin(&sections, context, out);
    if (err)
        return err;
    for (unsigned i = 0; !err && i < DJ_VIEW_PROFILES && request->profiles[i]; i++) {
        sections.profile = i;
        err = add_profile(&sections, request, request->profiles[i]);
    }
    sections.profile = 0;
    if (!err && request->profiles[1])
        err = dj_view_add_diff(&sections, request);
    return dj_view_end(&sections, err);
}

int dj_view_write(dj_context *context, const dj_view_request *request, FILE *out)
{
    const char *at = request->template, *end = at + request->template_bytes;
    const char *title = memmem(at, request->template_bytes, TITLE, sizeof TITLE - 1);
    const char *data = title ? memmem(title, (size_t)(end - title), DATA, sizeof DATA - 1) : NULL;
    if (!data)
        return dj_fail(context, DJ_ERR_INPUT,
                       "the template of the page lacks %s, or %s after it; build it again", TITLE, DATA);
    for (unsigned i = 0; i < DJ_VIEW_PROFILES && request->profiles[i]; i++)
        dj_view_clean_profile(request->profiles[i]);
    fwrite(at, 1, (size_t)(title - at), out);
    write_title(request, out);
    at = title + sizeof TITLE - 1;
    fwrite(at, 1, (size_t)(data - at), out);
    int err = write_data(context, request, out);
    at = data + sizeof DATA - 1;
    if (!err)
        fwrite(at, 1, (size_t)(end - at), out);
    return err;
}
