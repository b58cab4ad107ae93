// SPDX-License-Identifier: MIT
#include "cli/options/parts.h"

#include <string.h>
#include <unistd.h>

#include "base/number.h"

static const dj_option table[] = {
    {"summary", 0, DJ_OPTION_FLAG, offsetof(dj_part_options, summary), NULL,
     "write a summary of this part of a trace for 'deja join' instead of a report", NULL},
    {"part", 0, DJ_OPTION_TEXT, offsetof(dj_part_options, part), "K/N",
     "number of this part, K of N, as in 2/5. With it 'deja join' can detect missing and misplaced parts",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_parts_list(dj_context *context, dj_part_options *options, dj_groups *groups)
{
    return dj_groups_add(context, groups, "Parts", table, options);
}

static int parse(dj_context *context, const char *text, dj_part *out)
{
    char number[24];
    const char *slash = strchr(text, '/');
    size_t length = slash ? (size_t)(slash - text) : sizeof number;
    if (length < sizeof number) {
        memcpy(number, text, length);
        number[length] = 0;
        if (dj_number_parse(number, &out->first) && dj_number_parse(slash + 1, &out->of) && out->first >= 1 &&
            out->first <= out->of && out->of <= DJ_PARTS_MOST) {
            out->last = out->first;
            return DJ_OK;
        }
    }
    return dj_fail(context, DJ_ERR_USAGE, "--part: '%s' is not a part and the number of parts, as in 2/5",
                   text);
}

int dj_parts_check_output(dj_context *context, const dj_output_options *output)
{
    bool standard = !output->path || strcmp(output->path, "-") == 0;
    if (standard && isatty(STDOUT_FILENO))
        return dj_fail(context, DJ_ERR_USAGE,
                       "a summary is binary; name a file with -o, or redirect the output");
    return DJ_OK;
}

static int check_attribution(dj_context *context, const dj_attribute_options *a)
{
    if (a->statements)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--statements depends on everything that the program did before, which the summary of "
                       "a part does not contain; leave it out, or analyze the complete trace at once");
    return DJ_OK;
}

int dj_parts_check(dj_context *context, const dj_part_options *options, const dj_attribute_options *attribute,
                   const dj_output_options *output, const char *export, dj_part *out)
{
    *out = (dj_part){0};
    if (!options->summary)
        return options->part ? dj_fail(context, DJ_ERR_USAGE, "--part needs --summary") : DJ_OK;
    if (output->json || export)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s does not apply to --summary, which prints no report; give it to 'deja join'",
                       output->json ? "--json" : export);
    int err = options->part ? parse(context, options->part, out) : DJ_OK;
    if (!err)
        err = check_attribution(context, attribute);
    return err ? err : dj_parts_check_output(context, output);
}

int dj_parts_write(dj_context *context, dj_summary *summary, const dj_output_options *to)
{
    dj_output *output = NULL;
    int err = dj_output_open(context, to, &output);
    if (!err)
        err = dj_summary_save(context, summary, output->file);
    return dj_output_end(context, err, &output);
}
