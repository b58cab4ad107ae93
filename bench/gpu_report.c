// SPDX-License-Identifier: MIT
// A line for each measurement, a table of all at the end, and the same as JSON.
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "bench/gpu.h"

// The memory bandwidth of an H200 in plain copies.
#define DEVICE_BYTES_PER_S 4.3e12

static void end_line(void)
{
    putchar('\n');
    fflush(stdout);
}

void gpu_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    end_line();
}

void gpu_wrong(gpu_bench *bench, const dj_context *context)
{
    bench->failures++;
    gpu_say("WRONG: %s", dj_context_message(context));
}

typedef struct number {
    char text[24];
} number;

static number name_of(uint64_t value)
{
    number n;
    if (value >= 1024 && (value & (value - 1)) == 0)
        snprintf(n.text, sizeof n.text, "2^%d", __builtin_ctzll(value));
    else
        snprintf(n.text, sizeof n.text, "%" PRIu64, value);
    return n;
}

static double rate(const gpu_row *row)
{
    return row->seconds > 0 ? (double)row->accesses / row->seconds : 0;
}

static void print_row(const gpu_row *row)
{
    const double giga = 1e-9 * (double)row->accesses;
    printf("%-8s %-7s %-5s %-11s", name_of(row->accesses).text, row->trace,
           row->keys ? name_of(row->keys).text : "", row->part);
    if (row->threads)
        printf(" -j %-2" PRIu64, row->threads);
    printf(" %7.3f G/s (%.3f to %.3f, %u run%s", giga / row->seconds, giga / row->most_s, giga / row->least_s,
           row->runs, row->runs == 1 ? "" : "s");
    if (row->chunk)
        printf(", chunk %s", name_of(row->chunk).text);
    printf(")");
    if (row->fetched_s > 0)
        printf(", %.3f with the histogram fetched", giga / row->fetched_s);
    if (row->start_s > 0)
        printf(", %.3f without the start of %.2f s", giga / (row->seconds - row->start_s), row->start_s);
    if (row->error >= 0)
        printf(", error %.4f%%, %.3f%% in wrong bins", 100 * row->error, 100 * row->misplaced);
    if (row->elsewhere)
        printf(", NOT on the device");
    if (row->times_fast > 0)
        printf(", %.2f times fast", row->times_fast);
    if (row->goal > 0)
        printf(", goal %.1f %s", 1e-9 * row->goal, rate(row) >= row->goal ? "met" : "MISSED");
    end_line();
}

static void write_row(gpu_bench *bench, const gpu_row *row)
{
    dj_json_writer *json = &bench->json;
    dj_json_begin_row(json, NULL);
    dj_json_text(json, "part", row->part);
    dj_json_text(json, "trace", row->trace);
    dj_json_uint(json, "accesses", row->accesses);
    if (row->keys)
        dj_json_uint(json, "keys", row->keys);
    if (row->chunk)
        dj_json_uint(json, "chunk", row->chunk);
    if (row->threads)
        dj_json_uint(json, "threads", row->threads);
    dj_json_uint(json, "runs", row->runs);
    dj_json_real(json, "accesses_per_s", rate(row));
    dj_json_real(json, "median_seconds", row->seconds);
    dj_json_real(json, "least_seconds", row->least_s);
    dj_json_real(json, "most_seconds", row->most_s);
    if (row->fetched_s > 0)
        dj_json_real(json, "fetched_seconds", row->fetched_s);
    if (row->start_s > 0)
        dj_json_real(json, "start_seconds", row->start_s);
    if (row->error >= 0) {
        dj_json_real(json, "error", row->error);
        dj_json_real(json, "misplaced", row->misplaced);
    }
    if (row->elsewhere)
        dj_json_bool(json, "elsewhere", true);
    if (row->times_fast > 0)
        dj_json_real(json, "times_fast", row->times_fast);
    if (row->goal > 0)
        dj_json_real(json, "goal_per_s", row->goal);
    dj_json_end_object(json);
    fflush(bench->json_file);
}

void gpu_report_row(gpu_bench *bench, const gpu_row *row)
{
    print_row(row);
    if (bench->json_file)
        write_row(bench, row);
    if (bench->row_count < GPU_ROWS)
        bench->rows[bench->row_count++] = *row;
}

