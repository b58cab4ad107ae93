// SPDX-License-Identifier: MIT
/// \file
/// Documents: the content of a report, independent of its presentation. A document is a list of nodes:
/// sentences, facts, tables with typed cells, charts, source listings. Reports (report.h) build documents,
/// renderers (render.h) write them. A document owns all its strings; they may contain anything, since
/// renderers neutralise them.
///
/// Functions that add to a document return no error. After memory runs out they add nothing, and
/// dj_document_finish reports it.
#ifndef DEJA_DOCUMENT_H
#define DEJA_DOCUMENT_H

#include <deja/error.h>

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dj_datum_kind {
    DJ_DATUM_NONE,       ///< no value; text shows `text` instead: "-", "?", ""
    DJ_DATUM_TEXT,       ///< any text
    DJ_DATUM_WORD,       ///< a word that needs no quotes, as in "lru"
    DJ_DATUM_COUNT,      ///< 1,234,567
    DJ_DATUM_NUMBER,     ///< 1234567: a line, a process
    DJ_DATUM_SIGNED,     ///< -64
    DJ_DATUM_SHORT,      ///< 1.23M: a count in at most five columns
    DJ_DATUM_REAL,       ///< 1,234.57, with `decimals`
    DJ_DATUM_SHORT_REAL, ///< 1.23M; with `decimals` also 0.0123
    DJ_DATUM_PERCENT,    ///< 12.35%: `real` of `whole`
    DJ_DATUM_SHARE,      ///< 12%: likewise, in at most four columns
    DJ_DATUM_BYTES,      ///< 1.5 MiB
    DJ_DATUM_SIZE,       ///< 4K: K is 1024
    DJ_DATUM_RANGE,      ///< 1K–2K: from `count` to `last`, both included; UINT64_MAX: no end
    DJ_DATUM_HASH,       ///< 16 hexadecimal digits
    DJ_DATUM_SPARK,      ///< `last` numbers at `heights`, at most 12, drawn as a sparkline
    DJ_DATUM_LIST,       ///< `last` numbers at `heights`, separated by spaces
};

/// A typed value. People see it rounded and with units, programs see all digits.
typedef struct dj_datum {
    uint8_t kind;     ///< enum dj_datum_kind
    uint8_t decimals; ///< of a real number for people; for programs too if `fixed`
    bool about;       ///< an estimate
    bool fixed;       ///< programs also see only `decimals` digits
    const char *text; ///< of DJ_DATUM_NONE, _TEXT and _WORD; otherwise a suffix for the number, or NULL
    union {
        uint64_t count;
        int64_t integer;
        double real;
        const uint64_t *heights;
    };
    union {
        uint64_t last;
        double whole;
    };
} dj_datum;

static inline dj_datum dj_datum_none(const char *shown)
{
    dj_datum d = {DJ_DATUM_NONE, 0, false, false, shown, {0}, {0}};
    return d;
}
static inline dj_datum dj_datum_text(const char *text)
{
    dj_datum d = {DJ_DATUM_TEXT, 0, false, false, text, {0}, {0}};
    return d;
}
static inline dj_datum dj_datum_word(const char *word)
{
    dj_datum d = {DJ_DATUM_WORD, 0, false, false, word, {0}, {0}};
    return d;
}
/// DJ_DATUM_COUNT, _NUMBER, _SHORT, _BYTES, _SIZE or _HASH.
static inline dj_datum dj_datum_whole(enum dj_datum_kind kind, uint64_t count)
{
    dj_datum d = {(uint8_t)kind, 0, false, false, NULL, {0}, {0}};
    d.count = count;
    return d;
}
static inline dj_datum dj_datum_count(uint64_t count)
{
    return dj_datum_whole(DJ_DATUM_COUNT, count);
}
static inline dj_datum dj_datum_signed(int64_t value)
{
    dj_datum d = {DJ_DATUM_SIGNED, 0, false, false, NULL, {0}, {0}};
    d.integer = value;
    return d;
}
/// DJ_DATUM_REAL or _SHORT_REAL.
static inline dj_datum dj_datum_real(enum dj_datum_kind kind, double value, unsigned decimals)
{
    dj_datum d = {(uint8_t)kind, (uint8_t)decimals, false, false, NULL, {0}, {0}};
    d.real = value;
    return d;
}
/// DJ_DATUM_PERCENT or _SHARE.
static inline dj_datum dj_datum_part(enum dj_datum_kind kind, double part, double whole)
{
    dj_datum d = {(uint8_t)kind, 0, false, false, NULL, {0}, {0}};
    d.real = part;
    d.whole = whole;
    return d;
}
static inline dj_datum dj_datum_range(uint64_t first, uint64_t last)
{
    dj_datum d = {DJ_DATUM_RANGE, 0, false, false, NULL, {0}, {0}};
    d.count = first;
    d.last = last;
    return d;
}

