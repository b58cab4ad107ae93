// SPDX-License-Identifier: MIT
// The helper process: it gives the answers that this process would give; and when it is killed, runs out of
// memory at any allocation or is missing, every answer is the right one or unknown.
#include <signal.h>

#include "symbols/helper/remote.h"
#include "unit/symbols.h"

enum { FIRST = 0x1000, LAST = 0x1800, STEP = 3, FRAME = 160 };

static const dj_symbols_options helped = {.helped = true};

// An answer about one offset: the queries of the locator and of the resolver.
typedef struct answer {
    uint32_t function, latch, pointer;
    uint64_t block;
    bool has_statement, has_global, has_local, returned;
    dj_statement_info statement;
    dj_extent global, local;
    dj_code code;
    char element[64];
} answer;

static dj_symbols *open_helped(const char *path)
{
    dj_symbols *opened = NULL;
    assert_int_equal(dj_symbols_create(context, &helped, &opened), DJ_OK);
    assert_int_equal(dj_symbols_add_module(opened, context, 1, path, ""), DJ_OK);
    return opened;
}

static answer ask(dj_symbols *from, uint64_t offset)
{
    answer a = {0};
    a.function = dj_symbols_function(from, 1, offset);
    a.has_statement = dj_symbols_statement(from, 1, offset, &a.statement);
    a.latch = dj_symbols_latch(from, 1, offset, &a.block);
    a.has_global = dj_symbols_global(from, 1, 4 * offset, &a.global);
    int64_t at = -(int64_t)(offset % FRAME);
    a.has_local = a.function && dj_symbols_local(from, a.function, offset, at, &a.local);
    assert_int_equal(dj_symbols_code(from, context, 1, offset, &a.code), DJ_OK);
    a.pointer = dj_symbols_pointer(from, context, 1, offset);
    a.returned = dj_symbols_pointer_returned(from, context, 1, offset);
    if (a.has_global)
        dj_symbols_element(from, a.global.variable, offset % 64, 0, false, a.element, sizeof a.element);
    return a;
}

static void check_function(const dj_symbols *x, const dj_symbols *y, uint32_t number)
{
    const dj_function_info *a = dj_symbols_function_info(x, number), *b = dj_symbols_function_info(y, number);
    assert_int_equal(a != NULL, b != NULL);
    if (!a || !b)
        return;
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->file, b->file);
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->lo, b->lo);
    assert_int_equal(a->hi, b->hi);
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(a->stub, b->stub);
}

static void check_loop(const dj_symbols *x, const dj_symbols *y, uint32_t number)
{
    const dj_loop_info *a = dj_symbols_loop_info(x, number), *b = dj_symbols_loop_info(y, number);
    assert_int_equal(a != NULL, b != NULL);
    if (!a || !b)
        return;
    assert_int_equal(a->function, b->function);
    assert_int_equal(a->parent, b->parent);
    assert_int_equal(a->depth, b->depth);
    assert_string_equal(a->inlined ? a->inlined : "-", b->inlined ? b->inlined : "-");
    assert_string_equal(a->file, b->file);
    assert_int_equal(a->first_line, b->first_line);
    assert_int_equal(a->last_line, b->last_line);
    assert_int_equal(a->header, b->header);
}

// Variables may have other numbers: a helper numbers all that a frame contains.
static void check_variable(const dj_symbols *x, uint32_t number_x, const dj_symbols *y, uint32_t number_y)
{
    const dj_variable_info *a = dj_symbols_variable_info(x, number_x);
    const dj_variable_info *b = dj_symbols_variable_info(y, number_y);
    assert_int_equal(a != NULL, b != NULL);
    if (!a || !b)
        return;
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->type, b->type);
    assert_string_equal(a->file, b->file);
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->function, b->function);
    assert_int_equal(a->bytes, b->bytes);
}

static void check_code(const dj_code *a, const dj_code *b)
{
    assert_int_equal(a->function, b->function);
    assert_int_equal(a->loop, b->loop);
    assert_int_equal(a->frame_count, b->frame_count);
    for (uint32_t i = 0; i < a->frame_count; i++) {
        assert_string_equal(a->frames[i].function, b->frames[i].function);
        assert_string_equal(a->frames[i].file, b->frames[i].file);
        assert_int_equal(a->frames[i].line, b->frames[i].line);
        assert_int_equal(a->frames[i].column, b->frames[i].column);
    }
}

