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

bool dj_saved_profile_is(const char *path)
{
    char head[512] = "";
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t bytes = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    head[bytes] = 0;
    return strncmp(head,
                   "\x89"
                   "DJP\r\n",
                   6) == 0 ||
           strstr(head, "\"deja-profile\"") != NULL;
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
    if (err == DJ_ERR_INPUT && !dj_saved_profile_is(path))
        err = dj_fail(context, DJ_ERR_INPUT,
                      "%s: not a profile saved by 'deja run --json' or 'deja analyze --json'; to analyze "
                      "a trace, use 'deja analyze'",
                      path);
    return err;
}
