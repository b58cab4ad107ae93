// SPDX-License-Identifier: MIT
// Start and end of a recorder.
#include "annotations/recorder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shell_word.h"

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
    else if (strcmp(name, "reader") == 0)
        c->reader = (pid_t)strtol(value, NULL, 10);
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

// DEJA_RECORD_PROCESS is PID.IMAGE of the last program with a recorder. Whether this one may record: one that
// was started by another must not overwrite its profile.
static bool follow_process(dj_recorder_state *s, const char *path)
{
    const char *last = getenv("DEJA_RECORD_PROCESS");
    char own[32];
    int process;
    unsigned image;
    bool known = last && sscanf(last, "%d.%u", &process, &image) == 2,
         same = known && process == (int)getpid();
    if (known && !same && !strstr(path, "%p"))
        return false;
    s->config.image = same ? image + 1 : 0;
    snprintf(own, sizeof own, "%d.%u", (int)getpid(), s->config.image);
    setenv("DEJA_RECORD_PROCESS", own, 1);
    return true;
}

bool dj_recorder_configure(dj_recorder_state *s)
{
    const char *path = getenv("DEJA_RECORD");
    if (!path || !*path || !follow_process(s, path))
        return false;
    s->path = strdup(path);
    const char *statements = getenv("DEJA_RECORD_STATEMENTS");
    if (statements)
        set_option(s, "statements", statements);
    read_options(s, getenv("DEJA_RECORD_OPTIONS"));
    s->config.statements |= s->config.reader != 0; // for whoever reads the recording
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

enum { COMMAND_MOST = 4096 };

// The words of the command line, as much as fits, separated by byte 1.
static void read_words(char *to)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, to, COMMAND_MOST - 1) : 0;
    if (fd >= 0)
        close(fd);
    got = got > 0 ? got : 0;
    while (got > 0 && to[got - 1] == 0)
        got--;
    for (ssize_t i = 0; i < got; i++)
        to[i] = to[i] ? to[i] : '\1';
    to[got] = 0;
}

static void print_command(char *to, const char *words)
{
    char copy[COMMAND_MOST], *rest = copy, *word;
    memcpy(copy, words, sizeof copy);
    memset(to, 0, COMMAND_MOST);
    FILE *line = fmemopen(to, COMMAND_MOST - 1, "w");
    while (line && (word = strsep(&rest, "\1"))) {
        fputs(word > copy ? " " : "", line);
        dj_shell_word_print(line, word);
    }
    if (line)
        fclose(line);
}

int dj_recorder_begin(dj_recorder_state *s)
{
    static const dj_records_ops ops = {claim, release};
    static char words[COMMAND_MOST], command[COMMAND_MOST];
    read_words(words);
    print_command(command, words);
    s->config.path = s->path;
    s->config.command = command;
    s->config.words = words;
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
    int sealed = dj_recorder_seal(s), err = s->err ? s->err : sealed;
    if (!err && atomic_load(&s->lost))
        err = dj_fail_memory(s->context, "the calls of a thread", 0);
    bool stopped = err == DJ_ERR_STOPPED; // by the analysis, which says why
    dj_channel_close(s->channel, s->batch, err && !stopped ? dj_context_message(s->context) : NULL);
    err = dj_analysis_end(s->analysis, s->context);
    if (err)
        fprintf(stderr, "deja: %s\n", dj_context_message(s->context));
    dj_channel_destroy(s->channel);
    dj_live_sites_destroy(&s->sites);
    dj_records_destroy(&s->records);
    dj_context_destroy(s->context);
    free(s->path);
    free(s->options);
}
