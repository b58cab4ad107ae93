// SPDX-License-Identifier: MIT
// Renderers on a document with every kind of node, with hostile strings wherever a string can be.
#include <stddef.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <deja/render.h>
#include <string.h>

#include "unit/fits.h"
#include "unit/lane.h"
#include "unit/rendered.h"

// NOLINTBEGIN(bugprone-suspicious-missing-comma,misc-misleading-bidirectional)
static const char *const hostile[] = {
    "\033[31mred\033[0m \033]0;title\a",
    "\xc2\x9b"
    "31m and \xc2\x85 and \x9b raw",
    "a\nb\rc\td\x7f\x01",
    "gnp.\xe2\x80\xae"
    "cod \xe2\x81\xa6 \xe2\x80\x8f \xd8\x9c \xef\xbb\xbf",
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "＝1",
    "\"quoted\",\"cells\"",
    "<script>alert(1)</script>&amp;]]>",
    "</details><img src=x> ``` `a` ~~~ **b** _c_ [d](http://e) | f \\",
    "@octocat http://example.com www.example.com #1",
    "\xff\xfe\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xef\xbf\xbf",
    "",
    "                    ",
    "größe → 数",
    "%s%n%d",
};
// NOLINTEND(bugprone-suspicious-missing-comma,misc-misleading-bidirectional)
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static void add_texts(dj_document *d, const char *s)
{
    for (unsigned role = 0; role <= DJ_TEXT_LEGEND; role++) {
        dj_node *node = dj_document_say(d, (enum dj_text_role)role, role % 3, "%s", s);
        dj_text_add(d, &node->text, DJ_STYLE_MARK, DJ_FIT_MIDDLE, "%s", s);
        dj_text_add(d, &node->text, DJ_STYLE_PLAIN, DJ_FIT_END, "%s", s);
    }
}

static void add_table(dj_document *d, enum dj_node_kind kind, const char *s)
{
    dj_sheet *t = dj_document_table(d, kind, s);
    const dj_datum cells[] = {dj_datum_text(s),  dj_datum_word(s),
                              dj_datum_none(s),  {.kind = DJ_DATUM_COUNT, .text = s, .count = 7},
                              dj_datum_count(1), dj_datum_text(s)};
    dj_sheet_node(t)->data = true;
    for (unsigned i = 0; i < 6; i++)
        dj_sheet_add_column(t, (dj_sheet_column){.title = s, .name = s, .rank = i});
    for (unsigned r = 0; r < 2; r++) {
        dj_sheet_row *row = dj_sheet_add_row(t);
        row->depth = r;
        for (unsigned i = 0; i < 6; i++)
            dj_row_put(t, row, cells[i]);
        dj_text_add(d, dj_row_note(t, row, 4), DJ_STYLE_FAINT, DJ_FIT_END, "%s", s);
    }
    t->rest = dj_document_copy(d, s);
}

static void add_charts(dj_document *d, const char *s)
{
    dj_chart *chart = dj_document_chart(d, s, s);
    chart->x_name = chart->x_unit = chart->y_name = dj_document_copy(d, s);
    chart->first = 1;
    chart->last = 1024;
    for (unsigned kind = 0; kind < 3; kind++) {
        dj_series *series = dj_chart_add_series(chart, (enum dj_series_kind)kind, s, 3);
        for (unsigned i = 0; i < 3; i++) {
            series->x[i] = 1 << (3 * i);
            series->y[i] = 1 - 0.3 * i;
        }
    }
    dj_chart_add_mark(chart, s, 32);
    dj_node *bars = dj_document_add(d, DJ_NODE_BARS);
    dj_bar *list = dj_document_take(d, 2, sizeof *list);
    list[0] = (dj_bar){1, 3, 10, NULL};
    list[1] = (dj_bar){0, 0, 5, dj_document_copy(d, s)};
    bars->bars = (dj_bars){dj_document_copy(d, s), dj_document_copy(d, s), list, 2};
    static const double shares[] = {0.1, 0.9};
    static const uint64_t columns[] = {0, 1};
    dj_node *map = dj_document_add(d, DJ_NODE_HEAT);
    dj_heat_row *rows = dj_document_take(d, 1, sizeof *rows);
    *rows = (dj_heat_row){.label = dj_document_copy(d, s),
                          .cells = shares,
                          .border = 1,
                          .share = dj_datum_none(dj_document_copy(d, s)),
                          .score = dj_datum_text(dj_document_copy(d, s)),
                          .bar = -1,
                          .note = dj_document_copy(d, s),
                          .gap = true};
    map->heat = (dj_heat){.title = dj_document_copy(d, s),
                          .subtitle = dj_document_copy(d, s),
                          .empty = "",
                          .columns = columns,
                          .column_count = 2,
                          .rows = rows,
                          .row_count = 1};
}

