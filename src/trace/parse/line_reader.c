// SPDX-License-Identifier: MIT
#include "trace/parse/line_reader.h"

#include <stdlib.h>

#include "trace/parse/excerpt.h"
#include "trace/parse/lines.h"

typedef struct reader {
    const dj_line_ops *ops;
    void *state;
    uint32_t columns;
    dj_lines lines;
    dj_text_field line; // did not fit into the last batch completely
    uint64_t given;     // how much of it did; 0: there is no such line
} reader;

static void stop(const dj_line_ops *ops, void *state)
{
    if (ops->stop)
        ops->stop(state);
    free(state);
}

static int start(const dj_line_ops *ops, dj_context *context, const dj_source_options *options, void **out)
{
    void *state = NULL;
    if (ops->state_bytes) {
        state = calloc(1, ops->state_bytes);
        if (!state)
            return dj_fail_memory(context, "a trace reader", ops->state_bytes);
    }
    int err = ops->start ? ops->start(state, context, options) : DJ_OK;
    if (err)
        stop(ops, state);
    else
        *out = state;
    return err;
}

int dj_line_open(dj_context *context, const dj_line_ops *ops, dj_input *input,
                 const dj_source_options *options, void **state)
{
    reader *r = calloc(1, sizeof *r);
    if (!r)
        return dj_fail_memory(context, "a trace reader", sizeof *r);
    r->ops = ops;
    r->columns = options->clock ? ops->columns : ops->columns & ~(uint32_t)DJ_COLUMN_CLOCK;
    dj_lines_init(&r->lines, input);
    int err = start(ops, context, options, &r->state);
    if (err) {
        free(r);
        return err;
    }
    *state = r;
    return DJ_OK;
}

int dj_line_resume(void *state, dj_context *context, dj_input *input)
{
    (void)context;
    reader *r = state;
    r->given = 0;
    dj_lines_init(&r->lines, input);
    if (r->ops->restart)
        r->ops->restart(r->state);
    return DJ_OK;
}

void dj_line_close(void *state)
{
    reader *r = state;
    if (!r)
        return;
    stop(r->ops, r->state);
    free(r);
}

void *dj_line_state(const void *state)
{
    return ((const reader *)state)->state;
}

void dj_line_set_columns(void *state, uint32_t columns)
{
    ((reader *)state)->columns = columns;
}

int dj_line_event(dj_line_sink *sink, dj_event event)
{
    if (!sink->batch)
        return DJ_OK;
    event.index = sink->count;
    return dj_batch_add_event(sink->context, sink->batch, &event);
}

int dj_line_expected(dj_line_sink *sink, dj_text_field found, const char *expected)
{
    sink->expected = expected;
    sink->found = found.at;
    return DJ_ERR_INPUT;
}

// A line without an access in any of these formats.
static bool is_empty(const dj_line_ops *ops, dj_text_field line)
{
    if (dj_field_at_end(&line))
        return true;
    if (*line.at != '#')
        return false;
    return !ops->words || line.at + 1 == line.end || dj_is_blank(line.at[1]);
}

static int bad_line(reader *r, dj_context *context, const char *expected, const char *at)
{
    char found[DJ_EXCERPT_BYTES];
    dj_excerpt(found, at, r->line.end);
    return dj_lines_fail(context, &r->lines, "expected %s, found %s (a line is: %s)", expected, found,
                         r->ops->syntax);
}

// Reads the next line with content; at the end, line.at is NULL.
static int next_line(reader *r, dj_context *context)
{
    dj_line line;
    do {
        int err = dj_lines_next(context, &r->lines, &line);
        if (err)
            return err;
        r->line = (dj_text_field){line.begin, line.end};
        if (r->lines.number == 1 && line.begin)
            r->line = dj_field_skip_bom(r->line);
    } while (line.begin && is_empty(r->ops, r->line));
    if (r->ops->words && dj_field_has_control(r->line))
        return bad_line(r, context, DJ_FIELD_NO_CONTROL, r->line.at);
    return DJ_OK;
}

