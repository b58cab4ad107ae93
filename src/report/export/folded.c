// SPDX-License-Identifier: MIT
// Folded stacks, as flame-graph tools read them: a line for each stack, with its frames from the outermost
// on and a weight. The outermost frames of an estimate, and of a partial profile, say so.
#include <deja/report.h>

#include <inttypes.h>
#include <stdlib.h>

#include "base/plain.h"
#include "model/costs.h"

// Places with the same frames: a context, and inlined functions in it.
typedef struct stack {
    uint32_t cct_node;
    uint32_t inlined;  // DJ_NOWHERE: none
    uint32_t function; // the innermost inlined one
    uint64_t weight;
} stack;

static int compare(const void *x, const void *y)
{
    const stack *p = x, *q = y;
    if (p->cct_node != q->cct_node)
        return p->cct_node < q->cct_node ? -1 : 1;
    if (p->inlined != q->inlined)
        return p->inlined < q->inlined ? -1 : 1;
    return p->function < q->function ? -1 : p->function > q->function;
}

// Semicolons separate the frames.
static void put_frame(FILE *out, const char *name, const char *mark)
{
    const char *piece;
    size_t bytes;
    while ((bytes = dj_plain_next(&name, true, &piece)) > 0)
        fwrite(*piece == ';' ? ":" : piece, 1, bytes, out);
    fputs(mark, out);
}

static void put_function(const dj_attribution *a, uint32_t function, const char *mark, FILE *out)
{
    put_frame(out, function == DJ_NOWHERE ? "???" : a->functions[function].name, mark);
}

static void put_context(const dj_attribution *a, uint32_t node, FILE *out)
{
    const dj_cct_node *row = &a->cct[node];
    const dj_thread_row *thread = &a->threads[row->thread];
    if (row->parent != DJ_NOWHERE || row->function != DJ_NOWHERE)
        put_function(a, row->function, "", out);
    else if (*thread->name)
        put_frame(out, thread->name, "");
    else
        fprintf(out, "thread %" PRIu64, thread->id);
}

static void put_marks(const dj_provenance *from, FILE *out)
{
    fputs(from->exact ? "" : "ESTIMATE;", out);
    fputs(from->partial ? "PARTIAL;" : "", out);
}

// Chains are followed from the inner end, so they are reversed in `path`, which has space for every row of
// the table.
static void put_stack(const dj_attribution *a, const stack *s, uint32_t *path, FILE *out)
{
    size_t depth = 0;
    for (uint32_t node = s->cct_node; node != DJ_NOWHERE; node = a->cct[node].parent)
        path[depth++] = node;
    while (depth-- > 0) {
        put_context(a, path[depth], out);
        if (depth > 0)
            fputc(';', out);
    }
    if (s->inlined != DJ_NOWHERE) {
        depth = 0;
        // The outermost is the called function, which is there already.
        for (uint32_t frame = s->inlined; a->inlined[frame].inlined != DJ_NOWHERE;
             frame = a->inlined[frame].inlined)
            path[depth++] = a->inlined[frame].function;
        while (depth-- > 0) {
            fputc(';', out);
            put_function(a, path[depth], "_[i]", out);
        }
        fputc(';', out);
        put_function(a, s->function, "_[i]", out);
    }
    fprintf(out, " %" PRIu64 "\n", s->weight);
}

static void fill(const dj_attribution *a, size_t weight, uint64_t *costs, stack *stacks)
{
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_place_row *place = &a->places[i];
        const dj_site_row *site = &a->sites[place->site];
        bool inlined = site->inlined != DJ_NOWHERE;
        for (size_t k = 0; k < dj_cost_count(a); k++)
            costs[k] = 0;
        dj_cost_add(a, &place->tally, costs);
        stacks[i] = (stack){.cct_node = place->cct_node,
                            .inlined = site->inlined,
                            .function = inlined ? site->function : DJ_NOWHERE,
                            .weight = costs[weight]};
    }
}

int dj_report_folded(dj_context *context, const dj_profile *profile, const char *weight, FILE *out)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    size_t column = 0;
    int err = dj_cost_find(context, profile, weight, &column);
    if (err)
        return err;
    size_t most = a->cct_count > a->inlined_count ? a->cct_count : a->inlined_count;
    uint32_t *path = calloc(most + 1, sizeof *path);
    stack *stacks = calloc(a->place_count + 1, sizeof *stacks);
    uint64_t *costs = calloc(dj_cost_count(a), sizeof *costs);
    if (path && stacks && costs) {
        fill(a, column, costs, stacks);
        qsort(stacks, a->place_count, sizeof *stacks, compare);
        for (size_t i = 0, next; i < a->place_count; i = next) {
            for (next = i + 1; next < a->place_count && compare(&stacks[i], &stacks[next]) == 0; next++)
                stacks[i].weight += stacks[next].weight;
            if (stacks[i].weight == 0)
                continue;
            put_marks(&profile->provenance, out);
            put_stack(a, &stacks[i], path, out);
        }
    } else {
        err = dj_fail_memory(context, "folded stacks", a->place_count * sizeof *stacks);
    }
    free(path);
    free(stacks);
    free(costs);
    return err;
}
