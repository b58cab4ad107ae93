// SPDX-License-Identifier: MIT
// Start and end of a recorder.
#include "annotations/recorder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// "1,2,4"
static void set_blocks(dj_analysis_config *c, const char *list)
{
    char *end;
    for (c->block_count = 0; *list && c->block_count < DJ_ANALYSIS_BLOCKS; list = *end ? end + 1 : end)
        c->blocks[c->block_count++] = strtoull(list, &end, 10);
}

static void set_option(dj_recorder_state *s, const char *name, const char *value)
{
    dj_analysis_config *c = &s->config;
    if (strcmp(name, "by") == 0)
        c->whole = strcmp(value, "none") == 0;
    else if (strcmp(name, "start-at") == 0)
        c->counting.start_at = value;
    else if (strcmp(name, "within") == 0)
        c->counting.within = value;
    else if (strcmp(name, "skip") == 0)
        c->counting.skip = strtoull(value, NULL, 10);
    else if (strcmp(name, "stop-after") == 0)
        c->counting.stop_after = strtoull(value, NULL, 10);
    else if (strcmp(name, "engine") == 0)
        c->engine = value;
    else if (strcmp(name, "blocks") == 0)
        set_blocks(c, value);
    else if (strcmp(name, "statements") == 0)
        c->statements = strcmp(value, "1") == 0;
}

// Lines NAME=VALUE.
static void read_options(dj_recorder_state *s, const char *text)
{
    s->options = text ? strdup(text) : NULL;
    char *rest = s->options, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *value = strchr(line, '=');
        if (value) {
            *value++ = 0;
            set_option(s, line, value);
        }
    }
}

bool dj_recorder_configure(dj_recorder_state *s)
{
    const char *path = getenv("DEJA_RECORD"), *process = getenv("DEJA_RECORD_PROCESS");
    char own[32];
    if (!path || !*path)
        return false;
    // A program started by this one must not overwrite its profile.
    snprintf(own, sizeof own, "%d", (int)getpid());
    if (process && strcmp(process, own) != 0 && !strstr(path, "%p"))
        return false;
    setenv("DEJA_RECORD_PROCESS", own, 1);
    s->path = strdup(path);
    const char *statements = getenv("DEJA_RECORD_STATEMENTS");
    if (statements)
        set_option(s, "statements", statements);
    read_options(s, getenv("DEJA_RECORD_OPTIONS"));
    return s->path != NULL;
}

// To the locator, each record is a heap block of element numbers.
static int claim(void *user, dj_context *context, uint64_t first, uint64_t count, const dj_record *record)
{
    const dj_recorder_state *s = user;
    const char *name = record->name[0] ? record->name : "data without a name";
    const dj_event event = {s->batch->count, DJ_EVENT_ALLOC, 0, first, count, name};
    return dj_batch_add_event(context, s->batch, &event);
}

static int release(void *user, dj_context *context, uint64_t first)
{
    const dj_recorder_state *s = user;
    const dj_event event = {s->batch->count, DJ_EVENT_FREE, 0, first, 0, ""};
    return dj_batch_add_event(context, s->batch, &event);
}

// The command line, arguments separated by blanks.
static void read_command(char *to, size_t capacity)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, to, capacity - 1) : 0;
    if (fd >= 0)
        close(fd);
    got = got > 0 ? got : 0;
    while (got > 0 && to[got - 1] == 0)
        got--;
    for (ssize_t i = 0; i < got; i++)
        to[i] = to[i] ? to[i] : ' ';
    to[got] = 0;
}

int dj_recorder_begin(dj_recorder_state *s)
{
    static const dj_records_ops ops = {claim, release};
    static char command[4096];
    read_command(command, sizeof command);
    s->config.path = s->path;
    s->config.command = command;
    s->config.outside = &s->outside;
    int err = dj_context_create(&s->context);
    if (!err)
        err = dj_records_create(&s->records, s->context, &ops, s);
    if (!err)
        err = dj_live_sites_create(&s->sites, s->context);
    if (!err)
        err = dj_channel_create(s->context, &s->flush_requested, &s->channel);
    return err ? err : dj_analysis_start(s->context, &s->config, s->channel, &s->analysis);
}

void dj_recorder_end(dj_recorder_state *s)
{
    if (!s->analysis)
        return;
    if (s->batch)
        dj_batch_set_columns(s->batch, DJ_COLUMN_SITE | DJ_COLUMN_KIND);
    dj_channel_close(s->channel, s->batch);
    int err = dj_analysis_end(s->analysis, s->context);
    if (err)
        fprintf(stderr, "deja: %s\n", dj_context_message(s->context));
    dj_channel_destroy(s->channel);
    dj_live_sites_destroy(&s->sites);
    dj_records_destroy(&s->records);
    dj_context_destroy(s->context);
    free(s->path);
    free(s->options);
}
