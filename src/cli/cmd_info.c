// SPDX-License-Identifier: MIT
// What this build knows and what this machine has.
#include <deja/engine.h>
#include <deja/source.h>
#include <deja/version.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/machine.h"
#include "base/option.h"
#include "cli/command.h"
#include "cli/info.h"
#include "cli/output.h"

typedef struct options {
    dj_output_options output;
} options;

enum topic { FORMATS = 1, ENGINES = 2, MACHINE = 4, ALL = 7 };

static const char *const class_names[] = {"memory", "block I/O", "keys"};

static const struct {
    uint32_t bit;
    const char *name;
} capabilities[] = {
    {DJ_CAN_EXACT, "exact"},     {DJ_CAN_PER_ACCESS, "per-access"}, {DJ_CAN_TAGS, "tags"},
    {DJ_CAN_TIMES, "times"},     {DJ_CAN_SUMMARY, "summary"},       {DJ_CAN_BOUNDED, "bounded"},
    {DJ_CAN_WEIGHTS, "weights"}, {DJ_CAN_TOTALS, "totals"},
};

enum { CAPABILITIES = sizeof capabilities / sizeof capabilities[0] };

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    return dj_output_list(context, &o->output, groups);
}

void dj_info_print_bytes(FILE *out, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    fprintf(out, "%.4g %s", value, units[unit]);
}

static void print_formats(FILE *out, size_t width)
{
    fputs("Formats (--format NAME; found by content and name otherwise)\n", out);
    for (size_t i = 0; i < dj_format_count(); i++) {
        dj_format_info format;
        if (dj_format_get(i, &format) != DJ_OK)
            continue;
        fprintf(out, "  %-16s %-10s ", format.name, class_names[format.kind]);
        dj_text_continue_wrapped(out, format.summary, 30, width);
    }
}

static void print_engines(FILE *out, size_t width)
{
    fprintf(out, "Engines (--engine NAME; without it %s,", dj_engine_get(0)->name);
    for (size_t i = 0; i < dj_engine_count(); i++)
        if (dj_engine_get(i)->for_long)
            fprintf(out, " or %s", dj_engine_get(i)->name);
    fputs(" for long traces)\n", out);
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        fprintf(out, "  %-16s ", engine->name);
        dj_text_continue_wrapped(out, engine->summary, 19, width);
        fprintf(out, "  %-16s cost: ", "");
        dj_text_continue_wrapped(out, engine->cost, 25, width);
        fprintf(out, "  %-16s can: ", "");
        const char *between = "";
        for (size_t c = 0; c < CAPABILITIES; c++) {
            if (!(engine->can & capabilities[c].bit))
                continue;
            fprintf(out, "%s%s", between, capabilities[c].name);
            between = ", ";
        }
        fputc('\n', out);
    }
}

static void print_cache(FILE *out, const dj_cache *cache)
{
    char name[16];
    dj_cache_name(cache, name);
    fprintf(out, "  %-16s ", name);
    dj_info_print_bytes(out, cache->bytes);
    if (cache->line_bytes) {
        fprintf(out, ", lines of %llu bytes", (unsigned long long)cache->line_bytes);
        if (cache->ways == cache->bytes / cache->line_bytes)
            fputs(", fully associative", out);
        else if (cache->ways)
            fprintf(out, ", %llu ways", (unsigned long long)cache->ways);
    }
    if (cache->cpus > 1)
        fprintf(out, ", shared by %u processors", cache->cpus);
    fputc('\n', out);
}

static void print_machine(FILE *out, size_t width)
{
    (void)width;
    char processor[128];
    dj_cache caches[DJ_CACHES_MAX];
    size_t count = dj_machine_caches(NULL, caches);
    dj_machine_processor(processor, sizeof processor);
    fprintf(out, "This machine\n  %-16s %s, %u usable\n  %-16s %s\n  %-16s ", "processor", processor,
            dj_machine_cpus(), "vectors", dj_machine_simd(), "memory");
    dj_info_print_bytes(out, dj_machine_memory_bytes());
    fputc('\n', out);
    for (size_t i = 0; i < count; i++)
        print_cache(out, &caches[i]);
    if (count == 0)
        fputs("  caches           the system does not tell\n", out);
    dj_info_print_gpu(out);
}

