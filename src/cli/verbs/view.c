// SPDX-License-Identifier: MIT
// deja view: write profiles as a page for browsers, and open it.
#include <deja/deja.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/human.h"
#include "base/text_stream.h"
#include "cli/browser.h"
#include "cli/options/output.h"
#include "cli/serve.h"
#include "cli/view_page.h"

typedef struct options {
    dj_view_options view;
    bool no_open, serve;
    dj_output_options output;
} options;

static const dj_option source_table[] = {
    {"source", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_FOLDER, offsetof(options, view.source),
     "DIRS", DJ_SOURCE_HELP, NULL},
    {"no-source", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, view.no_source), NULL,
     "leave the source text out of the page", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_option output_table[] = {
    {"output", 'o', DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_FILE, offsetof(options, output.path),
     "FILE",
     "write the page to FILE; '-' is standard output (default: beside the profile, named like it, with the "
     "ending .html)",
     NULL},
    {"no-open", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, no_open), NULL,
     "do not open the page in the browser", NULL},
    {"serve", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, serve), NULL,
     "write no file; serve the page on this machine until Ctrl-C, and print its address", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    groups->output = &o->output;
    int err = dj_saved_profile_list(context, &o->view.saved, groups);
    if (!err)
        err = dj_groups_add(context, groups, "Source", source_table, o);
    if (!err)
        err = dj_caches_list(context, &o->view.caches, groups);
    return err ? err : dj_groups_add(context, groups, "Output", output_table, o);
}

