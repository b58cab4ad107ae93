// SPDX-License-Identifier: MIT
#include "annotations/analysis.h"

#include <deja/deja.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "annotations/last_thread.h"
#include "annotations/relay.h"
#include "base/target.h"
#include "base/text.h"
#include "measure/measure.h"

// If the program is killed, only the profile that was saved while it ran remains. Saving must not cost more
// than 1 / SAVE_SHARE of the run time.
enum { SAVE_SHARE = 64 };
static const double save_seconds_least = 0.5;
static const double bin_seconds = 2e-6; // to write a bin of a histogram, approximately

struct dj_analysis {
    pthread_t thread;
    dj_context *context;
    dj_channel *channel;
    dj_analysis_config config;
    char *path;
    bool device;               // `path` names a device, not a file that could be replaced
    double began, saved, wait; // seconds: of the first call; of the last profile; until the next one
    uint64_t saved_batches;    // contained in the last profile
    int err;                   // with its message in the context
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// "%p" is replaced by the process id, so that the processes of one run do not overwrite each other's files.
static int expand(dj_context *context, const char *path, char **out)
{
    const char *mark = strstr(path, "%p");
    if (!mark)
        return dj_copy_text(context, path, out);
    if (asprintf(out, "%.*s%d%s", (int)(mark - path), path, (int)getpid(), mark + 2) >= 0)
        return DJ_OK;
    *out = NULL;
    return dj_fail_memory(context, "a path", 0);
}

// Writes the profile completely or not at all.
static int save(dj_analysis *a, const dj_profile *profile, enum dj_binning binning)
{
    dj_target target;
    int err = dj_target_open(a->context, a->path, &target);
    if (err)
        return err;
    int reason = 0, copy = fcntl(target.fd, F_DUPFD_CLOEXEC, 3); // closed with the stream
    FILE *file = copy < 0 ? NULL : fdopen(copy, "w");
    if (file)
        err = dj_profile_save(a->context, profile, binning, 0, file);
    else if (copy >= 0)
        close(copy);
    if (!file || err == DJ_ERR_IO)
        reason = errno;
    if (file && fclose(file) != 0 && !reason)
        reason = errno;
    if (!err && !reason)
        reason = dj_target_close(&target);
    if (reason)
        err =
            dj_fail(a->context, DJ_ERR_IO, "cannot write the profile to '%s': %s", a->path, strerror(reason));
    dj_target_discard(&target);
    return err;
}

static bool is_due(void *user)
{
    dj_analysis *a = user;
    double time = now();
    if (a->device || time - a->saved < a->wait || dj_channel_given(a->channel) == a->saved_batches)
        return false;
    a->saved = time;
    return true;
}

// Shortens a long histogram if writing it would take too much of the run time.
static enum dj_binning choose_bins(const dj_analysis *a, const dj_profile *profile)
{
    double budget = (a->saved - a->began) / SAVE_SHARE / bin_seconds;
    for (uint64_t v = 0; dj_histogram_next(profile->lanes[0].distance, &v) != 0; v++)
        if (--budget < 0)
            return DJ_BINS_LOG2;
    return DJ_BINS_EXACT;
}

static void keep(void *user, dj_profile *profile)
{
    dj_analysis *a = user;
    double asked = a->saved;
    char *reason = NULL;
    if (asprintf(
            &reason,
            "the program was killed, or left by _exit, or is still running; this is what it had recorded "
            "after %.1f s",
            asked - a->began) >= 0) {
        free(profile->provenance.partial_reason);
        profile->provenance.partial_reason = reason;
        profile->provenance.partial = true;
        (void)save(a, profile, choose_bins(a, profile)); // the final save reports errors
    }
    dj_profile_destroy(profile);
    double cost = now() - asked;
    // The first save reads debug information, which is needed at the end anyway.
    bool first = a->saved_batches == 0;
    a->wait = first || cost * SAVE_SHARE < save_seconds_least ? save_seconds_least : cost * SAVE_SHARE;
    a->saved_batches = dj_channel_given(a->channel);
    a->saved = now();
}

static int measure(dj_analysis *a, dj_source *source, dj_attribute *attribute, dj_profile **out)
{
    static const uint64_t element = 1;
    dj_engine_preference engine = dj_engine_prefer(a->config.engine ? a->config.engine : "shadow");
    engine.named = a->config.engine != NULL;
    const dj_observer_choice observers[] = {{.ops = dj_observer_find("histogram")},
                                            {.ops = dj_observer_find("traffic")},
                                            {.ops = dj_observer_find("spatial")},
                                            {.ops = dj_observer_find("spatial-places")}};
    bool spatial = a->config.block_count > 0;
    const char *inputs[] = {a->config.command};
    const dj_measurement measurement = {.source = source,
                                        .engine = engine,
                                        .unit = "element",
                                        .observers = observers,
                                        .observer_count = !spatial          ? 2
                                                          : a->config.whole ? 3
                                                                            : 4,
                                        .blocks = spatial ? a->config.blocks : &element,
                                        .block_count = spatial ? a->config.block_count : 1,
                                        .inputs = inputs,
                                        .input_count = 1,
                                        .command_line = a->config.command,
                                        .attribute = attribute,
                                        .is_due = is_due,
                                        .keep = keep,
                                        .user = a};
    return dj_measurement_run(a->context, &measurement, out);
}

static int analyze(dj_analysis *a)
{
    dj_source *source = NULL;
    dj_attribute *attribute = NULL;
    dj_profile *profile = NULL;
    const dj_attribute_config config = {.in_program = true,
                                        .no_places = a->config.whole,
                                        .statements = a->config.statements ? DJ_STATEMENTS_ANNOTATED
                                                                           : DJ_STATEMENTS_OFF,
                                        .counting = a->config.counting,
                                        .long_from = DJ_LONG_ELEMENTS};
    int err = dj_channel_source(a->channel, a->context, &source);
    if (!err && (!a->config.whole || a->config.statements))
        err = dj_attribute_create(a->context, &config, source, &attribute);
    if (!err)
        err = measure(a, source, attribute, &profile);
    if (profile)
        err = save(a, profile, DJ_BINS_EXACT);
    dj_profile_destroy(profile);
    dj_attribute_end(attribute);
    dj_source_close(source);
    return err;
}

// In the order of their calls, while the program runs.
static int pass_on_all(dj_analysis *a, dj_source *source, dj_relay *relay)
{
    dj_batch *batch = NULL;
    int err;
    while (!(err = dj_source_next(source, a->context, &batch)) && batch) {
        err = dj_relay_write(relay, a->context, batch);
        dj_batch_release(batch);
        if (err)
            break;
    }
    return err;
}

static int pass_on(dj_analysis *a)
{
    const char *slash = strrchr(a->path, '/');
    char *folder = strndup(a->path, slash ? (size_t)(slash - a->path) : 0);
    const dj_relay_config config = {
        .folder = folder, .reader = a->config.reader, .image = a->config.image, .command = a->config.words};
    dj_relay *relay = NULL;
    dj_source *source = NULL;
    int err =
        folder ? dj_channel_source(a->channel, a->context, &source) : dj_fail_memory(a->context, "a path", 0);
    if (!err)
        err = dj_relay_open(a->context, &config, &relay);
    if (!err)
        err = pass_on_all(a, source, relay);
    bool opened = relay != NULL, failed = err && err != DJ_ERR_STOPPED; // that is what the reader wants
    char fault[512];
    snprintf(fault, sizeof fault, "the recording is partial: %s", dj_context_message(a->context));
    dj_relay_close(relay, failed ? fault : NULL);
    dj_source_close(source);
    free(folder);
    return opened ? DJ_OK : err;
}

static void *work(void *argument)
{
    dj_analysis *a = argument;
    dj_last_thread_begin(a->config.leave);
    a->err = a->config.reader ? pass_on(a) : analyze(a);
    dj_channel_abandon(a->channel);
    return NULL;
}

static void destroy(dj_analysis *a)
{
    free(a->path);
    dj_context_destroy(a->context);
    free(a);
}

// Blocks signals, which are for the program's threads.
static int start_thread(dj_analysis *a)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&a->thread, NULL, work, a);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

int dj_analysis_start(dj_context *context, const dj_analysis_config *config, dj_channel *channel,
                      dj_analysis **out)
{
    dj_analysis *a = calloc(1, sizeof *a);
    if (!a)
        return dj_fail_memory(context, "the recorder", sizeof *a);
    a->channel = channel;
    a->config = *config;
    a->began = a->saved = now();
    a->wait = save_seconds_least;
    struct stat about;
    int err = expand(context, config->path, &a->path);
    a->device = !err && stat(a->path, &about) == 0 && !S_ISREG(about.st_mode);
    if (!err)
        err = dj_context_create(&a->context);
    if (!err && start_thread(a) != 0)
        err = dj_fail(context, DJ_ERR_MEMORY, "cannot start a thread for the analysis");
    if (err)
        destroy(a);
    else
        *out = a;
    return err;
}

int dj_analysis_end(dj_analysis *a, dj_context *context)
{
    pthread_join(a->thread, NULL);
    int err = a->err ? dj_fail(context, (enum dj_err)a->err, "%s", dj_context_message(a->context)) : DJ_OK;
    destroy(a);
    return err;
}
