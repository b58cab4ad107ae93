// SPDX-License-Identifier: MIT
// Loops of functions whose nests are known from their sources.
#include "unit/symbols.h"

typedef struct expected_loop {
    const char *first, *last; // MARKs
    int parent;               // index of another expected one, −1: none
} expected_loop;

enum { LOOPS_MOST = 16 };

// The loops at the addresses of a function, by first line.
static size_t loops_of(const char *path, const char *function, uint64_t base, uint32_t *numbers)
{
    nm_row at = nm_find(path, function);
    size_t count = 0;
    for (uint64_t i = 0; i < at.bytes; i++) {
        dj_code code;
        assert_int_equal(dj_symbols_code(symbols, context, 1, at.address - base + i, &code), DJ_OK);
        size_t known = 0;
        while (known < count && numbers[known] != code.loop)
            known++;
        if (code.loop && known == count) {
            assert_true(count < LOOPS_MOST);
            numbers[count++] = code.loop;
        }
    }
    return count;
}

static void check(const char *program, uint64_t base, const char *source, const char *function,
                  const expected_loop *expected, size_t expected_count)
{
    const char *path = open_program(program);
    uint32_t numbers[LOOPS_MOST], matched[LOOPS_MOST] = {0};
    size_t count = loops_of(path, function, base, numbers);
    if (count != expected_count)
        fail_msg("%s: %s has %zu loops, not %zu", program, function, count, expected_count);
    for (size_t i = 0; i < expected_count; i++) {
        uint32_t first = mark(source, expected[i].first), last = mark(source, expected[i].last);
        for (size_t j = 0; j < count && !matched[i]; j++) {
            const dj_loop_info *info = dj_symbols_loop_info(symbols, numbers[j]);
            assert_non_null(info);
            uint32_t parent = expected[i].parent < 0 ? 0 : matched[expected[i].parent];
            if (info->first_line == first && info->last_line == last && info->parent == parent) {
                matched[i] = numbers[j];
                assert_int_equal(info->depth, expected[i].parent < 0
                                                  ? 1
                                                  : dj_symbols_loop_info(symbols, parent)->depth + 1);
                assert_non_null(strstr(info->file, source));
                assert_string_equal(dj_symbols_function_info(symbols, info->function)->name, function);
                const char *written_in = strcmp(expected[i].first, "sum_of") == 0 ? "sum_of" : function;
                assert_string_equal(info->inlined ? info->inlined : function, written_in);
            }
        }
        if (!matched[i])
            fail_msg("%s: %s has no loop at lines %u to %u", program, function, first, last);
    }
    close_program();
}

#define CHECK(program, base, source, function, ...)                                                          \
    do {                                                                                                     \
        const expected_loop loops[] = {__VA_ARGS__};                                                         \
        check(program, base, source, function, loops, sizeof loops / sizeof *loops);                         \
    } while (0)

static void check_all(const char *program, uint64_t base)
{
    // clang attributes the jump back to the line of the brace when it does not optimize.
    const char *end = strcmp(program, "loops-clang-O0") == 0 ? "switched.close" : "switched.end";
    CHECK(program, base, "code_loops.c", "triple", {"triple.1", "triple.1.end", -1},
          {"triple.2", "triple.2.end", 0}, {"triple.3", "triple.3.end", 1});
    CHECK(program, base, "code_loops.c", "with_break", {"with_break", "with_break.end", -1});
    CHECK(program, base, "code_loops.c", "do_while", {"do_while", "do_while.end", -1});
    CHECK(program, base, "code_loops.c", "switched", {"switched", end, -1},
          {"switched.inner", "switched.inner.end", 0});
    CHECK(program, base, "code_loops.c", "in_sequence", {"sequence.1", "sequence.1.end", -1},
          {"sequence.2", "sequence.2.end", -1});
    // One inlined alone and one in a loop: three loops, two of them at the same lines.
    CHECK(program, base, "code_loops.c", "inlines", {"inlines.loop", "inlines.loop.end", -1},
          {"sum_of", "sum_of.end", -1}, {"sum_of", "sum_of.end", 0});
    check(program, base, "code_loops.c", "straight", NULL, 0);
}

