// SPDX-License-Identifier: MIT
#include "session/spill.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/unnamed.h"
#include "session/save.h"
#include "session/state.h"

// An unnamed file, or NULL: profiles then stay in memory.
static FILE *open_file(void)
{
    int fd = dj_unnamed_file();
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (!file && fd >= 0)
        close(fd);
    return file;
}

void dj_spill_open(dj_spill_file *spill, bool whole, const dj_json_view *view)
{
    *spill = (dj_spill_file){.whole = whole, .view = view};
    pthread_mutex_init(&spill->lock, NULL);
}

void dj_spill_close(dj_spill_file *spill)
{
    if (spill->file)
        fclose(spill->file);
    pthread_mutex_destroy(&spill->lock);
}

void dj_kept_free(dj_kept *kept)
{
    if (kept)
        dj_profile_destroy(kept->profile);
    free(kept);
}

// Writes the profile as it will appear in the list of processes; false: it stays in memory.
static bool write_profile(dj_spill_file *spill, const dj_worker *w, dj_kept *kept)
{
    if (!spill->file)
        spill->file = open_file();
    if (!spill->file || fseek(spill->file, 0, SEEK_END) != 0)
        return false;
    dj_json_writer json = {.out = spill->file, .depth = DJ_PROCESS_DEPTH};
    long at = ftell(spill->file);
    int err = dj_process_save(&json, w->context, w, spill->view);
    long end = err || fflush(spill->file) != 0 ? -1 : ftell(spill->file);
    clearerr(spill->file);
    if (at < 0 || end <= at)
        return false;
    kept->at = at;
    kept->bytes = (size_t)(end - at);
    return true;
}

static void reduce(dj_spill_file *spill, const dj_worker *w)
{
    dj_kept *kept = w->kept;
    if (!kept->profile)
        return;
    if (spill->whole && !write_profile(spill, w, kept))
        return;
    dj_profile_destroy(kept->profile);
    kept->profile = NULL;
}

// Stores the name of the program in its profile.
static void name(const dj_worker *w, dj_profile *profile)
{
    char *command = strdup(dj_worker_info(w).command);
    if (!command || profile->provenance.input_count == 0) {
        free(command);
        return;
    }
    free(profile->provenance.inputs[0]);
    profile->provenance.inputs[0] = command;
}

int dj_spill_keep(dj_spill_file *spill, dj_worker *worker, dj_profile *profile)
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
    pthread_mutex_lock(&spill->lock);
    worker->kept = kept;
    name(worker, profile);
    const dj_worker *aside = worker;
    if (worker->root && (!spill->latest || spill->latest->image < worker->image)) {
        aside = spill->latest;
        spill->latest = worker;
    }
    if (aside)
        reduce(spill, aside);
    pthread_mutex_unlock(&spill->lock);
    return DJ_OK;
}
