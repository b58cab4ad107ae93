// SPDX-License-Identifier: MIT
// The Callgrind Profile Format, version 1, as callgrind_annotate and KCachegrind read it: self costs by
// line, and for each call its line and inclusive costs.
#include <deja/report.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "model/costs.h"

// Costs of a line of a function, or of its calls from that line.
typedef struct entry {
    uint32_t function, file, line;
    uint32_t callee; // DJ_NOWHERE: the line itself
    uint64_t calls;
    size_t costs; // index of the first cost
} entry;

typedef struct writer {
    const dj_attribution *a;
    FILE *out;
    size_t width; // numbers in a cost
    entry *entries;
    size_t count;
    uint64_t *costs;
    bool *file_named, *function_named, *module_named;
} writer;

// A name is written in full at its first occurrence, and by number afterwards.
static void put_name(const writer *w, const char *key, uint32_t index, bool *named, const char *name)
{
    if (index == DJ_NOWHERE) {
        fprintf(w->out, "%s=???\n", key);
        return;
    }
    fprintf(w->out, "%s=(%" PRIu32 ")", key, index + 1);
    if (!named[index]) {
        fputc(' ', w->out);
        dj_plain_print(w->out, name, true);
        named[index] = true;
    }
    fputc('\n', w->out);
}

static void put_file(const writer *w, const char *key, uint32_t file)
{
    put_name(w, key, file, w->file_named, file == DJ_NOWHERE ? "" : w->a->files[file]);
}

// `keys` are those of object, file and function.
static void put_function(const writer *w, const char *const keys[3], uint32_t function)
{
    static const dj_function_row unknown = {"", DJ_NOWHERE, DJ_NOWHERE, 0};
    const dj_function_row *f = function == DJ_NOWHERE ? &unknown : &w->a->functions[function];
    put_name(w, keys[0], f->module, w->module_named,
             f->module == DJ_NOWHERE ? "" : w->a->modules[f->module].path);
    put_file(w, keys[1], f->file);
    put_name(w, keys[2], function, w->function_named, f->name);
}

static void put_costs(const writer *w, uint32_t line, const uint64_t *costs)
{
    fprintf(w->out, "%" PRIu32, line);
    for (size_t i = 0; i < w->width; i++)
        fprintf(w->out, " %" PRIu64, costs[i]);
    fputc('\n', w->out);
}

static uint32_t file_of(const dj_attribution *a, uint32_t function)
{
    return function == DJ_NOWHERE ? DJ_NOWHERE : a->functions[function].file;
}

// By function; within it, the file of the function first, then files of inlined code; within a file by
// line, the line itself before its calls.
static int compare(const void *x, const void *y, void *user)
{
    const entry *p = x, *q = y;
    const dj_attribution *a = user;
    if (p->function != q->function)
        return p->function < q->function ? -1 : 1;
    if (p->file != q->file) {
        uint32_t own = file_of(a, p->function);
        if (p->file == own || q->file == own)
            return p->file == own ? -1 : 1;
        return p->file < q->file ? -1 : 1;
    }
    if (p->line != q->line)
        return p->line < q->line ? -1 : 1;
    uint32_t self_first = p->callee + 1, other = q->callee + 1;
    return self_first < other ? -1 : self_first > other;
}

static void add_places(writer *w)
{
    for (size_t i = 0; i < w->a->place_count; i++) {
        const dj_place_row *place = &w->a->places[i];
        const dj_site_row *site = &w->a->sites[place->site];
        size_t at = w->count * w->width;
        dj_cost_add(w->a, &place->tally, &w->costs[at]);
        w->entries[w->count++] = (entry){.function = dj_place_called(w->a, place),
                                         .file = site->file,
                                         .line = site->line,
                                         .callee = DJ_NOWHERE,
                                         .costs = at};
    }
}

static void add_calls(writer *w, const uint64_t *inclusive)
{
    for (size_t i = 0; i < w->a->cct_count; i++) {
        const dj_cct_node *c = &w->a->cct[i];
        uint32_t caller = c->parent == DJ_NOWHERE ? DJ_NOWHERE : w->a->cct[c->parent].function;
        if (caller == DJ_NOWHERE || c->function == DJ_NOWHERE)
            continue;
        const dj_site_row *site = c->call_site == DJ_NOWHERE ? NULL : &w->a->sites[c->call_site];
        size_t at = w->count * w->width;
        memcpy(&w->costs[at], &inclusive[i * w->width], w->width * sizeof *inclusive);
        w->entries[w->count++] = (entry){.function = caller,
                                         .file = site ? site->file : file_of(w->a, caller),
                                         .line = site ? site->line : 0,
                                         .callee = c->function,
                                         .calls = c->calls > 0 ? c->calls : 1,
                                         .costs = at};
    }
}

// Adds the entries that equal the one at `first` to it; returns their end.
static size_t merge(writer *w, size_t first)
{
    entry *to = &w->entries[first];
    size_t next = first + 1;
    for (; next < w->count && compare(to, &w->entries[next], (void *)(uintptr_t)w->a) == 0; next++) {
        to->calls += w->entries[next].calls;
        for (size_t i = 0; i < w->width; i++)
            w->costs[to->costs + i] += w->costs[w->entries[next].costs + i];
    }
    return next;
}

