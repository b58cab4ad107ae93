// SPDX-License-Identifier: MIT
// deja annotate: print source files with the costs of their lines.
#include <deja/deja.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/options/export.h"
#include "cli/options/output.h"
#include "cli/saved_profile.h"
#include "cli/source_text.h"
#include "model/costs.h"
#include "report/listing.h"

typedef struct options {
    dj_saved_profile_options saved;
    dj_output_options output;
    dj_export_options export;
    bool only_hot;
    const char *source;
} options;

static const dj_option table[] = {
    {"only-hot", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, only_hot), NULL,
     "show only lines with at least 1% of the misses, and three lines around each. This is the default when "
     "no file is named",
     NULL},
    {"source", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_FOLDER, offsetof(options, source), "DIRS",
     DJ_SOURCE_HELP, NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    int err = dj_saved_profile_list(context, &o->saved, groups);
    if (!err)
        err = dj_groups_add(context, groups, "Source", table, o);
    if (!err)
        err = dj_export_list(context, &o->export, 0, "a row for each line of source", groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

// The files to print and their texts.
typedef struct choice {
    const dj_annotated_file **files;
    dj_annotated_text *texts;
    size_t count;
    bool only_hot;
} choice;

static int add_file(dj_context *context, const options *o, const dj_annotated *listing,
                    const dj_annotated_file *file, const char *typed, time_t created, choice *to)
{
    const dj_source_scope scope = {.folders = o->source};
    int err = dj_source_text_read(context, listing->attribution->files[file->file], typed, &scope, created,
                                  &to->texts[to->count]);
    if (err)
        return err;
    to->files[to->count++] = file;
    return DJ_OK;
}

static bool has_hot_line(const dj_annotated *listing, const dj_annotated_file *file)
{
    bool hot = false;
    for (size_t i = 0; i < file->row_count; i++)
        hot |= dj_annotated_is_hot(listing, file->rows[i].heat);
    return hot;
}

// The named files, or all files with a hot line.
static int choose(dj_context *context, const options *o, const dj_annotated *listing,
                  const dj_arguments *arguments, choice *to)
{
    struct stat about;
    time_t created = stat(arguments->items[0], &about) == 0 ? about.st_mtime : 0;
    size_t named = arguments->count - 1, most = named > 0 ? named : listing->file_count;
    to->only_hot = o->only_hot || named == 0;
    to->files = calloc(most + 1, sizeof *to->files);
    to->texts = calloc(most + 1, sizeof *to->texts);
    if (!to->files || !to->texts)
        return dj_fail_memory(context, "a list of files", most * sizeof *to->texts);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < named; i++) {
        const dj_annotated_file *file = NULL;
        err = dj_source_text_match(context, listing, arguments->items[i + 1], &file);
        if (!err)
            err = add_file(context, o, listing, file, arguments->items[i + 1], created, to);
    }
    for (size_t i = 0; !err && named == 0 && i < listing->file_count; i++)
        if (has_hot_line(listing, &listing->files[i]))
            err = add_file(context, o, listing, &listing->files[i], NULL, created, to);
    return err;
}

static int print(dj_context *context, const options *o, const dj_profile *profile,
                 const dj_annotated *listing, const choice *chosen, bool rest, const dj_output *output)
{
    dj_document *document = NULL;
    int err = dj_document_annotated(context, profile, listing, chosen->files, chosen->texts, chosen->count,
                                    chosen->only_hot, rest, &document);
    if (!err)
        err = dj_export_render(context, &o->export, document, &profile->provenance, output);
    dj_document_destroy(document);
    return err;
}

static int annotate(dj_context *context, const options *o, const dj_arguments *arguments,
                    const dj_profile *profile)
{
    dj_annotated *listing = NULL;
    dj_output *output = NULL;
    choice chosen = {.count = 0};
    if (!dj_profile_attribution(profile))
        return dj_fail_attribution(context);
    int err = dj_annotated_create(context, dj_profile_attribution(profile), &listing);
    if (!err)
        err = choose(context, o, listing, arguments, &chosen);
    if (!err)
        err = dj_output_open(context, &o->output, &output);
    if (!err && output->json)
        dj_annotated_json(profile, listing, chosen.files, chosen.texts, chosen.count, chosen.only_hot,
                          output->file);
    else if (!err)
        err = print(context, o, profile, listing, &chosen, arguments->count == 1, output);
    if (!err)
        err = dj_output_close(context, &output);
    dj_output_discard(&output);
    for (size_t i = 0; i < chosen.count; i++)
        dj_source_text_free(&chosen.texts[i]);
    free(chosen.texts);
    free(chosen.files);
    dj_annotated_destroy(listing);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    dj_profile *profile = NULL;
    if (arguments->count == 0)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "no profile given; name a profile and source files, as in 'deja annotate profile.json main.c'");
    int err = dj_export_check(context, &o->export, &o->output);
    if (!err)
        err = dj_saved_profile_load(context, &o->saved, arguments->items[0], &profile);
    if (!err)
        err = annotate(context, o, arguments, profile);
    dj_profile_destroy(profile);
    return err;
}

static const dj_example examples[] = {
    {"deja annotate profile.json solve.c", "Prints the file with the costs of each line."},
    {"deja annotate profile.json", "Prints the hot lines of all files, hottest file first."},
    {"deja annotate --only-hot --source ~/src/app profile.json solve.c mesh.c",
     "Prints the hot lines of two files that were compiled elsewhere."},
    {NULL, NULL},
};

const dj_command dj_command_annotate = {
    .name = "annotate",
    .summary = "print source files with the misses of each line",
    .usage = "[options] PROFILE.json [FILE...]",
    .description =
        "Prints source files with the costs of their lines, from a profile saved by 'deja run --json': the "
        "share of all misses, accesses, misses in each cache, and the mean reuse distance. Without FILE, "
        "prints the hot lines of all files, hottest file first.",
    .details =
        "Columns that do not fit beside the source are left out. The share is that of the cache marked by "
        "'*': the largest cache whose misses are not nearly all cold misses, which is the most "
        "informative.\n\n"
        "A profile may come from anyone and name any file. So its sources are read only below the current "
        "folder, below the folders of --source, and in the system's headers (/usr/include, "
        "/usr/local/include, "
        "/usr/lib/gcc), after following links; not in the current folder if it is /, and no hidden files in "
        "it. A FILE that you name and that exists is read wherever it is. Only regular files of at most 32 "
        "MiB are read.\n\n"
        "Name a file as in the profile, or by the end of its path. The costs of code that was inlined into a "
        "line are shown below that line; they also count for the line where the code is written.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
