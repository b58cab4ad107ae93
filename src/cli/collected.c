// SPDX-License-Identifier: MIT
#include "cli/collected.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/saved.h"

int dj_collected_settings(dj_context *context, const dj_attribute_options *a, const dj_reading *reading,
                          char **out)
{
    size_t bytes;
    FILE *to = open_memstream(out, &bytes);
    if (!to)
        return dj_fail_memory(context, "settings", 0);
    if (dj_attribute_is_refused(a))
        fprintf(to, "by=none\n");
    if (a->statements)
        fprintf(to, "statements=1\n");
    if (a->start_at)
        fprintf(to, "start-at=%s\n", a->start_at);
    if (a->within)
        fprintf(to, "within=%s\n", a->within);
    if (a->skip)
        fprintf(to, "skip=%" PRIu64 "\n", a->skip);
    if (a->stop_after)
        fprintf(to, "stop-after=%" PRIu64 "\n", a->stop_after);
    if (reading->engine)
        fprintf(to, "engine=%s\n", reading->engine);
    return fclose(to) == 0 ? DJ_OK : dj_fail_memory(context, "settings", 0);
}

void dj_collected_advise(const char *program, const dj_reading *reading, const dj_cache_options *caches,
                         bool paused)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {{"--block", reading->block},
                   {"--split", reading->split || reading->no_split},
                   {"--caches", caches->caches},
                   {"--paused", paused}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            fprintf(stderr,
                    "deja: note: %s is analyzed from its annotations, element by element, where %s means "
                    "nothing; --tool valgrind looks at its memory\n",
                    program, options[i].name);
}

// The program itself counts before all others.
static bool is_better(const dj_profile *than, const dj_profile *profile, bool own)
{
    return !than || own || profile->accesses > than->accesses;
}

void dj_collected_take(dj_collected *c, dj_context *context, const char *folder, pid_t root)
{
    DIR *list = opendir(folder);
    bool has_own = false;
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        char path[512], rest;
        unsigned pid = 0;
        bool numbered = sscanf(entry->d_name, "profile.%u%c", &pid, &rest) == 1;
        if (!numbered && strcmp(entry->d_name, "profile.first") != 0)
            continue;
        dj_profile *profile = NULL;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (dj_saved_load(context, NULL, path, &profile) != DJ_OK)
            continue;
        bool own = pid == (unsigned)root;
        c->count++;
        if (!has_own && is_better(c->profile, profile, own)) {
            dj_profile_destroy(c->profile);
            c->profile = profile;
            has_own = own;
        } else {
            dj_profile_destroy(profile);
        }
    }
    if (list)
        closedir(list);
}