int dj_line_peek(void *state, dj_context *context, dj_text_field *first)
{
    reader *r = state;
    int err = next_line(r, context);
    if (err)
        return err;
    *first = r->line;
    if (r->line.at) {
        r->lines.at = r->lines.given;
        r->lines.number--;
    }
    return DJ_OK;
}

static int fill(reader *r, dj_context *context, dj_line_sink *sink)
{
    while (!dj_line_full(sink)) {
        if (!sink->given) {
            int err = next_line(r, context);
            if (err || !r->line.at)
                return err;
        }
        int err = r->ops->line(r->state, sink, r->line);
        if (err == DJ_LINE_MORE)
            return DJ_OK;
        if (err)
            return sink->expected ? bad_line(r, context, sink->expected, sink->found) : err;
        sink->given = 0;
    }
    return DJ_OK;
}

int dj_line_read(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    (void)input;
    reader *r = state;
    dj_line_sink sink = {
        .context = context,
        .batch = batch,
        .to = dj_batch_writable(batch),
        .columns = r->columns,
        .capacity = DJ_BATCH_CAPACITY,
        .given = r->given,
    };
    int err = fill(r, context, &sink);
    r->given = sink.given;
    batch->count = sink.count;
    dj_batch_set_columns(batch, r->columns);
    return err;
}

enum { PROBE_ACCESSES = 8 };

// A sink that discards its contents.
typedef struct probe_sink {
    dj_line_sink sink;
    uint64_t wide[2][PROBE_ACCESSES];
    uint32_t narrow[2][PROBE_ACCESSES];
    uint8_t kind[PROBE_ACCESSES];
} probe_sink;

static void probe_sink_init(probe_sink *p, const dj_line_ops *ops, dj_context *context)
{
    *p = (probe_sink){.sink = {.context = context,
                               .columns = ops->columns & ~(uint32_t)DJ_COLUMN_CLOCK,
                               .capacity = PROBE_ACCESSES}};
    p->sink.to.address = p->wide[0];
    p->sink.to.size = p->wide[1];
    p->sink.to.device = p->narrow[0];
    p->sink.to.site = p->narrow[1];
    p->sink.to.kind = p->kind;
}

// If a line has more accesses than a batch, checks only the first ones: there may be billions.
static int parse_line(const dj_line_ops *ops, void *state, dj_line_sink *sink, dj_text_field line)
{
    sink->given = 0;
    sink->count = 0;
    int err = ops->line(state, sink, line);
    return err == DJ_LINE_MORE ? DJ_OK : err;
}

bool dj_head_line(const dj_head *head, dj_text_field *rest, dj_text_field *line)
{
    const char *newline = memchr(rest->at, '\n', dj_field_bytes(*rest));
    if (rest->at == rest->end || (!newline && !head->whole))
        return false;
    *line = (dj_text_field){rest->at, newline ? newline : rest->end};
    rest->at = newline ? newline + 1 : rest->end;
    if (line->end > line->at && line->end[-1] == '\r')
        line->end--;
    return true;
}

static int probe_lines(const dj_line_ops *ops, void *state, dj_context *context, const dj_head *head)
{
    probe_sink p;
    probe_sink_init(&p, ops, context);
    dj_text_field rest = {(const char *)head->data, (const char *)head->data + head->bytes};
    dj_text_field line;
    uint64_t good = 0;
    rest = dj_field_skip_bom(rest);
    while (dj_head_line(head, &rest, &line)) {
        if (is_empty(ops, line))
            continue;
        int err = parse_line(ops, state, &p.sink, line);
        if (err)
            return err == DJ_ERR_MEMORY ? err : 0;
        good++;
    }
    if (!good)
        return 0;
    return ops->judge ? ops->judge(state) : ops->score;
}

int dj_line_probe(const dj_line_ops *ops, const dj_head *head)
{
    dj_context *context = NULL;
    void *state = NULL;
    const dj_source_options options = {0};
    int score = dj_context_create(&context);
    if (!score)
        score = start(ops, context, &options, &state);
    if (!score) {
        score = probe_lines(ops, state, context, head);
        stop(ops, state);
    }
    dj_context_destroy(context);
    return score < 0 && score != DJ_ERR_MEMORY ? 0 : score;
}