// Without charts a picture has the tables.
static dj_document *make(dj_context *context, const char *s, bool charts)
{
    dj_document *d = NULL;
    assert_int_equal(dj_document_create(context, &d), DJ_OK);
    d->summary = dj_document_copy(d, s);
    add_texts(d, s);
    dj_node *facts = dj_document_facts(d);
    dj_facts_add(d, facts, s, dj_datum_text(s), s);
    dj_facts_add(d, facts, s, dj_datum_count(3), s);
    add_table(d, DJ_NODE_TABLE, s);
    add_table(d, DJ_NODE_SOURCE, s);
    if (charts)
        add_charts(d, s);
    return d;
}

static size_t count(const char *text, char c)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == c;
    return n;
}

// No control characters except line ends, in any encoding.
static void assert_harmless(const char *text, bool color)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        bool escape = *at == 033 && color;
        if ((*at < 0x20 && *at != '\n' && !escape) || *at == 0x7f)
            fail_msg("byte %02x in %s", *at, text);
        if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f)
            fail_msg("a C1 control in %s", text);
        if ((at[0] == 0xe2 && at[1] == 0x80 && at[2] >= 0x8b && at[2] <= 0x8f) ||
            (at[0] == 0xe2 && at[1] == 0x80 && at[2] >= 0xa8 && at[2] <= 0xae) ||
            (at[0] == 0xe2 && at[1] == 0x81 && at[2] >= 0xa0 && at[2] <= 0xaf) ||
            (at[0] == 0xd8 && at[1] == 0x9c))
            fail_msg("a bidirectional control in %s", text);
    }
}

static void nothing_hostile_comes_through(void **state)
{
    (void)state;
    dj_context *context = make_context();
    for (size_t i = 0; i < HOSTILE; i++)
        for (size_t r = 0; r < dj_renderer_count(); r++)
            for (unsigned how = 0; how < 8; how++) {
                const dj_render_options options = {
                    .width = 60 + 20 * (unsigned)i % 140, .unicode = how & 1, .color = how & 2};
                char *text =
                    rendered(context, make(context, hostile[i], how & 4), dj_renderer_get(r)->name, &options);
                bool color = options.color && r == 0;
                assert_harmless(text, color);
                for (const char *at = text; r == 0 && !options.unicode && *at; at++)
                    assert_true((unsigned char)*at < 0x80);
                free(text);
            }
    dj_context_destroy(context);
}

// Only the renderer adds colour: a hostile name has no more escapes than a harmless one.
static void names_have_no_colour(void **state)
{
    (void)state;
    dj_context *context = make_context();
    const dj_render_options options = {.width = 80, .unicode = true, .color = true};
    char *plain = rendered(context, make(context, "x", true), "text", &options),
         *text = rendered(context, make(context, hostile[0], true), "text", &options);
    assert_true(count(plain, 033) > 10);
    assert_int_equal(count(text, 033), count(plain, 033));
    free(plain);
    free(text);
    dj_context_destroy(context);
}