static void write_step(gpu_bench *bench, const char *what, const gpu_trace *trace, const dj_gpu_step *step)
{
    dj_json_writer *json = &bench->json;
    dj_json_begin_row(json, NULL);
    dj_json_text(json, "part", "step");
    dj_json_text(json, "of", what);
    dj_json_text(json, "trace", trace->pattern);
    dj_json_uint(json, "accesses", trace->count);
    dj_json_uint(json, "keys", trace->keys);
    dj_json_text(json, "step", step->name);
    dj_json_real(json, "seconds", step->seconds);
    dj_json_real(json, "bytes", step->bytes);
    dj_json_end_object(json);
    fflush(bench->json_file);
}

static void print_step(const dj_gpu_step *step, const gpu_trace *trace, double all_s)
{
    double speed = step->seconds > 0 ? step->bytes / step->seconds : 0;
    gpu_say("  %-22s %9.3f %5.1f%% %12.2f %9.1f %8.1f%%", step->name, 1e3 * step->seconds,
            all_s > 0 ? 100 * step->seconds / all_s : 0, step->bytes / (double)trace->count, 1e-9 * speed,
            100 * speed / DEVICE_BYTES_PER_S);
}

void gpu_report_steps(gpu_bench *bench, const char *what, const gpu_trace *trace, const dj_gpu_step *steps,
                      size_t count)
{
    dj_gpu_step all = {.name = "all"};
    for (size_t i = 0; i < count; i++) {
        all.seconds += steps[i].seconds;
        all.bytes += steps[i].bytes;
    }
    gpu_say("steps of %s, %s accesses, %s over %s keys; the limit is 4.3 TB/s", what,
            name_of(trace->count).text, trace->pattern, name_of(trace->keys).text);
    gpu_say("  %-22s %9s %6s %12s %9s %9s", "", "ms", "share", "bytes/access", "GB/s", "of limit");
    for (size_t i = 0; i < count; i++) {
        print_step(&steps[i], trace, all.seconds);
        if (bench->json_file)
            write_step(bench, what, trace, &steps[i]);
    }
    print_step(&all, trace, all.seconds);
}

static const gpu_row *find(const gpu_bench *bench, const gpu_row *like, const char *part)
{
    for (size_t i = 0; i < bench->row_count; i++) {
        const gpu_row *row = &bench->rows[i];
        if (strcmp(row->part, part) == 0 && strcmp(row->trace, like->trace) == 0 && row->keys == like->keys &&
            (row->accesses == like->accesses || strcmp(part, "fast") == 0 || strcmp(part, "parallel") == 0))
            return row;
    }
    return NULL;
}

static void print_cell(const gpu_row *row)
{
    if (row)
        printf(" %9.3f", 1e-9 * rate(row));
    else
        printf(" %9s", "-");
}

static void print_ratio(const gpu_row *row, const gpu_row *to)
{
    if (row && to)
        printf(" %8.1f", rate(row) / rate(to));
    else
        printf(" %8s", "-");
}

void gpu_report_end(gpu_bench *bench)
{
    static const char *const columns[] = {"device",    "pinned", "answers",  "engine",
                                          "hprda-gpu", "file",   "parallel", "fast"};
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    bool any = false;
    for (size_t i = 0; i < bench->row_count; i++) {
        const gpu_row *row = &bench->rows[i];
        // CPU engines may have seen only the beginning, and then have no row.
        bool first =
            row->threads == 0 && strcmp(row->part, "fast") != 0 && strcmp(row->part, "parallel") != 0;
        for (size_t j = 0; first && j < i; j++)
            first = bench->rows[j].threads || strcmp(bench->rows[j].trace, row->trace) != 0 ||
                    bench->rows[j].accesses != row->accesses || bench->rows[j].keys != row->keys;
        if (!first)
            continue;
        if (!any) {
            printf("\nmedians, G accesses/s\n%-19s", "");
            for (size_t c = 0; c < COLUMNS; c++)
                printf(" %9s", columns[c]);
            printf(" %8s %8s\n", "of fast", "of par.");
            any = true;
        }
        printf("%-5s %-7s %-5s", name_of(row->accesses).text, row->trace, name_of(row->keys).text);
        for (size_t c = 0; c < COLUMNS; c++)
            print_cell(find(bench, row, columns[c]));
        print_ratio(find(bench, row, "device"), find(bench, row, "fast"));
        print_ratio(find(bench, row, "device"), find(bench, row, "parallel"));
        printf("\n");
    }
    if (any)
        gpu_say("fast (one thread) and parallel (all) tell distances, without a histogram, of the beginning "
                "of the\n"
                "trace; the last columns are what the device does, from its memory, times those");
}
