// SPDX-License-Identifier: MIT
#include "bench/engines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A slow engine is not measured again after this much time on a trace; `stack` sees only the beginning of a
// trace.
enum { ENOUGH_SECONDS = 12, STACK_ACCESSES = 100000, MOST_CONTESTANTS = 32 };

// Names of contestants that are not registered engines.
typedef struct bench_names {
    char text[MOST_CONTESTANTS][32];
    size_t count;
} bench_names;

typedef struct settings {
    bench_common common;
    const char *engines, *threads;
    bool histogram;
    contestant peers[MOST_CONTESTANTS];
    size_t peer_count;
} settings;

static const dj_option option_table[] = {
    BENCH_ACCESSES("length of each trace, at most (default 20000000)"),
    BENCH_MADE_TRACES,
    {"engines", 0, DJ_OPTION_TEXT, offsetof(settings, engines), "LIST",
     "engines to measure, hash among them (default all but stack, which sees 100000 accesses only)", NULL},
    {"threads", 'j', DJ_OPTION_TEXT, offsetof(settings, threads), "LIST",
     "engines that work on several threads take part once for each of these numbers, as in 1,2,4 (default: "
     "once, with all processors)",
     NULL},
    BENCH_REPEAT("rounds over all engines, of which the best counts (default 3)"),
    {"histogram", 0, DJ_OPTION_FLAG, offsetof(settings, histogram), NULL,
     "the engines also fill an exact histogram on the clock, as peers do", NULL},
    BENCH_WHEN_BUSY,
    BENCH_JSON("a JSON list of the rates on standard output"),
    BENCH_HELP,
};

double contestant_rate(const contestant *c)
{
    return c->runs ? (double)c->run.accesses / c->best_s : 0;
}

const contestant *contest_find(const contest *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].runs && strcmp(c->list[i].name, name) == 0)
            return &c->list[i];
    return NULL;
}

// Removes every `--peer NAME=COMMAND` from the arguments.
static int take_peers(dj_context *context, void *into, size_t *count, char **args)
{
    settings *set = into;
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        char *value = strncmp(args[i], "--peer=", 7) == 0 ? args[i] + 7 : NULL;
        if (strcmp(args[i], "--peer") == 0 && i + 1 < *count)
            value = args[++i];
        if (!value) {
            args[kept++] = args[i];
            continue;
        }
        char *equals = strchr(value, '=');
        if (!equals || equals == value || set->peer_count == MOST_CONTESTANTS)
            return dj_fail(context, DJ_ERR_USAGE, "--peer %s: not NAME=COMMAND", value);
        *equals = '\0';
        set->peers[set->peer_count++] = (contestant){.name = value, .command = equals + 1};
    }
    *count = kept;
    return DJ_OK;
}

// Fast enough for long traces, available on every machine, and with a distance for each access.
static bool is_for_all(const dj_engine_ops *engine)
{
    return strcmp(engine->name, "stack") != 0 && !engine->find_device && engine->can & DJ_CAN_PER_ACCESS;
}

static int list_engines(dj_context *context, const char *wanted, contestant *list, size_t *listed)
{
    const char *known[MOST_CONTESTANTS + 1] = {"hash"};
    size_t count = dj_engine_count() < MOST_CONTESTANTS / 2 ? dj_engine_count() : MOST_CONTESTANTS / 2;
    for (size_t i = 0; i < count; i++)
        known[i + 1] = dj_engine_get(i)->name;
    int err = bench_check_list(context, "--engines", wanted, known);
    if (err != DJ_OK)
        return err;
    for (size_t i = 0; known[i]; i++)
        if (bench_listed(wanted, known[i]) && (wanted || i == 0 || is_for_all(dj_engine_get(i - 1))))
            list[(*listed)++] =
                (contestant){.name = known[i], .engine = i ? dj_engine_get(i - 1) : &bench_hash_engine};
    return DJ_OK;
}

// Replaces each contestant with a thread option by one for each number of threads.
static int spread_threads(dj_context *context, const char *numbers, bench_names *names, contestant *list,
                          size_t *listed)
{
    contestant all[MOST_CONTESTANTS] = {{0}};
    size_t count = 0;
    for (size_t i = 0; i < *listed; i++) {
        const char *at = bench_has_threads(list[i].engine) ? numbers : NULL;
        if (!at && count < MOST_CONTESTANTS)
            all[count++] = list[i];
        while (at && count < MOST_CONTESTANTS && names->count < MOST_CONTESTANTS) {
            char *end;
            contestant *next = &all[count++];
            *next = list[i];
            next->threads = strtoull(at, &end, 10);
            if (end == at || next->threads == 0 || (*end != ',' && *end != '\0'))
                return dj_fail(context, DJ_ERR_USAGE, "--threads %s: not a list of numbers, as in 1,2,4",
                               numbers);
            char *name = names->text[names->count++];
            snprintf(name, sizeof names->text[0], "%s-%llu", list[i].name, (unsigned long long)next->threads);
            next->name = name;
            at = *end ? end + 1 : NULL;
        }
    }
    memcpy(list, all, count * sizeof *list);
    *listed = count;
    return DJ_OK;
}

static int measure(dj_context *context, const contest *c, contestant *entry, const char *path)
{
    bench_run run = {.accesses = c->trace->count};
    int err;
    if (entry->engine) {
        bool slow = strcmp(entry->name, "stack") == 0 && c->trace->count > STACK_ACCESSES;
        err = bench_run_engine(context, entry->engine, entry->threads, c->trace,
                               slow ? STACK_ACCESSES : c->trace->count,
                               c->histogram && entry->engine->can & DJ_CAN_EXACT, &run);
    } else {
        err = bench_command_time(context, entry->command, path, c->trace->count, &run.seconds);
    }
    if (err != DJ_OK)
        return dj_fail_within(context, err, "%s on %s", entry->name, c->trace->name);
    entry->spent_s += run.seconds;
    if (entry->runs++ == 0 || run.seconds < entry->best_s)
        entry->best_s = run.seconds;
    entry->run = run;
    return DJ_OK;
}