static void print_text(const dj_output *output, unsigned topics)
{
    static const struct {
        enum topic topic;
        void (*print)(FILE *out, size_t width);
    } parts[] = {{FORMATS, print_formats}, {ENGINES, print_engines}, {MACHINE, print_machine}};
    size_t width =
        output->terminal ? output->columns : SIZE_MAX; // a line for each format is good to search in
    const char *between = "";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!(topics & parts[i].topic))
            continue;
        fputs(between, output->file);
        parts[i].print(output->file, width);
        between = "\n";
    }
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
        // What --engine auto takes: the default, or one for long traces.
        dj_json_bool(json, "default", i == 0);
        dj_json_bool(json, "for_long_traces", engine->for_long);
        dj_json_bool(json, "needs_gpu", engine->find != NULL);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_caches(dj_json_writer *json)
{
    static const char *const kinds[] = {"data", "instruction", "unified"};
    dj_cache caches[DJ_CACHES_MAX];
    size_t count = dj_machine_caches(NULL, caches);
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

static void write_machine(dj_json_writer *json)
{
    char processor[128];
    dj_machine_processor(processor, sizeof processor);
    dj_json_begin_object(json, "machine");
    dj_json_text(json, "processor", processor);
    dj_json_uint(json, "cpus", dj_machine_cpus());
    dj_json_text(json, "simd", dj_machine_simd());
    dj_json_uint(json, "memory_bytes", dj_machine_memory_bytes());
    write_caches(json);
    dj_info_write_gpu(json);
    dj_json_end_object(json);
}

static void write_json(FILE *out, unsigned topics)
{
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "version", DJ_VERSION);
    if (topics & FORMATS)
        write_formats(&json);
    if (topics & ENGINES)
        write_engines(&json);
    if (topics & MACHINE)
        write_machine(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}

static int choose_topics(dj_context *context, const dj_arguments *arguments, unsigned *topics)
{
    static const char *const names[] = {"formats", "engines", "machine"};
    *topics = arguments->count ? 0 : ALL;
    for (size_t i = 0; i < arguments->count; i++) {
        unsigned bit = 0;
        for (unsigned n = 0; n < 3; n++)
            if (strcmp(arguments->items[i], names[n]) == 0)
                bit = 1u << n;
        if (!bit)
            return dj_fail(context, DJ_ERR_USAGE, "info: '%s' is not one of formats, engines, machine",
                           arguments->items[i]);
        *topics |= bit;
    }
    return DJ_OK;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    unsigned topics = 0;
    int err = choose_topics(context, arguments, &topics);
    dj_output *output = NULL;
    if (!err)
        err = dj_output_open(context, &o->output, &output);
    if (err)
        return err;
    if (output->json)
        write_json(output->file, topics);
    else
        print_text(output, topics);
    return dj_output_close(context, &output);
}

static const dj_example examples[] = {
    {"deja info", "Lists formats, engines and the caches of this machine."},
    {"deja info formats", "Lists the trace formats alone."},
    {"deja info machine --json", "Prints the caches of this machine for a script."},
    {NULL, NULL},
};

const dj_command dj_command_info = {
    .name = "info",
    .summary = "formats, engines, and the caches of this machine",
    .usage = "[options] [formats] [engines] [machine]",
    .description =
        "Lists the trace formats that Deja reads, the engines that it computes distances with (what each "
        "can do and what it costs), and what it found out about this machine: processor, vector "
        "instructions, memory and caches. Without a topic it prints all of them.\n\n"
        "What an engine can do: exact (no estimates), per-access (a distance for each access), tags and "
        "times (remembers the last site and time of each element), summary (pieces of a trace can be "
        "joined), bounded (memory does not grow with the trace), weights (byte distances), totals (can "
        "count distances without telling each).",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