// The part of a file name before its ending.
static int stem_bytes(const char *name)
{
    const char *dot = strrchr(name, '.');
    return (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

// "runs/before-after.html" for runs/before.dejap and runs/after.dejap.
static char *name_page(const dj_arguments *profiles)
{
    const char *first = strcmp(profiles->items[0], "-") == 0 ? "profile" : profiles->items[0];
    const char *file = dj_file_name(first);
    const char *second = profiles->count > 1 ? dj_file_name(profiles->items[1]) : "";
    char *path = NULL;
    if (asprintf(&path, "%.*s%.*s%s%.*s.html", (int)(file - first), first, stem_bytes(file), file,
                 *second ? "-" : "", stem_bytes(second), second) < 0)
        return NULL;
    return path;
}

// Nobody named this file: it must not be another page of theirs.
static int check_name(dj_context *context, const char *path)
{
    static const char title[] = " · deja</title>";
    enum { HEAD = 1 << 20 };
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
        return DJ_OK;
    FILE *file = fopen(path, "r");
    if (!file)
        return dj_fail_open(context, path, errno);
    char *head = malloc(HEAD);
    const size_t bytes = head ? fread(head, 1, HEAD, file) : 0;
    fclose(file);
    const bool page = head && memmem(head, bytes, title, sizeof title - 1);
    const bool read = head != NULL;
    free(head);
    if (!read)
        return dj_fail_memory(context, "a page", HEAD);
    return page ? DJ_OK
                : dj_fail(context, DJ_ERR_USAGE,
                          "%s exists, and is not a page of 'deja view'; name the page with -o FILE", path);
}

static int write_page(dj_context *context, const options *o, const dj_arguments *arguments)
{
    dj_view_page page;
    dj_output *output = NULL;
    int err = dj_view_page_load(context, &o->view, arguments, &page);
    if (err)
        return err;
    err = dj_output_open(context, &o->output, &output);
    if (!err)
        err = dj_view_page_write(context, &page, output->file);
    if (output)
        err = dj_output_end(context, err, &output);
    dj_view_page_free(&page);
    return err;
}

static void open_page(const options *o)
{
    const char *path = o->output.path;
    char real[PATH_MAX], text[256], size[DJ_HUMAN_BYTES];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || !realpath(path, real))
        return; // a pipe
    dj_human_bytes(size, (uint64_t)about.st_size);
    const char *fault = o->no_open ? NULL : dj_browser_open(real);
    snprintf(text, sizeof text, " (%s)%s%s%s", size, fault ? "; open it in a browser: " : "",
             fault ? fault : "", fault || o->no_open ? "" : "; opening it in the browser");
    dj_output_message_about("wrote ", path, text);
}

static int make_in_memory(dj_context *context, const options *o, const dj_arguments *arguments, char **text,
                          size_t *bytes)
{
    dj_view_page page;
    dj_text_stream memory;
    int err = dj_view_page_load(context, &o->view, arguments, &page);
    if (err)
        return err;
    if (!dj_text_stream_open(&memory)) {
        dj_view_page_free(&page);
        return dj_fail_memory(context, "a page", 0);
    }
    err = dj_view_page_write(context, &page, memory.file);
    *text = dj_text_stream_close(&memory, bytes);
    if (!*text && !err)
        err = dj_fail_memory(context, "a page", 0);
    dj_view_page_free(&page);
    return err;
}

static int announce(dj_context *context, const options *o, const char *url)
{
    char text[256];
    dj_output *output = NULL;
    const dj_output_options here = {0};
    int err = dj_output_open(context, &here, &output);
    if (!err)
        fprintf(output->file, "%s\n", url);
    if (output)
        err = dj_output_end(context, err, &output);
    if (err)
        return err;
    const char *fault = o->no_open ? NULL : dj_browser_open(url);
    snprintf(text, sizeof text, "serving the page until Ctrl-C%s%s%s",
             fault ? "; open the address in a browser: " : "", fault ? fault : "",
             fault || o->no_open ? "" : "; opening it in the browser");
    dj_output_message("", text);
    return DJ_OK;
}

// Ctrl-C is how this ends, so it is no interruption.
static int serve(dj_context *context, const options *o, const dj_arguments *arguments)
{
    char *page = NULL;
    size_t bytes = 0;
    dj_page_server *server = NULL;
    if (o->output.path)
        return dj_fail(context, DJ_ERR_USAGE, "--serve writes no file; leave out -o");
    int err = make_in_memory(context, o, arguments, &page, &bytes);
    if (!err)
        err = dj_page_server_create(context, page, bytes, &server);
    if (!err)
        err = announce(context, o, dj_page_server_url(server));
    if (!err)
        err = dj_page_server_run(server, context);
    dj_page_server_destroy(server);
    free(page);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    char *path = NULL;
    if (arguments->count < 1 || arguments->count > DJ_VIEW_PROFILES)
        return dj_fail(context, DJ_ERR_USAGE, "name one profile, or two to compare, as in 'deja view %s'",
                       arguments->count ? "before.dejap after.dejap" : "profile.dejap");
    if (o->serve)
        return serve(context, o, arguments);
    int err = DJ_OK;
    if (!o->output.path) {
        o->output.path = path = name_page(arguments);
        err = path ? check_name(context, path) : dj_fail_memory(context, "a file name", 0);
        if (!err)
            err = dj_output_check(context, &o->output, arguments);
    }
    if (!err)
        err = write_page(context, o, arguments);
    if (!err && strcmp(o->output.path, "-") != 0)
        open_page(o);
    free(path);
    return err;
}

static const dj_example examples[] = {
    {"deja view profile.dejap", "Writes profile.html and opens it in the browser."},
    {"deja view before.dejap after.dejap", "Shows both runs and what changed."},
    {"deja view --no-open -o page.html profile.dejap", "Writes a page to send to someone else."},
    {"deja view --serve --no-open profile.dejap", "Serves the page, for a browser that cannot open files."},
    {"deja view --no-source --no-open profile.dejap", "Writes a page that contains no source text."},
    {"deja view --source ~/src/app profile.dejap", "Also shows sources below another folder."},
    {NULL, NULL},
};

const dj_command dj_command_view = {
    .name = "view",
    .summary = "show profiles as an interactive page in the browser",
    .usage = "[options] PROFILE [PROFILE2]",
    .description =
        "Writes one HTML file with everything about a profile, saved by 'deja run -o FILE.dejap' or any "
        "other "
        "verb that saves profiles, and opens it in the browser: miss-ratio curve with caches that can be "
        "moved, code and data with their source, advice, spatial locality, sharing and phases. With a second "
        "profile it shows what changed.\n\n"
        "The page needs neither a network nor a server, so it can be sent to others. It contains the text of "
        "the program's sources unless --no-source is given.",
    .details =
        "The page has the numbers of the other reports. Where a table has more rows than a browser can show, "
        "it has the worst ones and a row for the rest.\n\n"
        "A profile may come from anyone and name any file. So sources are read only below the current "
        "folder, "
        "below the folders of --source, and in the system's headers (/usr/include, /usr/local/include, "
        "/usr/lib/gcc), as 'deja annotate' does, and only those with accesses: at most 2 MiB in total, and 1 "
        "MiB of each. The page says which are missing, and why.\n\n"
        "--serve answers on 127.0.0.1 only, at an address with a random part that nobody else knows, and has "
        "only "
        "that page. On another machine, forward the port: ssh -L PORT:127.0.0.1:PORT HOST. Ctrl-C ends it, "
        "with "
        "status 0.\n\n"
        "Without a display, or without xdg-open, the page is only written. If no file is named with -o, a "
        "file that is not a page of 'deja view' is not replaced. --caches names the caches that the page "
        "begins with. For a profile with attribution their sizes must be those whose misses it knows "
        "exactly, as for 'deja report'.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