static void put_entry(const writer *w, const entry *e)
{
    static const char *const keys[] = {"cob", "cfi", "cfn"};
    if (e->callee != DJ_NOWHERE) {
        put_function(w, keys, e->callee);
        fprintf(w->out, "calls=%" PRIu64 " %" PRIu32 "\n", e->calls, w->a->functions[e->callee].line);
    }
    put_costs(w, e->line, &w->costs[e->costs]);
}

static void put_body(writer *w)
{
    static const char *const keys[] = {"ob", "fl", "fn"};
    uint32_t function = 0, file = 0;
    for (size_t i = 0, next; i < w->count; i = next) {
        const entry *e = &w->entries[i];
        if (i == 0 || e->function != function) {
            function = e->function;
            file = file_of(w->a, function);
            fputc('\n', w->out);
            put_function(w, keys, function);
        }
        if (e->file != file)
            put_file(w, e->file == file_of(w->a, function) ? "fe" : "fi", e->file);
        file = e->file;
        next = merge(w, i);
        put_entry(w, e);
    }
}

// Event names are single words; "L1" becomes L1miss, "4 KiB" M4_KiBmiss.
static void put_event(const char *name, FILE *out)
{
    if (!dj_plain_is_word(*name) || *name <= '9')
        fputc('M', out);
    for (const char *at = name; *at; at++)
        fputc(dj_plain_is_word(*at) ? *at : '_', out);
    fputs("miss", out);
}

static void put_line(FILE *out, const char *key, const char *text)
{
    if (!*text)
        return;
    fprintf(out, "%s: ", key);
    dj_plain_print(out, text, true);
    fputc('\n', out);
}

static void put_head(const writer *w, const dj_profile *profile)
{
    const dj_provenance *from = &profile->provenance;
    fputs("# callgrind format\nversion: 1\ncreator: deja ", w->out);
    dj_plain_print(w->out, from->version, true);
    fputc('\n', w->out);
    put_line(w->out, "cmd", from->command);
    if (from->partial)
        put_line(w->out, "desc: Partial", from->partial_reason);
    if (*from->statements)
        put_line(w->out, "desc: Statements", from->statements);
    if (!from->exact)
        put_line(w->out,
                 from->sampling < 1 ? "desc: Estimate from a part of the run, by engine"
                                    : "desc: Estimate by engine",
                 from->engine);
    fputs("positions: line\n", w->out);
    for (size_t i = 0; i < w->a->cut_count; i++) {
        fputs("event: ", w->out);
        put_event(w->a->cuts[i].name, w->out);
        fputs(" : misses in ", w->out);
        dj_plain_print(w->out, w->a->cuts[i].name, true);
        fprintf(w->out, " (%" PRIu64 " blocks)\n", w->a->cuts[i].blocks);
    }
    fputs("event: SumDist : sum of reuse distances\nevents: Refs Writes Cold", w->out);
    for (size_t i = 0; i < w->a->cut_count; i++) {
        fputc(' ', w->out);
        put_event(w->a->cuts[i].name, w->out);
    }
    fputs(" SumDist\n", w->out);
}

static void put_totals(const writer *w)
{
    uint64_t *total = w->costs + w->count * w->width; // reserved for it
    for (size_t i = 0; i < w->a->place_count; i++)
        dj_cost_add(w->a, &w->a->places[i].tally, total);
    fputs("\ntotals:", w->out);
    for (size_t i = 0; i < w->width; i++)
        fprintf(w->out, " %" PRIu64, total[i]);
    fputc('\n', w->out);
}

static int prepare(dj_context *context, writer *w)
{
    const dj_attribution *a = w->a;
    uint64_t *inclusive = NULL;
    size_t most = a->place_count + a->cct_count + 1;
    int err = dj_cost_cct(context, a, &inclusive);
    if (err)
        return err;
    w->entries = calloc(most, sizeof *w->entries);
    w->costs = calloc(most, w->width * sizeof *w->costs);
    w->file_named = calloc(a->file_count + 1, sizeof(bool));
    w->function_named = calloc(a->function_count + 1, sizeof(bool));
    w->module_named = calloc(a->module_count + 1, sizeof(bool));
    if (w->entries && w->costs && w->file_named && w->function_named && w->module_named) {
        add_places(w);
        add_calls(w, inclusive);
        qsort_r(w->entries, w->count, sizeof *w->entries, compare, (void *)(uintptr_t)a);
    } else {
        err = dj_fail_memory(context, "a callgrind profile", most * (w->width + 4) * sizeof *w->costs);
    }
    free(inclusive);
    return err;
}

int dj_report_callgrind(dj_context *context, const dj_profile *profile, FILE *out)
{
    writer w = {.a = dj_profile_attribution(profile), .out = out};
    if (!w.a)
        return dj_fail_attribution(context);
    w.width = dj_cost_count(w.a);
    int err = prepare(context, &w);
    if (!err) {
        put_head(&w, profile);
        put_body(&w);
        put_totals(&w);
    }
    free(w.entries);
    free(w.costs);
    free(w.file_named);
    free(w.function_named);
    free(w.module_named);
    return err;
}