static void check_extent(const dj_symbols *x, const dj_extent *a, const dj_symbols *y, const dj_extent *b)
{
    assert_true(a->lo == b->lo && a->hi == b->hi);
    check_variable(x, a->variable, y, b->variable);
}

static void check_same(const dj_symbols *x, const answer *a, const dj_symbols *y, const answer *b)
{
    assert_int_equal(a->function, b->function);
    check_function(x, y, a->function);
    assert_int_equal(a->has_statement, b->has_statement);
    if (a->has_statement) {
        assert_string_equal(a->statement.file, b->statement.file);
        assert_int_equal(a->statement.line, b->statement.line);
        assert_int_equal(a->statement.exact, b->statement.exact);
        assert_int_equal(a->statement.repeats, b->statement.repeats);
        assert_int_equal(a->statement.stores, b->statement.stores);
        assert_int_equal(a->statement.returns_nothing, b->statement.returns_nothing);
    }
    assert_int_equal(a->latch, b->latch);
    assert_int_equal(a->block, b->block);
    check_loop(x, y, a->latch);
    check_loop(x, y, a->code.loop);
    check_code(&a->code, &b->code);
    assert_int_equal(a->has_global, b->has_global);
    check_extent(x, &a->global, y, &b->global);
    assert_int_equal(a->has_local, b->has_local);
    check_extent(x, &a->local, y, &b->local);
    check_variable(x, a->pointer, y, b->pointer);
    assert_int_equal(a->returned, b->returned);
    assert_string_equal(a->element, b->element);
}

static void same_answers(void **state)
{
    (void)state;
    static const char *const programs[] = {"loops-gcc-O2", "loops-gcc-O0",       "names-gcc",
                                           "parts-gcc",    "loops-gcc-stripped", "loops-gcc-split"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *path = open_program(programs[i]);
        dj_symbols *other = open_helped(path);
        assert_non_null(other->client);
        for (uint64_t offset = FIRST; offset < LAST; offset += STEP) {
            answer here = ask(symbols, offset), there = ask(other, offset);
            check_same(symbols, &here, other, &there);
        }
        dj_module_info here = dj_symbols_module(symbols, 1), there = dj_symbols_module(other, 1);
        assert_int_equal(here.state, there.state);
        assert_int_equal(here.has_lines, there.has_lines);
        assert_int_equal(here.has_types, there.has_types);
        assert_int_equal(here.has_symbols, there.has_symbols);
        assert_null(dj_symbols_fault(other));
        assert_int_equal(dj_symbols_check(other, context), DJ_OK);
        dj_symbols_destroy(other);
        close_program();
    }
}

static bool is_unknown(const answer *a)
{
    return !a->function && !a->has_statement && !a->latch && !a->has_global && !a->has_local && !a->pointer &&
           a->code.function == 0 && a->code.frame_count == 1 && !a->code.frames[0].function[0] &&
           !a->element[0];
}

static void killed(void **state)
{
    (void)state;
    const char *path = open_program("loops-gcc-O2");
    uint64_t offset = nm_find(path, "triple").address;
    dj_symbols *other = open_helped(path);
    answer before = ask(other, offset);
    assert_true(before.function && before.code.frames[0].line);
    assert_int_equal(kill(other->client->helper.pid, SIGKILL), 0);
    answer again = ask(other, offset); // known, except for elements
    memcpy(again.element, before.element, sizeof again.element);
    check_same(other, &before, other, &again);
    dj_code code;
    assert_int_equal(dj_symbols_code(other, context, 1, offset + 1, &code), DJ_OK);
    assert_true(code.function == 0 && code.frame_count == 1 && code.frames[0].line == 0);
    assert_non_null(dj_symbols_fault(other));
    assert_non_null(strstr(dj_symbols_fault(other), "signal 9"));
    assert_string_equal(dj_symbols_function_info(other, before.function)->name, "triple");
    assert_int_equal(dj_symbols_check(other, context), DJ_OK);
    dj_symbols_destroy(other);
    close_program();
}