/// The meaning of a text, from which renderers choose its style.
enum dj_style {
    DJ_STYLE_PLAIN,
    DJ_STYLE_STRONG, ///< the most important
    DJ_STYLE_FAINT,  ///< provenance, legends
    DJ_STYLE_ALARM,  ///< partial, an estimate, serious
    DJ_STYLE_WARM,   ///< noteworthy, less than an alarm
    DJ_STYLE_MARK,   ///< names of caches, of advice
};

enum dj_fit {
    DJ_FIT_WHOLE,  ///< never shortened
    DJ_FIT_MIDDLE, ///< shortened in the middle if too long: names, whose ends matter most
    DJ_FIT_END,    ///< shortened at the end: lines of source
};

/// A part of a sentence or line.
typedef struct dj_text_part {
    const char *text;
    uint8_t style; ///< enum dj_style
    uint8_t fit;   ///< enum dj_fit
} dj_text_part;

enum dj_text_role {
    DJ_TEXT_TITLE,      ///< of the document
    DJ_TEXT_PROVENANCE, ///< how it was measured; wrapped
    DJ_TEXT_COMMAND,    ///< likewise, but never wrapped or shortened: a command to run again
    DJ_TEXT_ALARM,      ///< must not be missed: partial, an estimate; wrapped
    DJ_TEXT_HEADING,    ///< of a section
    DJ_TEXT_SENTENCES,  ///< wrapped
    DJ_TEXT_ITEM,       ///< introduces the sentences after it; one line
    DJ_TEXT_LINE,       ///< one line
    DJ_TEXT_LEGEND,     ///< explains words and signs; wrapped
};

typedef struct dj_text {
    uint8_t role;    ///< enum dj_text_role
    unsigned indent; ///< columns
    dj_text_part *parts;
    size_t part_count;
} dj_text;

/// A fact: "cold  121   5.87%".
typedef struct dj_fact {
    const char *name;
    dj_datum value;
    const char *note; ///< "" for none
} dj_fact;

typedef struct dj_facts {
    dj_fact *list;
    size_t count;
    unsigned width; ///< columns of names in text; 0: the default
} dj_facts;

/// A column has a title for people, a name for programs, or both.
typedef struct dj_sheet_column {
    const char *title; ///< NULL: data only
    const char *name;  ///< NULL: for people only
    unsigned width;    ///< minimum width in text
    unsigned rank;     ///< narrow pages drop the highest rank first; 0 is never dropped
    bool left;         ///< left-aligned, as the first text column always is
    bool wraps;        ///< the last column may take several lines
} dj_sheet_column;

typedef struct dj_sheet_row {
    dj_datum *cells; ///< one for each column
    unsigned depth;  ///< in a tree; indents the first column
    uint8_t style;   ///< enum dj_style
    bool hidden;     ///< not shown to people
    dj_text *notes;  ///< lines below it, for people
    size_t note_count;
    size_t used; ///< cells filled so far
} dj_sheet_row;

typedef struct dj_sheet {
    const char *title; ///< above the first column
    dj_sheet_column *columns;
    size_t column_count;
    dj_sheet_row *rows; ///< NULL if `fill` provides them
    size_t row_count;
    const char *rest; ///< a line about the hidden rows, or NULL
    unsigned good;    ///< the first column gets this width before further columns are shown; 0: the default
    /// Fills the cells of a row on demand. What `source` points to must outlive the document.
    void (*fill)(const void *source, size_t row, dj_datum *cells);
    const void *source;
    struct dj_document *document;
} dj_sheet;

/// A mark on a curve: the size of a cache.
typedef struct dj_chart_mark {
    const char *label;
    double at;
} dj_chart_mark;

enum dj_series_kind {
    DJ_SERIES_STEPS, ///< y is valid from its x to the next: a miss-ratio curve
    DJ_SERIES_LINE,  ///< points connected by lines
    DJ_SERIES_DOTS,  ///< scattered points
};

typedef struct dj_series {
    const char *name;
    uint8_t kind; ///< enum dj_series_kind
    double *x, *y;
    size_t count;
} dj_series;

/// Curves and scattered points. x is a logarithmic axis unless `linear` is set, y a share from 0 to 1.
typedef struct dj_chart {
    const char *title, *subtitle;
    const char *x_name, *x_unit; ///< "cache size", "blocks"
    const char *y_name;          ///< "miss ratio"
    uint64_t x_bytes;            ///< > 0: bytes of one x, shown on a second axis
    double first, last;          ///< ends of the x axis; last is greater
    bool linear;                 ///< x is linear, from 0 on: positions, seconds
    dj_series *series;
    size_t series_count;
    dj_chart_mark *marks;
    size_t mark_count;
    struct dj_document *document;
} dj_chart;

typedef struct dj_bar {
    uint64_t lo, hi; ///< of the bin, both included
    uint64_t count;
    const char *label; ///< instead of the bounds, if these are unknown: "cold"; otherwise NULL
} dj_bar;

/// A histogram.
typedef struct dj_bars {
    const char *title, *unit; ///< "reuse distance", "accesses"
    dj_bar *list;
    size_t count;
} dj_bars;

