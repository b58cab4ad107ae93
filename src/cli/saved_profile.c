// SPDX-License-Identifier: MIT
#include "cli/saved_profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

static const dj_option table[] = {
    {"process", 0, DJ_OPTION_UINT, offsetof(dj_saved_profile_options, process), "N",
     "use the profile of the Nth of the other processes that 'deja run' lists", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_saved_profile_list(dj_context *context, dj_saved_profile_options *options, dj_groups *groups)
{
    groups->reads_files = true;
    return dj_groups_add(context, groups, "Profile", table, options);
}

int dj_saved_profile_is(dj_context *context, const char *path, bool *out)
{
    char head[512] = "";
    struct stat about;
    *out = false;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return DJ_OK;
    FILE *file = fopen(path, "r");
    if (!file)
        return dj_fail_open(context, path, errno);
    size_t bytes = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    head[bytes] = 0;
    *out = strncmp(head,
                   "\x89"
                   "DJP\r\n",
                   6) == 0 ||
           strstr(head, "\"deja-profile\"") != NULL;
    return DJ_OK;
}

int dj_saved_profile_load(dj_context *context, const dj_saved_profile_options *options, const char *path,
                          dj_profile **out)
{
    size_t process = options ? options->process : 0;
    if (strcmp(path, "-") == 0)
        return dj_profile_load_process(context, stdin, "standard input", process, out);
    FILE *file = NULL;
    int err = dj_file_open(context, path, "a profile", &file);
    if (err)
        return err;
    err = dj_profile_load_process(context, file, path, process, out);
    fclose(file);
    bool is = true;
    if (err == DJ_ERR_INPUT)
        (void)dj_saved_profile_is(context, path, &is);
    if (!is)
        err = dj_fail(context, DJ_ERR_INPUT,
                      "%s: not a profile saved by 'deja run --json' or 'deja analyze --json'; to analyze "
                      "a trace, use 'deja analyze'",
                      path);
    return err;
}