#if defined(FAULT_SHIM)
// Asks everything with allocation `n` of one kind failing; returns whether that was noticed.
static bool starve(const char *path, const char *kind, unsigned n)
{
    char fault[64];
    bool unknown = false;
    snprintf(fault, sizeof fault, "%s:one:%u", kind, n);
    setenv("LD_PRELOAD", FAULT_SHIM, 1);
    setenv("DEJA_FAULT_PROGRAM", DJ_HELPER_NAME, 1);
    setenv("DEJA_FAULT", fault, 1);
    dj_symbols *other = open_helped(path), *reference = NULL;
    unsetenv("LD_PRELOAD");
    assert_int_equal(dj_symbols_create(context, NULL, &reference), DJ_OK);
    assert_int_equal(dj_symbols_add_module(reference, context, 1, path, ""), DJ_OK);
    for (uint64_t offset = FIRST; offset < LAST && !unknown; offset += 64 + STEP) {
        answer right = ask(reference, offset), there = ask(other, offset);
        unknown = dj_symbols_fault(other) != NULL;
        if (!unknown)
            check_same(reference, &right, other, &there);
    }
    if (unknown) {
        assert_string_equal(dj_symbols_fault(other),
                            "symbols ran out of memory: later places are shown as addresses");
        answer last = ask(other, LAST);
        assert_true(is_unknown(&last));
    }
    dj_symbols_destroy(other);
    dj_symbols_destroy(reference);
    return unknown;
}

// The first allocations one by one, then fewer and fewer, until all succeed.
static void out_of_memory(void **state)
{
    (void)state;
    static const char *const kinds[] = {"malloc", "calloc", "realloc"};
    const char *path = open_program("loops-gcc-O2");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        unsigned n = 1;
        while (starve(path, kinds[i], n))
            n += 1 + n / 4;
        if (n <= 4)
            fail_msg("the helper noticed only %u failures of %s", n - 1, kinds[i]);
    }
    close_program();
}
#endif

static void missing(void **state)
{
    (void)state;
    setenv("DEJA_LIB", "/", 1);
    const char *path = open_program("loops-gcc-O2");
    dj_symbols *other = open_helped(path);
    unsetenv("DEJA_LIB");
    assert_null(other->client);
    answer here = ask(symbols, nm_find(path, "triple").address);
    answer there = ask(other, nm_find(path, "triple").address);
    assert_true(here.function);
    check_same(symbols, &here, other, &there);
    assert_null(dj_symbols_fault(other));
    dj_symbols_destroy(other);
    close_program();
}

// A program that does not speak the protocol.
static void other_program(void **state)
{
    (void)state;
    char folder[] = "/tmp/deja-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, DJ_HELPER_NAME);
    assert_int_equal(symlink("/bin/false", path), 0);
    setenv("DEJA_LIB", folder, 1);
    dj_symbols *other = open_helped(open_program("loops-gcc-O2"));
    unsetenv("DEJA_LIB");
    answer there = ask(other, FIRST);
    assert_true(is_unknown(&there));
    assert_non_null(strstr(dj_symbols_fault(other), "ended with status 1"));
    dj_symbols_destroy(other);
    close_program();
    unlink(path);
    rmdir(folder);
}

// The file is read once, as a whole.
static void truncated(void **state)
{
    (void)state;
    char copy[] = "/tmp/deja-test-XXXXXX";
    const char *path = open_program("loops-gcc-O2");
    int fd = mkstemp(copy);
    assert_true(fd >= 0);
    pclose(run_command("cat %s > %s", path, copy));
    dj_symbols *here = NULL;
    assert_int_equal(dj_symbols_create(context, NULL, &here), DJ_OK);
    assert_int_equal(dj_symbols_add_module(here, context, 1, copy, ""), DJ_OK);
    dj_symbols *there = open_helped(copy);
    for (uint64_t offset = FIRST; offset < LAST; offset += 16 * STEP) {
        answer right = ask(symbols, offset), a = ask(here, offset), b = ask(there, offset);
        check_code(&right.code, &a.code);
        check_code(&right.code, &b.code);
        if (offset == FIRST)
            assert_int_equal(ftruncate(fd, 100), 0);
    }
    assert_null(dj_symbols_fault(there));
    dj_symbols_destroy(here);
    dj_symbols_destroy(there);
    close_program();
    close(fd);
    unlink(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_answers),
        cmocka_unit_test(killed),
        cmocka_unit_test(missing),
        cmocka_unit_test(other_program),
        cmocka_unit_test(truncated),
#if defined(FAULT_SHIM)
        cmocka_unit_test(out_of_memory),
#endif
    };
    return symbols_status(cmocka_run_group_tests(tests, make_context, drop_context));
}