static void gcc_plain(void **state)
{
    (void)state;
    check_all("loops-gcc-O0", 0);
    CHECK("loops-gcc-O0", 0, "code_loops.c", "irreducible", {"irreducible", "irreducible.end", -1});
}

static void gcc_optimized(void **state)
{
    (void)state;
    check_all("loops-gcc-O2", 0);
}

static void gcc_dwarf4(void **state)
{
    (void)state;
    check_all("loops-gcc-dwarf4", 0);
}

static void gcc_fixed_address(void **state)
{
    (void)state;
    check_all("loops-gcc-nopie", 0x400000);
}

static void gcc_static(void **state)
{
    (void)state;
    check_all("loops-gcc-static", 0x400000);
}

static void gcc_split(void **state)
{
    (void)state;
    check_all("loops-gcc-split", 0);
    check_all("loops-gcc-split4", 0);
}

// At any optimization level, the outermost loop has its lines and no loop extends past them.
static void nests_at_every_level(void **state)
{
    (void)state;
    static const char *const programs[] = {"nest-gcc-O1",   "nest-gcc-O2",   "nest-gcc-O3",
                                           "nest-clang-O1", "nest-clang-O2", "nest-clang-O3"};
    static const char *const functions[] = {"stencil", "product"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs * 2; i++) {
        const char *function = functions[i % 2], *path = open_program(programs[i / 2]);
        char name[64];
        uint32_t numbers[LOOPS_MOST], first = mark("code_nest.c", function), outermost = 0;
        snprintf(name, sizeof name, "%s.end", function);
        uint32_t last = mark("code_nest.c", name);
        size_t count = loops_of(path, function, 0, numbers);
        assert_true(count >= 3);
        for (size_t j = 0; j < count; j++) {
            const dj_loop_info *loop = dj_symbols_loop_info(symbols, numbers[j]);
            if (loop->first_line < first || loop->last_line > last)
                fail_msg("%s: a loop of %s is at lines %u to %u", path, function, loop->first_line,
                         loop->last_line);
            outermost += loop->depth == 1 && loop->first_line == first && loop->last_line == last;
            const dj_loop_info *around = dj_symbols_loop_info(symbols, loop->parent);
            assert_int_equal(loop->depth, around ? around->depth + 1 : 1);
            assert_true(!around ||
                        (around->first_line <= loop->first_line && loop->last_line <= around->last_line));
        }
        assert_int_equal(outermost, 1);
        close_program();
    }
}

static void clang_plain(void **state)
{
    (void)state;
    check_all("loops-clang-O0", 0);
    CHECK("loops-clang-O0", 0, "code_loops.c", "irreducible", {"irreducible", "irreducible.end", -1});
}

static void clang_optimized(void **state)
{
    (void)state;
    check_all("loops-clang-O2", 0);
}

