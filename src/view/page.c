// SPDX-License-Identifier: MIT
// The page: the template, with a title and the sections in place of its comments.
#include <stdlib.h>
#include <string.h>

#include "report/spatial/spatial.h"
#include "view/matches.h"
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

// What sections are made from, of both profiles: rows of a comparison say what corresponds to them.
typedef struct models {
    dj_view_breakdowns breakdowns[DJ_VIEW_PROFILES];
    const dj_view_breakdowns *sides[DJ_VIEW_PROFILES]; // NULL: no attribution
    dj_diff *diff;                                     // NULL: one profile
} models;

static void destroy_models(models *m)
{
    for (unsigned i = 0; i < DJ_VIEW_PROFILES; i++)
        if (m->sides[i])
            dj_view_breakdowns_destroy(&m->breakdowns[i]);
    dj_diff_destroy(m->diff);
}

static int compare(dj_context *context, const dj_view_request *request, dj_diff **out)
{
    dj_diff_request what = {.all_rows = true};
    bool places = true;
    for (int run = 0; run < DJ_SIDES; run++) {
        what.profiles[run] = request->profiles[run];
        what.names[run] = request->names[run];
        places &= dj_profile_attribution(request->profiles[run]) != NULL;
    }
    for (unsigned by = 0; places && by < DJ_BY_COUNT; by++)
        what.by[what.by_count++] = (enum dj_by)by;
    return dj_diff_profiles(context, &what, out);
}

static int create_models(dj_view_sections *sections, const dj_view_request *request, models *m)
{
    int err = DJ_OK;
    for (unsigned i = 0; !err && i < DJ_VIEW_PROFILES && request->profiles[i]; i++) {
        if (!dj_profile_attribution(request->profiles[i]))
            continue;
        err = dj_view_breakdowns_create(sections->context, request, i, &m->breakdowns[i]);
        m->sides[i] = err ? NULL : &m->breakdowns[i];
    }
    if (!err && request->profiles[1])
        err = compare(sections->context, request, &m->diff);
    if (!err && m->diff)
        err = dj_view_matches_create(sections->context, m->diff, m->sides, &sections->matches);
    return err;
}

static int add_places(dj_view_sections *sections, const dj_view_request *request, const dj_profile *profile,
                      const dj_view_breakdowns *breakdowns)
{
    int err = dj_view_add_overview(sections, request, breakdowns);
    if (!err)
        err = dj_view_add_breakdowns(sections, breakdowns);
    if (!err)
        err = dj_view_add_inlined(sections, breakdowns);
    if (!err)
        err = dj_view_add_fields(sections, breakdowns);
    if (!err)
        err = dj_view_add_files(sections, &breakdowns->files);
    if (!err)
        err = dj_view_add_reuses(sections, breakdowns);
    if (!err)
        err = dj_view_add_stall(sections, breakdowns);
    if (!err && dj_profile_elements(profile))
        err = dj_view_add_elements(sections, breakdowns, dj_profile_elements(profile));
    if (!err && dj_profile_sharing(profile))
        err = dj_view_add_false_sharing(sections, profile);
    if (!err && dj_profile_sharing(profile))
        err = dj_view_add_sharing_matrix(sections, profile);
    return err;
}

static int add_profile(dj_view_sections *sections, const dj_view_request *request, const dj_profile *profile,
                       const dj_view_breakdowns *breakdowns)
{
    int err = breakdowns ? add_places(sections, request, profile, breakdowns)
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
    models m = {.diff = NULL};
    int err = dj_view_begin(&sections, context, out);
    if (err)
        return err;
    err = create_models(&sections, request, &m);
    for (unsigned i = 0; !err && i < DJ_VIEW_PROFILES && request->profiles[i]; i++) {
        sections.profile = i;
        err = add_profile(&sections, request, request->profiles[i], m.sides[i]);
    }
    sections.profile = 0;
    if (!err && m.diff)
        err = dj_view_add_diff(&sections, request, m.diff, m.sides);
    if (!err && m.diff)
        err = dj_view_add_pairs(&sections, request, m.sides);
    dj_view_matches_destroy(sections.matches);
    destroy_models(&m);
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