typedef struct dj_heat_row {
    const char *label;   ///< instead of `at`; NULL: none
    uint64_t at;         ///< distance at which the row begins
    const double *cells; ///< shares of the row, one for each column
    unsigned border;     ///< the cells before it are effective; 0: no border
    dj_datum share, score;
    double bar;       ///< 0 to 1; below 0: none
    const char *note; ///< instead of the bar, or NULL
    bool gap;         ///< empty rows were omitted before it
} dj_heat_row;

/// A heat map, with the share and score of each row.
typedef struct dj_heat {
    const char *title, *subtitle;
    const char *empty;       ///< shown if the map has no columns
    uint64_t at_bytes;       ///< > 0: bytes of one unit of `at`
    const uint64_t *columns; ///< where each column begins
    size_t column_count;
    dj_heat_row *rows;
    size_t row_count;
} dj_heat;

enum dj_node_kind {
    DJ_NODE_TEXT,
    DJ_NODE_FACTS,
    DJ_NODE_TABLE,
    DJ_NODE_CHART,
    DJ_NODE_BARS,
    DJ_NODE_HEAT,
    DJ_NODE_SOURCE, ///< source with figures in the margin: a table whose last two columns are line and text
};
enum { DJ_NODE_KINDS = DJ_NODE_SOURCE + 1 };

typedef struct dj_node {
    uint8_t kind; ///< enum dj_node_kind
    bool gap;     ///< preceded by an empty line in text
    bool data;    ///< exported as csv
    bool hidden;  ///< for csv only
    bool detail;  ///< collapsed, in formats that support it; otherwise not shown
    union {
        dj_text text;
        dj_facts facts;
        dj_sheet table; ///< also for DJ_NODE_SOURCE
        dj_chart chart;
        dj_bars bars;
        dj_heat heat;
    };
} dj_node;

typedef struct dj_document {
    const char *summary; ///< the conclusion in one sentence, or NULL
    const char *mark;    ///< what no number may be shown without, such as ESTIMATE; or NULL
    dj_node **nodes;
    size_t count;
    struct dj_document_memory *memory;
} dj_document;

DJ_API int dj_document_create(dj_context *context, dj_document **out);
DJ_API void dj_document_destroy(dj_document *document); ///< NULL is allowed
/// Completes the document and stores it in *out. After an error (`err`, or out of memory), destroys it and
/// returns the error instead.
DJ_API int dj_document_finish(dj_context *context, int err, dj_document *document, dj_document **out);

/// Memory and text that live as long as the document. Memory is zeroed; NULL if out of memory.
DJ_API void *dj_document_take(dj_document *document, size_t count, size_t bytes);
DJ_API const char *dj_document_format(dj_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
DJ_API const char *dj_document_copy(dj_document *document, const char *text);

/// Adds a node that the caller fills in. Never NULL.
DJ_API dj_node *dj_document_add(dj_document *document, enum dj_node_kind kind);

/// Adds a text with one part, in the style of its role. Titles, headings and legends are preceded by an
/// empty line.
DJ_API dj_node *dj_document_say(dj_document *document, enum dj_text_role role, unsigned indent,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));
/// Adds a part to a text.
DJ_API void dj_text_add(dj_document *document, dj_text *text, enum dj_style style, enum dj_fit fit,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));

DJ_API dj_node *dj_document_facts(dj_document *document);
DJ_API void dj_facts_add(dj_document *document, dj_node *facts, const char *name, dj_datum value,
                         const char *note);

/// DJ_NODE_TABLE or DJ_NODE_SOURCE.
DJ_API dj_sheet *dj_document_table(dj_document *document, enum dj_node_kind kind, const char *title);
DJ_API void dj_sheet_add_column(dj_sheet *table, dj_sheet_column column);
/// Adds several columns. A column without title and name is neither shown nor exported.
DJ_API void dj_sheet_add_columns(dj_sheet *table, const dj_sheet_column *columns, size_t count);
/// Adds a row. The caller adds its cells in column order with dj_row_put; missing cells are empty.
DJ_API dj_sheet_row *dj_sheet_add_row(dj_sheet *table);
DJ_API void dj_row_put(dj_sheet *table, dj_sheet_row *row, dj_datum cell);
/// Adds a row with these cells.
DJ_API dj_sheet_row *dj_sheet_add_cells(dj_sheet *table, const dj_datum *cells, size_t count);
/// Adds a line below the row, to which parts are added.
DJ_API dj_text *dj_row_note(dj_sheet *table, dj_sheet_row *row, unsigned indent);
/// The node that contains the table.
DJ_API dj_node *dj_sheet_node(dj_sheet *table);

DJ_API dj_chart *dj_document_chart(dj_document *document, const char *title, const char *subtitle);
/// Adds a series of `count` points, which the caller fills in. Never NULL; its count is 0 if out of memory.
DJ_API dj_series *dj_chart_add_series(dj_chart *chart, enum dj_series_kind kind, const char *name,
                                      size_t count);
DJ_API void dj_chart_add_mark(dj_chart *chart, const char *label, double at);

#ifdef __cplusplus
}
#endif
#endif
