// SPDX-License-Identifier: MIT
#include "cli/view_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/plain.h"
#include "base/text_stream.h"
#include "calibrate/calibrate.h"
#include "cli/options/other_caches.h"
#include "cli/source_text.h"

// Lines as they were read: without a very long line's end.
static int join(dj_context *context, const dj_annotated_text *from, dj_view_source *out)
{
    dj_text_stream text;
    if (!dj_text_stream_open(&text))
        return dj_fail_memory(context, "a source file", 0);
    for (size_t i = 0; i < from->line_count; i++)
        fprintf(text.file, "%s\n", from->lines[i]);
    out->text = dj_text_stream_close(&text, NULL);
    out->lines = from->line_count;
    out->newer = from->newer;
    return out->text ? DJ_OK : dj_fail_memory(context, "a source file", 0);
}

static int read_source(void *state, dj_context *context, unsigned profile, const char *path,
                       dj_view_source *out)
{
    const dj_view_page *page = state;
    dj_annotated_text text;
    int err = dj_source_text_read(context, path, NULL, &page->scope, page->created[profile], &text);
    if (err)
        return err;
    out->reason = text.fault;
    if (!text.fault)
        err = join(context, &text, out);
    dj_source_text_free(&text);
    return err;
}

// For work on viewer/: a page that was just built, without building the program again.
static int read_template(dj_context *context, const char *path, dj_view_page *page)
{
    FILE *file = NULL;
    dj_text_stream text;
    char piece[4096];
    int err = dj_file_open(context, path, "a template", &file);
    if (err)
        return err;
    if (!dj_text_stream_open(&text)) {
        fclose(file);
        return dj_fail_memory(context, "a template", 0);
    }
    for (size_t bytes; (bytes = fread(piece, 1, sizeof piece, file)) > 0;)
        fwrite(piece, 1, bytes, text.file);
    if (ferror(file))
        err = dj_fail(context, DJ_ERR_IO, "%s: cannot be read", path);
    fclose(file);
    page->template = dj_text_stream_close(&text, &page->request.template_bytes);
    page->request.template = page->template;
    return err || page->template ? err : dj_fail_memory(context, "a template", 0);
}

static int find_template(dj_context *context, dj_view_page *page)
{
    const char *path = getenv("DEJA_VIEW_TEMPLATE");
    if (path && *path)
        return read_template(context, path, page);
    page->request.template = dj_view_template(&page->request.template_bytes);
    return page->request.template
               ? DJ_OK
               : dj_fail(context, DJ_ERR_DEVICE,
                         "this build of deja has no page: install Node.js 18 or newer and npm (the packages "
                         "nodejs and npm), and build it again with './dev build'");
}

// The page begins with the caches that were named, where the profile knows their misses.
static int use_caches(dj_context *context, const dj_cache_options *given, const char *path,
                      dj_profile *profile)
{
    if (!given->caches)
        return DJ_OK;
    if (profile->provenance.unit_bytes == 0 && strcmp(given->caches, "none") != 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--caches: what %s counts has no size in bytes, so no cache has a size in it; leave "
                       "out --caches, and choose sizes in the page",
                       path);
    int err = DJ_OK;
    if (dj_profile_sharing(profile))
        err = dj_caches_share_again(context, given, profile);
    return !err && dj_profile_attribution(profile) ? dj_caches_cut_again(context, given, profile) : err;
}

// The page is useful without times.
static int find_costs(dj_context *context, dj_view_page *page)
{
    int err = dj_costs_find(context, &page->costs);
    if (err == DJ_OK)
        page->request.costs = &page->costs;
    if (err != DJ_ERR_INPUT)
        return err;
    fputs("deja: note: the page has no estimated times: ", stderr);
    dj_plain_print(stderr, dj_context_message(context), true);
    fputc('\n', stderr);
    return DJ_OK;
}

int dj_view_page_load(dj_context *context, const dj_view_options *options, const dj_arguments *profiles,
                      dj_view_page *out)
{
    *out = (dj_view_page){.scope = {.folders = options->source}};
    int err = find_template(context, out);
    if (!err)
        err = find_costs(context, out);
    for (size_t i = 0; !err && i < profiles->count; i++) {
        struct stat about;
        const char *path = profiles->items[i];
        out->request.names[i] = path;
        out->created[i] = stat(path, &about) == 0 ? about.st_mtime : 0;
        err = dj_saved_profile_load(context, &options->saved, path, &out->request.profiles[i]);
        if (!err)
            err = use_caches(context, &options->caches, path, out->request.profiles[i]);
        if (!err)
            err = dj_caches_find(context, &options->caches, out->request.profiles[i], &out->caches[i]);
        dj_caches_sort(&out->caches[i]);
        out->request.caches[i] = out->caches[i].marks;
        out->request.cache_counts[i] = out->caches[i].count;
    }
    out->request.read = options->no_source ? NULL : read_source;
    out->request.state = out;
    if (err)
        dj_view_page_free(out);
    return err;
}

int dj_view_page_write(dj_context *context, dj_view_page *page, FILE *out)
{
    return dj_view_write(context, &page->request, out);
}

void dj_view_page_free(dj_view_page *page)
{
    for (unsigned i = 0; i < DJ_VIEW_PROFILES; i++)
        dj_profile_destroy(page->request.profiles[i]);
    free(page->template);
    *page = (dj_view_page){.template = NULL};
}
