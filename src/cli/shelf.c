// SPDX-License-Identifier: MIT
#include "cli/shelf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/processes.h"

// A file without a name, or NULL: profiles stay in memory then.
static FILE *open_file(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/tmp", "."};
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < sizeof folders / sizeof *folders; i++)
        if (folders[i] && *folders[i])
            fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (!file && fd >= 0)
        close(fd);
    return file;
}

void dj_shelf_open(dj_shelf *shelf)
{
    pthread_mutex_init(&shelf->lock, NULL);
    shelf->file = NULL;
    shelf->shown = NULL;
}

void dj_shelf_close(dj_shelf *shelf, const dj_outcome *outcome)
{
    for (size_t i = 0; i < outcome->count; i++) {
        dj_kept *kept = outcome->workers[i]->result;
        dj_profile_destroy(kept ? kept->profile : NULL);
        free(kept);
    }
    if (shelf->file)
        fclose(shelf->file);
    pthread_mutex_destroy(&shelf->lock);
}

// The profile as it will stand in the list of processes; false: it stays in memory.
static bool write_down(dj_shelf *shelf, const dj_worker *w, dj_kept *kept)
{
    if (!shelf->file)
        shelf->file = open_file();
    if (!shelf->file || fseek(shelf->file, 0, SEEK_END) != 0)
        return false;
    dj_json_writer json = {.out = shelf->file, .depth = DJ_PROCESS_DEPTH};
    long at = ftell(shelf->file);
    int err = dj_processes_save_one(&json, w->context, w, shelf->json);
    long end = err || fflush(shelf->file) != 0 ? -1 : ftell(shelf->file);
    clearerr(shelf->file);
    if (at < 0 || end <= at)
        return false;
    kept->at = at;
    kept->bytes = (size_t)(end - at);
    return true;
}

static void reduce(dj_shelf *shelf, const dj_worker *w)
{
    dj_kept *kept = w->result;
    if (!kept->profile)
        return;
    if (shelf->json && !write_down(shelf, w, kept))
        return;
    dj_profile_destroy(kept->profile);
    kept->profile = NULL;
}

int dj_shelf_keep(dj_shelf *shelf, dj_worker *worker, dj_profile *profile)
{
    dj_kept *kept = calloc(1, sizeof *kept);
    if (!kept) {
        dj_profile_destroy(profile);
        return dj_fail_memory(worker->context, "a profile", sizeof *kept);
    }
    kept->profile = profile;
    kept->accesses = profile->accesses;
    kept->distinct = profile->lanes[0].distinct;
    kept->mean = dj_lane_moments(&profile->lanes[0]).mean;
    pthread_mutex_lock(&shelf->lock);
    worker->result = kept;
    dj_processes_name(worker);
    const dj_worker *aside = worker;
    if (worker->root && (!shelf->shown || shelf->shown->image < worker->image)) {
        aside = shelf->shown;
        shelf->shown = worker;
    }
    if (aside)
        reduce(shelf, aside);
    pthread_mutex_unlock(&shelf->lock);
    return DJ_OK;
}