// Lines that are never cut (commands, lines of source) are excluded.
// Two columns of names, and numbers that cannot be left out.
static void add_names(dj_document *d)
{
    dj_sheet *t = dj_document_table(d, DJ_NODE_TABLE, "two names");
    const dj_datum cells[] = {dj_datum_text("a long name, first"), dj_datum_text("another name that is long"),
                              dj_datum_count(1234567), dj_datum_count(1234567), dj_datum_count(1234567)};
    dj_sheet_add_column(t, (dj_sheet_column){.title = ""});
    dj_sheet_add_column(t, (dj_sheet_column){.title = "with"});
    for (unsigned i = 0; i < 3; i++)
        dj_sheet_add_column(t, (dj_sheet_column){.title = "number", .width = 9});
    dj_sheet_add_cells(t, cells, sizeof cells / sizeof *cells);
}

static void every_line_fits(void **state)
{
    (void)state;
    dj_context *context = make_context();
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (unsigned width = 60; width <= 200; width += 7) {
        const dj_render_options options = {.width = width, .unicode = width % 2};
        dj_document *d = NULL;
        assert_int_equal(dj_document_create(context, &d), DJ_OK);
        for (unsigned role = 0; role <= DJ_TEXT_LEGEND; role++)
            if (role != DJ_TEXT_COMMAND)
                dj_text_add(d, &dj_document_say(d, (enum dj_text_role)role, 2, "a ")->text, DJ_STYLE_PLAIN,
                            DJ_FIT_MIDDLE, "%s", name);
        dj_text_add(d, &dj_document_say(d, DJ_TEXT_HEADING, 0, "a heading")->text, DJ_STYLE_FAINT,
                    DJ_FIT_WHOLE,
                    "  with many words, none of which may be left out, in %s at the %s of lines",
                    "order that all of them can be read", "end");
        dj_facts_add(d, dj_document_facts(d), name, dj_datum_count(1), name);
        add_table(d, DJ_NODE_TABLE, name);
        add_names(d);
        add_charts(d, name);
        char *text = rendered(context, d, "text", &options);
        assert_fits(text, width);
        free(text);
    }
    dj_context_destroy(context);
}

static void csv_is_exact(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_document *d = NULL;
    assert_int_equal(dj_document_create(context, &d), DJ_OK);
    for (unsigned t = 0; t < 2; t++) {
        dj_sheet *s = dj_document_table(d, DJ_NODE_TABLE, "");
        static const char *const names[] = {"name",  "a-b c", "count", "real",
                                            "share", "word",  "none",  "seconds"};
        dj_datum seconds = dj_datum_real(DJ_DATUM_REAL, 1.5, 3);
        seconds.fixed = true;
        const dj_datum cells[] = {dj_datum_text(t ? "=1+1" : "a \"b\", c"),
                                  dj_datum_signed(-5),
                                  dj_datum_whole(DJ_DATUM_SHORT, 5043210),
                                  dj_datum_real(DJ_DATUM_REAL, 0.1, 2),
                                  dj_datum_part(DJ_DATUM_SHARE, 1, 4),
                                  dj_datum_word(t ? "@x" : "lru"),
                                  dj_datum_none("?"),
                                  seconds};
        dj_sheet_node(s)->data = true;
        for (unsigned i = 0; i < 8; i++)
            dj_sheet_add_column(s, (dj_sheet_column){.name = names[i], .title = t ? "shown" : NULL});
        dj_sheet_add_column(s, (dj_sheet_column){.title = "for people"});
        dj_sheet_row *row = dj_sheet_add_row(s);
        for (unsigned i = 0; i < 8; i++)
            dj_row_put(s, row, cells[i]);
        row->hidden = t == 0; // hidden from people
    }
    dj_facts_add(d, dj_document_facts(d), "not data", dj_datum_count(1), "");
    char *text = rendered(context, d, "csv", NULL);
    assert_string_equal(text, "name,a_b_c,count,real,share,word,none,seconds\n"
                              "\"a \"\"b\"\", c\",-5,5043210,0.10000000000000001,0.25,lru,,1.500\n"
                              "\"'=1+1\",-5,5043210,0.10000000000000001,0.25,\"'@x\",,1.500\n");
    free(text);
    dj_context_destroy(context);
}