// Every target of the switch is part of its loop; every part of the interpreter is part of the loop that
// its jumps form, though their targets are unknown.
static void jumps_by_table(void **state)
{
    (void)state;
    static const struct {
        const char *program, *function, *mark;
    } places[] = {
        {"loops-gcc-O0", "switched", "switched.case"},    {"loops-gcc-O2", "switched", "switched.case"},
        {"loops-gcc-nopie", "switched", "switched.case"}, {"loops-clang-O2", "switched", "switched.case"},
        {"loops-gcc-O0", "computed", "computed"},         {"loops-gcc-O0", "computed", "computed.end"},
        {"loops-gcc-O2", "computed", "computed"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = open_program(places[i].program);
        uint64_t base = strstr(path, "nopie") ? 0x400000 : 0;
        nm_row at = nm_find(path, places[i].function);
        uint32_t line = mark("code_loops.c", places[i].mark), seen = 0;
        for (uint64_t offset = at.address - base; offset < at.address - base + at.bytes; offset++) {
            dj_code code;
            assert_int_equal(dj_symbols_code(symbols, context, 1, offset, &code), DJ_OK);
            if (code.frames[code.frame_count - 1].line != line)
                continue;
            seen++;
            if (code.loop == 0)
                fail_msg("%s: offset %" PRIx64 " of %s is in no loop", places[i].program, offset,
                         places[i].function);
        }
        assert_true(seen > 0);
        close_program();
    }
}

// A part that the compiler moved away still belongs to the function and its loop.
static void parts_moved_away(void **state)
{
    (void)state;
    static const char *const programs[] = {"parts-gcc", "parts-gcc-bare"};
    for (size_t i = 0; i < 2; i++) {
        const char *path = open_program(programs[i]);
        nm_row cold = nm_find(path, "checked.cold"), hot = nm_find(path, "checked");
        dj_code code;
        assert_int_equal(dj_symbols_code(symbols, context, 1, cold.address, &code), DJ_OK);
        assert_int_equal(code.function, dj_symbols_function(symbols, 1, hot.address));
        assert_string_equal(code.frames[code.frame_count - 1].function, "checked");
        const dj_loop_info *loop = dj_symbols_loop_info(symbols, code.loop);
        assert_non_null(loop);
        assert_int_equal(loop->first_line, i ? 0 : mark("code_parts.c", "checked"));
        assert_int_equal(loop->last_line, i ? 0 : mark("code_parts.c", "checked.end"));
        close_program();
    }
}

static void handler_in_a_loop(void **state)
{
    (void)state;
    const char *path = open_program("names-gcc");
    uint32_t numbers[LOOPS_MOST];
    assert_int_equal(loops_of(path, "_Z7guardedi", 0, numbers), 1);
    const dj_loop_info *loop = dj_symbols_loop_info(symbols, numbers[0]);
    assert_int_equal(loop->first_line, mark("code_names.cpp", "guarded"));
    assert_int_equal(loop->last_line, mark("code_names.cpp", "guarded.end"));
    // The handler itself, wherever the compiler put it.
    nm_row parts[64];
    size_t count = read_nm(path, "", parts, 64);
    uint32_t line = mark("code_names.cpp", "guarded.catch"), handled = 0;
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = 0; strncmp(parts[i].name, "_Z7guardedi", 11) == 0 && at < parts[i].bytes; at++) {
            dj_code code;
            assert_int_equal(dj_symbols_code(symbols, context, 1, parts[i].address + at, &code), DJ_OK);
            if (code.frames[code.frame_count - 1].line != line)
                continue;
            handled++;
            assert_int_equal(code.loop, numbers[0]);
        }
    assert_true(handled > 0);
    close_program();
}

static void fortran(void **state)
{
    (void)state;
    const char *path = open_program("fortran-gcc");
    uint32_t numbers[LOOPS_MOST];
    assert_int_equal(loops_of(path, "__grids_MOD_relax", 0, numbers), 2);
    const dj_loop_info *inner = dj_symbols_loop_info(symbols, numbers[0]);
    const dj_loop_info *outer = dj_symbols_loop_info(symbols, numbers[1]);
    if (inner->depth == 1) {
        const dj_loop_info *swap = inner;
        inner = outer;
        outer = swap;
    }
    assert_int_equal(outer->first_line, mark("code_fortran.f90", "relax.1"));
    assert_int_equal(inner->first_line, mark("code_fortran.f90", "relax.2"));
    assert_int_equal(inner->last_line, mark("code_fortran.f90", "relax.2.end"));
    assert_int_equal(outer->depth, 1);
    assert_int_equal(inner->depth, 2);
    close_program();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gcc_plain),
        cmocka_unit_test(gcc_optimized),
        cmocka_unit_test(gcc_dwarf4),
        cmocka_unit_test(gcc_fixed_address),
        cmocka_unit_test(gcc_static),
        cmocka_unit_test(gcc_split),
        cmocka_unit_test(clang_plain),
        cmocka_unit_test(clang_optimized),
        cmocka_unit_test(jumps_by_table),
        cmocka_unit_test(parts_moved_away),
        cmocka_unit_test(nests_at_every_level),
        cmocka_unit_test(handler_in_a_loop),
        cmocka_unit_test(fortran),
    };
    return symbols_status(cmocka_run_group_tests(tests, make_context, drop_context));
}
