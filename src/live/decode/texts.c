// SPDX-License-Identifier: MIT
// What the tracer reports about the process: names, threads, messages.
#include "live/decode/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell_word.h"
#include "base/text.h"
#include "base/text_stream.h"

enum { MESSAGE_MOST = 4096, CHILDREN_MOST = 1 << 16 };

// Text shown to users: a terminal must not interpret it as commands.
static void make_printable(char *text)
{
    for (char *c = text; *c; c++)
        if (dj_is_control(*c))
            *c = *c == 1 || *c == '\n' ? ' ' : '?';
}

char *dj_decode_text(const uint64_t *words, size_t count, bool printable)
{
    char *text = malloc(count * sizeof *words + 1);
    if (!text)
        return NULL;
    memcpy(text, words, count * sizeof *words);
    text[count * sizeof *words] = '\0';
    if (printable)
        make_printable(text);
    return text;
}

static int take_text(dj_context *context, char **to, const uint64_t *words, size_t count, bool printable)
{
    char *text = dj_decode_text(words, count, printable);
    if (!text)
        return dj_fail_memory(context, "a text of the tracer", count * sizeof *words);
    free(*to);
    *to = text;
    return DJ_OK;
}

int dj_decode_message(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count)
{
    if (!d->message)
        return take_text(context, &d->message, words, count, true);
    char *text = dj_decode_text(words, count, true), *both = NULL;
    bool fits = text && strlen(d->message) + strlen(text) < MESSAGE_MOST;
    if (fits && asprintf(&both, "%s\n%s", d->message, text) < 0)
        both = NULL;
    free(text);
    if (!text || (fits && !both))
        return dj_fail_memory(context, "a message of the tracer", 0);
    if (both) {
        free(d->message);
        d->message = both;
    }
    return DJ_OK;
}

int dj_decode_module(dj_decoder *d, dj_context *context, bool silent, const uint64_t *words, size_t count,
                     dj_batch *batch)
{
    if (count < 2)
        return dj_fail(context, DJ_ERR_INPUT, "the record of an object file has %zu words", count);
    char *path = dj_decode_text(words + 2, count - 2, false);
    int err = path ? dj_live_sites_add_module(&d->sites, context, batch, words[0], words[1], silent, path)
                   : dj_fail_memory(context, "the name of an object file", 0);
    free(path);
    return err;
}

int dj_decode_thread(dj_decoder *d, dj_context *context, uint32_t id, const uint64_t *words, size_t count,
                     dj_batch *batch)
{
    if (count < 2)
        return dj_fail(context, DJ_ERR_INPUT, "the record of a thread has %zu words", count);
    dj_live_thread *thread = d->thread;
    int err = thread->id == id ? DJ_OK : dj_threads_find(&d->threads, context, id, &thread);
    if (err)
        return err;
    bool known = thread == d->thread && thread->stack_lo == words[0] && thread->stack_hi == words[1];
    d->thread = thread;
    thread->stack_lo = words[0];
    thread->stack_hi = words[1];
    return known && !thread->name ? DJ_OK : dj_thread_announce(thread, context, batch);
}

int dj_decode_thread_name(dj_decoder *d, dj_context *context, uint32_t id, const uint64_t *words,
                          size_t count, dj_batch *batch)
{
    dj_live_thread *thread;
    int err = dj_threads_find(&d->threads, context, id, &thread);
    if (!err)
        err = take_text(context, &thread->name, words, count, true);
    return err || thread != d->thread ? err : dj_thread_announce(thread, context, batch);
}

// Threads have the same numbers in the ring and in the stream.
int dj_decode_sync(dj_context *context, uint32_t id, const uint64_t *words, size_t count, dj_batch *batch)
{
    const uint32_t either = DJ_SYNC_ACQUIRE | DJ_SYNC_RELEASE;
    if (count < 1 || !(id & either) || id & ~(either | DJ_SYNC_THREAD))
        return dj_fail(context, DJ_ERR_INPUT, "the record of a synchronization of type %u has %zu words", id,
                       count);
    return dj_decode_event(context, batch, DJ_EVENT_SYNC, id, words[0], 0);
}

int dj_decode_region(dj_context *context, uint32_t id, const uint64_t *words, size_t count, dj_batch *batch)
{
    char *name = dj_decode_text(words, count, true);
    dj_event event = {batch->count, DJ_EVENT_REGION, id != 0, 0, 0, name};
    int err = name ? dj_batch_add_event(context, batch, &event)
                   : dj_fail_memory(context, "the name of a region", 0);
    free(name);
    return err;
}

int dj_decode_fork(dj_decoder *d, dj_context *context, uint32_t pid)
{
    uint32_t *grown = d->child_count < CHILDREN_MOST
                          ? realloc(d->children, (d->child_count + 1) * sizeof *grown)
                          : d->children;
    if (!grown)
        return dj_fail_memory(context, "the children of a process", 0);
    d->children = grown;
    if (d->child_count < CHILDREN_MOST)
        d->children[d->child_count++] = pid;
    return DJ_OK;
}

// The tracer separates arguments by byte 1.
int dj_decode_command(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count)
{
    char *text = dj_decode_text(words, count, false), *rest = text, *argument, *line = NULL;
    dj_text_stream stream;
    if (text && dj_text_stream_open(&stream)) {
        while ((argument = strsep(&rest, "\1"))) {
            fputs(argument > text ? " " : "", stream.file);
            make_printable(argument);
            dj_shell_word_print(stream.file, argument);
        }
        line = dj_text_stream_close(&stream, NULL);
    }
    free(text);
    if (!line)
        return dj_fail_memory(context, "a command line", count * sizeof *words);
    free(d->command);
    d->command = line;
    return DJ_OK;
}
