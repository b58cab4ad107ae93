// SPDX-License-Identifier: MIT
// deja info: the formats and engines of this build, and this machine.
#include <deja/engine.h>
#include <deja/source.h>
#include <deja/version.h>
#include <string.h>

#include "base/json/writer.h"
#include "base/machine.h"
#include "base/option/option.h"
#include "cli/command.h"
#include "cli/options/export.h"
#include "cli/options/output.h"
#include "cli/verbs/info.h"

typedef struct options {
    dj_output_options output;
    dj_export_options export;
    bool calibrate;
} options;

static const dj_option own_options[] = {
    {"calibrate", 0, DJ_OPTION_FLAG, offsetof(options, calibrate), NULL,
     "measure what memory costs on this machine, in a few seconds, and keep it for estimates of time", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

enum topic { FORMATS = 1, ENGINES = 2, MACHINE = 4, ALL = 7 };
static const char *const topic_names[] = {"formats", "engines", "machine", NULL}; // in the order of the bits

static const char *const class_names[] = {"memory", "block I/O", "keys"};

static const struct {
    uint32_t bit;
    const char *name;
} capabilities[] = {
    {DJ_CAN_EXACT, "exact"},     {DJ_CAN_PER_ACCESS, "per-access"}, {DJ_CAN_TAGS, "tags"},
    {DJ_CAN_TIMES, "times"},     {DJ_CAN_SUMMARY, "summary"},       {DJ_CAN_BOUNDED, "bounded"},
    {DJ_CAN_WEIGHTS, "weights"}, {DJ_CAN_TOTALS, "totals"},         {DJ_CAN_INVALIDATE, "invalidate"},
    {DJ_CAN_REMOVE, "remove"},
};

enum { CAPABILITIES = sizeof capabilities / sizeof capabilities[0] };

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    groups->words = topic_names;
    int err = dj_groups_add(context, groups, "Machine", own_options, o);
    if (!err)
        err = dj_export_list(context, &o->export, 0, "a table for each topic", groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

const char *dj_info_bytes(dj_document *document, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    return dj_document_format(document, "%.4g %s", value, units[unit]);
}

enum { NAME_WIDTH = 16, CLASS_WIDTH = 10, NOTE_INDENT = 19 };

static dj_sheet *add_table(dj_document *document, const char *title)
{
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, title);
    dj_sheet_node(table)->data = true;
    dj_sheet_add_column(table, (dj_sheet_column){.title = "", .name = "name", .width = NAME_WIDTH});
    return table;
}

static void add_formats(dj_document *document)
{
    dj_sheet *table =
        add_table(document, "Formats (--format NAME; by default detected from content and name)");
    dj_sheet_add_column(table,
                        (dj_sheet_column){.title = "", .name = "class", .width = CLASS_WIDTH, .left = true});
    dj_sheet_add_column(table,
                        (dj_sheet_column){.title = "", .name = "summary", .left = true, .wraps = true});
    for (size_t i = 0; i < dj_format_count(); i++) {
        dj_format_info format;
        if (dj_format_get(i, &format) != DJ_OK)
            continue;
        dj_sheet_row *row = dj_sheet_add_row(table);
        dj_row_put(table, row, dj_datum_text(format.name));
        dj_row_put(table, row, dj_datum_text(class_names[format.kind]));
        dj_row_put(table, row, dj_datum_text(format.summary));
    }
}

static const char *name_capabilities(dj_document *document, const dj_engine_ops *engine)
{
    const char *text = "";
    for (size_t c = 0; c < CAPABILITIES; c++)
        if (engine->can & capabilities[c].bit)
            text = dj_document_format(document, "%s%s%s", text, *text ? ", " : "", capabilities[c].name);
    return text;
}

static void add_note(dj_sheet *table, dj_sheet_row *row, const char *what, const char *text)
{
    dj_text *note = dj_row_note(table, row, NOTE_INDENT);
    note->role = DJ_TEXT_SENTENCES;
    dj_text_add(table->document, note, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, "%s: %s", what, text);
}

static const char *name_engines(dj_document *document)
{
    const char *text =
        dj_document_format(document, "Engines (--engine NAME; by default %s,", dj_engine_get(0)->name);
    for (size_t i = 0; i < dj_engine_count(); i++)
        if (dj_engine_get(i)->for_long_traces)
            text = dj_document_format(document, "%s or %s", text, dj_engine_get(i)->name);
    return dj_document_format(document, "%s for long traces)", text);
}

static void add_engines(dj_document *document)
{
    dj_sheet *table = add_table(document, name_engines(document));
    dj_sheet_add_column(table,
                        (dj_sheet_column){.title = "", .name = "summary", .left = true, .wraps = true});
    dj_sheet_add_column(table, (dj_sheet_column){.name = "cost"});
    dj_sheet_add_column(table, (dj_sheet_column){.name = "can"});
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        const char *can = name_capabilities(document, engine);
        dj_sheet_row *row = dj_sheet_add_row(table);
        dj_row_put(table, row, dj_datum_text(engine->name));
        dj_row_put(table, row, dj_datum_text(engine->summary));
        dj_row_put(table, row, dj_datum_text(engine->cost));
        dj_row_put(table, row, dj_datum_text(can));
        add_note(table, row, "cost", engine->cost);
        add_note(table, row, "can", can);
    }
}

static void add_cache(dj_document *document, dj_node *facts, const dj_cache *cache)
{
    char name[16];
    dj_cache_name(cache, name);
    const char *text = dj_info_bytes(document, cache->bytes);
    if (cache->line_bytes)
        text = dj_document_format(document, "%s, lines of %llu bytes", text,
                                  (unsigned long long)cache->line_bytes);
    if (cache->line_bytes && cache->ways == cache->bytes / cache->line_bytes)
        text = dj_document_format(document, "%s, fully associative", text);
    else if (cache->line_bytes && cache->ways)
        text = dj_document_format(document, "%s, %llu ways", text, (unsigned long long)cache->ways);
    if (cache->cpus > 1)
        text = dj_document_format(document, "%s, shared by %u processors", text, cache->cpus);
    dj_facts_add(document, facts, name, dj_datum_text(text), "");
}

typedef struct machine {
    char processor[128];
    dj_cache caches[DJ_CACHES_MAX];
    size_t cache_count;
    dj_machine_costs costs;
    dj_gpu_info gpu;
    bool has_gpu;
} machine;

static int find_machine(dj_context *context, bool calibrate, machine *m)
{
    int err = dj_machine_caches(context, NULL, m->caches, &m->cache_count);
    if (!err)
        err = dj_machine_processor(context, m->processor, sizeof m->processor);
    if (!err)
        err = dj_info_find_costs(context, calibrate, &m->costs);
    return err ? err : dj_info_find_gpu(context, &m->gpu, &m->has_gpu);
}

static void add_machine(dj_document *document, const machine *m)
{
    dj_document_say(document, DJ_TEXT_HEADING, 0, "This machine");
    dj_node *facts = dj_document_facts(document);
    facts->gap = false;
    facts->data = true;
    dj_facts_add(
        document, facts, "processor",
        dj_datum_text(dj_document_format(document, "%s, %u usable", m->processor, dj_machine_cpus())), "");
    dj_facts_add(document, facts, "vectors", dj_datum_text(dj_machine_simd()), "");
    dj_facts_add(document, facts, "memory", dj_datum_text(dj_info_bytes(document, dj_machine_memory_bytes())),
                 "");
    for (size_t i = 0; i < m->cache_count; i++)
        add_cache(document, facts, &m->caches[i]);
    if (m->cache_count == 0)
        dj_facts_add(document, facts, "caches", dj_datum_text("unknown to the system"), "");
    dj_info_add_gpu(document, facts, &m->gpu, m->has_gpu);
    dj_info_add_costs(document, &m->costs);
}

static int print(dj_context *context, const options *o, dj_output *output, unsigned topics, const machine *m)
{
    dj_document *document = NULL, *finished = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    if (topics & FORMATS)
        add_formats(document);
    if (topics & ENGINES)
        add_engines(document);
    if (topics & MACHINE)
        add_machine(document, m);
    err = dj_document_finish(context, DJ_OK, document, &finished);
    if (!output->sized)
        output->columns = DJ_WIDTH_MOST; // one line per format, so that grep finds it
    if (!err)
        err = dj_export_render(context, &o->export, finished, NULL, output);
    dj_document_destroy(finished);
    return err;
}

static void write_formats(dj_json_writer *json)
{
    dj_json_begin_list(json, "formats");
    for (size_t i = 0; i < dj_format_count(); i++) {
        dj_format_info format;
        if (dj_format_get(i, &format) != DJ_OK)
            continue;
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", format.name);
        dj_json_text(json, "summary", format.summary);
        dj_json_text(json, "class", class_names[format.kind]);
        dj_json_text(json, "extensions", format.extensions);
        dj_json_bool(json, "binary", format.binary);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_engines(dj_json_writer *json)
{
    dj_json_begin_list(json, "engines");
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", engine->name);
        dj_json_text(json, "summary", engine->summary);
        dj_json_text(json, "cost", engine->cost);
        dj_json_begin_list(json, "can");
        for (size_t c = 0; c < CAPABILITIES; c++)
            if (engine->can & capabilities[c].bit)
                dj_json_text(json, NULL, capabilities[c].name);
        dj_json_end_list(json);
        // --engine auto selects the default, or one for long traces.
        dj_json_bool(json, "default", i == 0);
        dj_json_bool(json, "for_long_traces", engine->for_long_traces);
        dj_json_bool(json, "needs_gpu", engine->find_device != NULL);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_caches(dj_json_writer *json, const dj_cache *caches, size_t count)
{
    static const char *const kinds[] = {"data", "instruction", "unified"};
    dj_json_begin_list(json, "caches");
    for (size_t i = 0; i < count; i++) {
        char name[16];
        dj_cache_name(&caches[i], name);
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", name);
        dj_json_uint(json, "level", caches[i].level);
        dj_json_text(json, "kind", kinds[caches[i].kind]);
        dj_json_uint(json, "bytes", caches[i].bytes);
        dj_json_uint(json, "line_bytes", caches[i].line_bytes);
        dj_json_uint(json, "ways", caches[i].ways);
        dj_json_uint(json, "cpus", caches[i].cpus);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_machine(dj_json_writer *json, const machine *m)
{
    dj_json_begin_object(json, "machine");
    dj_json_text(json, "processor", m->processor);
    dj_json_uint(json, "cpus", dj_machine_cpus());
    dj_json_text(json, "simd", dj_machine_simd());
    dj_json_uint(json, "memory_bytes", dj_machine_memory_bytes());
    write_caches(json, m->caches, m->cache_count);
    dj_info_write_costs(json, &m->costs);
    dj_info_write_gpu(json, &m->gpu, m->has_gpu);
    dj_json_end_object(json);
}

static void write_json(FILE *out, unsigned topics, const machine *m)
{
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "version", DJ_VERSION);
    if (topics & FORMATS)
        write_formats(&json);
    if (topics & ENGINES)
        write_engines(&json);
    if (topics & MACHINE)
        write_machine(&json, m);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}

static int choose_topics(dj_context *context, const dj_arguments *arguments, unsigned *topics)
{
    *topics = arguments->count ? 0 : ALL;
    for (size_t i = 0; i < arguments->count; i++) {
        unsigned bit = 0;
        for (unsigned n = 0; topic_names[n]; n++)
            if (strcmp(arguments->items[i], topic_names[n]) == 0)
                bit = 1u << n;
        if (!bit) {
            const char *word = arguments->items[i], *near = dj_nearest_word(word, topic_names, 3);
            return near ? dj_fail(context, DJ_ERR_USAGE, "unknown topic '%s'; did you mean '%s'?", word, near)
                        : dj_fail(context, DJ_ERR_USAGE,
                                  "unknown topic '%s'; topics are formats, engines and machine", word);
        }
        *topics |= bit;
    }
    return DJ_OK;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    unsigned topics = 0;
    int err = dj_export_check(context, &o->export, &o->output);
    dj_output *output = NULL;
    machine m = {.cache_count = 0};
    if (!err)
        err = choose_topics(context, arguments, &topics);
    if (!err && o->calibrate && !(topics & MACHINE))
        err = dj_fail(context, DJ_ERR_USAGE,
                      "--calibrate measures this machine: 'deja info machine --calibrate'");
    if (!err && topics & MACHINE)
        err = find_machine(context, o->calibrate, &m);
    if (!err)
        err = dj_output_open(context, &o->output, &output);
    if (err)
        return err;
    if (output->json)
        write_json(output->file, topics, &m);
    else
        err = print(context, o, output, topics, &m);
    return dj_output_end(context, err, &output);
}

static const dj_example examples[] = {
    {"deja info", "Lists formats, engines and this machine's caches."},
    {"deja info formats", "Lists only the trace formats."},
    {"deja info machine --json", "Prints this machine's caches for a script."},
    {"deja info machine --calibrate", "Measures what memory costs, for estimates of time."},
    {NULL, NULL},
};

const dj_command dj_command_info = {
    .name = "info",
    .summary = "list formats, engines, and this machine's caches",
    .usage = "[options] [formats] [engines] [machine]",
    .description =
        "Lists the trace formats that Deja reads, the engines that compute distances (what each can do and "
        "what it costs), and the properties of this machine: processor, vector instructions, memory, caches "
        "and GPU. Without a topic it lists all of them.",
    .details =
        "Capabilities of an engine: exact (no estimates), per-access (reports the distance of each access), "
        "tags and times (remembers the last site and time of each element), summary (parts of a trace can be "
        "joined), bounded (memory does not grow with the trace), weights (byte distances), totals (can count "
        "distances without reporting each), invalidate and remove (elements can leave the stack, with or "
        "without "
        "leaving a hole).\n\n"
        "--calibrate takes less than ten seconds, and is best run on an idle machine. It measures, in "
        "memory of several sizes, how long a load takes that waits for the one before, independent loads and "
        "updates in random order, and sequences that are read or written. The result is kept in "
        "$DEJA_MACHINE or, without that variable, in deja/machine.json in $XDG_CONFIG_HOME or ~/.config. "
        "Reports with --sort time use it.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