static void table_in_text(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_document *d = NULL;
    const dj_render_options options = {.width = 60};
    assert_int_equal(dj_document_create(context, &d), DJ_OK);
    dj_sheet *s = dj_document_table(d, DJ_NODE_TABLE, "things");
    dj_sheet_add_column(s, (dj_sheet_column){.title = ""});
    dj_sheet_add_column(s, (dj_sheet_column){.title = "count", .width = 6});
    dj_sheet_add_column(s, (dj_sheet_column){.title = "goes first", .width = 40, .rank = 2});
    dj_sheet_add_column(s, (dj_sheet_column){.title = "goes next", .width = 10, .rank = 1});
    for (unsigned i = 0; i < 3; i++) {
        dj_sheet_row *row = dj_sheet_add_row(s);
        row->depth = i;
        row->hidden = i == 2;
        dj_row_put(s, row, dj_datum_text("abc"));
        dj_row_put(s, row, dj_datum_whole(DJ_DATUM_SHORT, 1234567));
        dj_row_put(s, row, dj_datum_count(1));
    }
    s->rest = "… and 1 more";
    char *text = rendered(context, d, "text", &options);
    assert_string_equal(text, "things   count  goes next\n"
                              "  abc    1.23M\n"
                              "    abc  1.23M\n"
                              "  ... and 1 more\n");
    free(text);
    dj_context_destroy(context);
}

static void markdown_escapes(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_document *d = NULL;
    assert_int_equal(dj_document_create(context, &d), DJ_OK);
    d->summary = dj_document_copy(d, "a|b <i> grid[*] snake_case _em_ @me http://x");
    dj_sheet *s = dj_document_table(d, DJ_NODE_TABLE, "by name");
    dj_sheet_add_column(s, (dj_sheet_column){.title = ""});
    dj_sheet_add_column(s, (dj_sheet_column){.title = "n|m"});
    dj_sheet_row *row = dj_sheet_add_row(s);
    dj_row_put(s, row, dj_datum_text("a|`b`"));
    dj_row_put(s, row, dj_datum_count(1234));
    dj_sheet_node(s)->detail = true;
    char *text = rendered(context, d, "markdown", NULL);
    assert_string_equal(text, "**a\\|b &lt;i&gt; grid\\[\\*\\] snake_case \\_em\\_ `@`me http&#58;//x**\n\n"
                              "<details><summary>by name</summary>\n\n"
                              "| by name | n\\|m |\n"
                              "|:--|--:|\n"
                              "| `` a\\|`b` `` | 1,234 |\n\n"
                              "</details>\n\n");
    free(text);
    dj_context_destroy(context);
}

// Also empty ones: the caller may free or change its strings at once.
static void documents_own_their_strings(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_document *document = NULL;
    char text[] = "";
    assert_int_equal(dj_document_create(context, &document), DJ_OK);
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "");
    dj_sheet_add_column(table, (dj_sheet_column){.name = "name"});
    dj_row_put(table, dj_sheet_add_row(table), dj_datum_text(text));
    assert_ptr_not_equal(table->rows[0].cells[0].text, text);
    assert_string_equal(table->rows[0].cells[0].text, "");
    dj_document_destroy(document);
    dj_context_destroy(context);
}

static void registry(void **state)
{
    (void)state;
    static const char *const names[] = {"text", "csv", "markdown", "svg"};
    assert_int_equal(dj_renderer_count(), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(dj_renderer_get(i)->name, names[i]);
        assert_ptr_equal(dj_renderer_find(names[i]), dj_renderer_get(i));
    }
    assert_null(dj_renderer_get(4));
    assert_null(dj_renderer_find("pdf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_hostile_comes_through),
        cmocka_unit_test(names_have_no_colour),
        cmocka_unit_test(every_line_fits),
        cmocka_unit_test(csv_is_exact),
        cmocka_unit_test(table_in_text),
        cmocka_unit_test(markdown_escapes),
        cmocka_unit_test(documents_own_their_strings),
        cmocka_unit_test(registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