static int run_rounds(dj_context *context, contest *c, uint64_t rounds, const char *path)
{
    const bool terminal = isatty(STDERR_FILENO);
    for (uint64_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < c->count; i++) {
            contestant *entry = &c->list[i];
            if (round > 0 && entry->spent_s >= ENOUGH_SECONDS)
                continue;
            if (terminal)
                fprintf(stderr, "\r%s: round %u of %u, %-16s", c->trace->name, (unsigned)round + 1,
                        (unsigned)rounds, entry->name);
            int err = measure(context, c, entry, path);
            if (terminal)
                fprintf(stderr, "\r%48s\r", "");
            if (err != DJ_OK)
                return err;
        }
    return DJ_OK;
}

// Checks that all engines that saw the complete trace returned the same distances.
static int check_agreement(dj_context *context, const contest *c)
{
    const contestant *first = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const contestant *entry = &c->list[i];
        if (!entry->engine || !(entry->engine->can & DJ_CAN_EXACT) || entry->run.accesses != c->trace->count)
            continue;
        if (first && entry->run.digest != first->run.digest)
            return dj_fail(context, DJ_ERR_INPUT, "%s: engines %s and %s give different distances",
                           c->trace->name, first->name, entry->name);
        first = entry;
    }
    return DJ_OK;
}

static void write_rows(bench_call *call, const contest *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const contestant *entry = &c->list[i];
        dj_json_writer *json = bench_begin_row(call);
        dj_json_text(json, "trace", c->trace->name);
        dj_json_text(json, "engine", entry->name);
        dj_json_uint(json, "accesses_per_s", (uint64_t)llround(contestant_rate(entry)));
        dj_json_real(json, "bytes_per_key",
                     entry->run.keys ? round(100.0 * (double)entry->run.bytes / (double)entry->run.keys) / 100
                                     : NAN);
        dj_json_end_object(json);
    }
}

static int run_trace(dj_context *context, contest *c, bench_call *call)
{
    const settings *set = call->settings;
    char *path = NULL;
    int err = DJ_OK;
    for (size_t i = 0; i < c->count; i++) {
        contestant *entry = &c->list[i];
        *entry = (contestant){.name = entry->name,
                              .engine = entry->engine,
                              .threads = entry->threads,
                              .command = entry->command};
        if (entry->command && !path)
            err = bench_trace_write(context, c->trace, false, &path);
        if (err != DJ_OK)
            return err;
    }
    err = run_rounds(context, c, set->common.repeat, path);
    if (path)
        unlink(path);
    free(path);
    if (err == DJ_OK)
        err = check_agreement(context, c);
    if (err != DJ_OK)
        return err;
    if (set->common.json) {
        write_rows(call, c);
        return DJ_OK;
    }
    const contestant *hash = contest_find(c, "hash");
    err = bench_limits_measure(context, hash ? hash->run.bytes : UINT64_C(1) << 25, &c->limits);
    if (err == DJ_OK)
        contest_print(c, stdout);
    return err;
}

// Takes ownership of the trace.
static int run_made(dj_context *context, bench_call *call, const contest *all, bench_trace *trace, int made)
{
    contest c = *all;
    c.trace = trace;
    if (made == DJ_OK)
        made = run_trace(context, &c, call);
    bench_trace_free(trace);
    return made;
}

static int run_all(dj_context *context, bench_call *call, const contest *all)
{
    const settings *set = call->settings;
    int err = bench_check_list(context, "--traces", set->common.traces, bench_trace_names);
    for (size_t t = 0; err == DJ_OK && bench_trace_names[t]; t++) {
        if (!bench_listed(set->common.traces, bench_trace_names[t]) ||
            (!set->common.traces && call->name_count > 0))
            continue;
        bench_trace trace = {0};
        int made = bench_trace_make(context, bench_trace_names[t], set->common.accesses, &trace);
        err = run_made(context, call, all, &trace, made);
    }
    for (size_t i = 0; err == DJ_OK && i < call->name_count; i++) {
        bench_trace trace = {0};
        int made = bench_trace_read(context, call->names[i], set->common.accesses, 0, &trace);
        err = run_made(context, call, all, &trace, made);
    }
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    const settings *set = call->settings;
    bench_names names = {.count = 0};
    contestant list[MOST_CONTESTANTS];
    size_t listed = 0;
    int err = list_engines(context, set->engines, list, &listed);
    if (err == DJ_OK && set->threads)
        err = spread_threads(context, set->threads, &names, list, &listed);
    for (size_t i = 0; i < set->peer_count && listed < MOST_CONTESTANTS; i++)
        list[listed++] = set->peers[i];
    const contest all = {.list = list, .count = listed, .histogram = set->histogram};
    return err == DJ_OK ? run_all(context, call, &all) : err;
}

static const settings defaults = {.common = {.accesses = 20000000, .repeat = 3}};

const bench_subject bench_engines = {
    .name = "engines",
    .summary = "accesses per second of each engine, compared with the machine's limits",
    .options = option_table,
    .defaults = &defaults,
    .settings_bytes = sizeof(settings),
    .takes_names = true,
    .more_help =
        "  FILE...              traces to measure instead of generated ones, unless --traces names some\n"
        "  --peer NAME=COMMAND  another program to compare, any number of times; {} in the\n"
        "                       command is a u64le file of the trace. The complete run is timed, unless\n"
        "                       it prints a line `accesses_per_s X`",
    .take = take_peers,
    .run = run};
