// SPDX-License-Identifier: MIT
// Lines and inline chains of all instructions, against addr2line; the same for every variant of a program;
// and the marks in the sources.
#include "unit/symbols.h"

enum { ADDRESSES_MOST = 1 << 19, FRAMES_MOST = 64 };

static uint64_t addresses[ADDRESSES_MOST];

// The addresses of all instructions.
static size_t read_addresses(const char *path)
{
    char line[1024];
    size_t count = 0;
    FILE *output = run_command("objdump -d --no-show-raw-insn %s 2>/dev/null", path);
    while (count < ADDRESSES_MOST && fgets(line, sizeof line, output)) {
        char *colon = strchr(line, ':');
        if (line[0] == ' ' && colon) {
            *colon = 0;
            addresses[count++] = strtoull(line, NULL, 16);
        }
    }
    pclose(output);
    return count;
}

// A command that reads the first `count` addresses, one on each line.
static FILE *feed(const char *command, const char *path, size_t count)
{
    char list[] = "/tmp/deja-addresses-XXXXXX";
    int fd = mkstemp(list);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "0x%" PRIx64 "\n", addresses[i]);
    fclose(file);
    FILE *output = run_command("%s -e %s <%s 2>/dev/null; rm %s", command, path, list, list);
    return output;
}

static uint32_t line_of(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

// The lines of the next address in the output of addr2line -a -i -f, outermost last.
static size_t next_frames(FILE *output, char *ahead, size_t room, uint32_t *lines)
{
    size_t count = 0;
    char name[65536];
    while (fgets(name, sizeof name, output)) {
        if (strncmp(name, "0x", 2) == 0 && strspn(name + 2, "0123456789abcdef") == 16) {
            snprintf(ahead, room, "%s", name);
            return count;
        }
        char place[65536];
        assert_non_null(fgets(place, sizeof place, output));
        assert_true(count < FRAMES_MOST);
        lines[count++] = line_of(place);
    }
    ahead[0] = 0;
    return count;
}

// Every `step`th instruction.
static void compare(const char *path, uint64_t base, size_t step, size_t least)
{
    size_t count = 0, compared = 0, all = read_addresses(path);
    for (size_t i = 0; i < all; i += step)
        addresses[count++] = addresses[i];
    if (count == 0)
        skip(); // no objdump
    FILE *output = feed("addr2line -a -i -f", path, count);
    char ahead[65536];
    uint32_t lines[FRAMES_MOST];
    if (!fgets(ahead, sizeof ahead, output)) {
        pclose(output);
        skip();
    }
    for (size_t i = 0; i < count; i++) {
        dj_code code;
        size_t frames = next_frames(output, ahead, sizeof ahead, lines);
        assert_int_equal(dj_symbols_code(symbols, context, 1, addresses[i] - base, &code), DJ_OK);
        assert_true(frames > 0);
        if (code.function == 0)
            continue; // padding between functions, to which addr2line extends the one before
        if (code.frame_count != frames)
            fail_msg("%s: %" PRIx64 " has %u frames, not %zu", path, addresses[i], code.frame_count, frames);
        for (size_t f = 0; f < frames; f++)
            if (code.frames[f].line != lines[f])
                fail_msg("%s: frame %zu of %" PRIx64 " is at line %u, not %u", path, f, addresses[i],
                         code.frames[f].line, lines[f]);
        compared += lines[0] > 0;
    }
    pclose(output);
    if (compared < least)
        fail_msg("%s: only %zu addresses of %zu have lines", path, compared, count);
}

static void against_addr2line(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t base;
    } programs[] = {{"loops-gcc-O0", 0},     {"loops-gcc-O2", 0},     {"loops-clang-O0", 0},
                    {"loops-clang-O2", 0},   {"loops-gcc-dwarf4", 0}, {"loops-gcc-nopie", 0x400000},
                    {"loops-gcc-packed", 0}, {"names-gcc", 0},        {"parts-gcc", 0}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *path = open_program(programs[i].name);
        compare(path, programs[i].base, 1, 50);
        close_program();
    }
}

// With all its static functions, and with a C library without debug information.
static void static_against_addr2line(void **state)
{
    (void)state;
    compare(open_program("loops-gcc-static"), 0x400000, 1, 50);
    close_program();
}

// With lines if its debug information is installed.
static void c_library_against_addr2line(void **state)
{
    (void)state;
    static const char path[] = "/lib/x86_64-linux-gnu/libc.so.6";
    if (access(path, R_OK) != 0)
        skip();
    assert_int_equal(dj_symbols_create(context, symbols_options(), &symbols), DJ_OK);
    assert_int_equal(dj_symbols_add_module(symbols, context, 1, path, ""), DJ_OK);
    compare(path, 0, 16, dj_symbols_module(symbols, 1).has_lines ? 10000 : 0);
    close_program();
}

// A variant of a program gives the same answers at every address as the program itself.
static void check_same(const char *form)
{
    open_program(form); // or the test is skipped
    close_program();
    const char *path = open_program("loops-gcc-O2");
    nm_row rows[64];
    size_t count = read_nm(path, "", rows, 64);
    assert_true(count > 8);
    dj_symbols *plain = symbols;
    open_program(form);
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = rows[i].address; at < rows[i].address + rows[i].bytes; at++) {
            dj_code a, b;
            assert_int_equal(dj_symbols_code(plain, context, 1, at, &a), DJ_OK);
            assert_int_equal(dj_symbols_code(symbols, context, 1, at, &b), DJ_OK);
            assert_int_equal(a.frame_count, b.frame_count);
            assert_int_equal(a.loop == 0, b.loop == 0);
            for (uint32_t f = 0; f < a.frame_count; f++) {
                assert_string_equal(a.frames[f].function, b.frames[f].function);
                assert_string_equal(a.frames[f].file, b.frames[f].file);
                assert_int_equal(a.frames[f].line, b.frames[f].line);
                assert_int_equal(a.frames[f].column, b.frames[f].column);
            }
        }
    assert_true(dj_symbols_module(symbols, 1).has_lines);
    assert_true(dj_symbols_module(symbols, 1).has_symbols);
    close_program();
    dj_symbols_destroy(plain);
}

static void separate_file(void **state)
{
    (void)state;
    check_same("loops-gcc-linked");
}

static void packed_sections(void **state)
{
    (void)state;
    check_same("loops-gcc-packed");
}

static void split_units(void **state)
{
    (void)state;
    check_same("loops-gcc-split");
}

static void shared_by_dwz(void **state)
{
    (void)state;
    check_same("loops-gcc-dwz");
}

// twice within fourfold within area, each at the line of the call.
static void inline_chain(void **state)
{
    (void)state;
    const char *path = open_program("names-gcc");
    nm_row at = nm_find(path, "_ZNK8geometry6square4areaEv");
    uint32_t deepest = 0;
    for (uint64_t i = 0; i < at.bytes; i++) {
        dj_code code;
        assert_int_equal(dj_symbols_code(symbols, context, 1, at.address + i, &code), DJ_OK);
        const dj_code_frame *last = &code.frames[code.frame_count - 1];
        assert_string_equal(last->function, "geometry::square::area() const");
        if (code.frame_count > deepest)
            deepest = code.frame_count;
        if (code.frame_count < 3)
            continue;
        assert_string_equal(code.frames[0].function, "geometry::twice");
        assert_string_equal(code.frames[1].function, "geometry::fourfold");
        assert_int_equal(code.frames[0].line, mark("code_names.cpp", "twice"));
        assert_int_equal(code.frames[1].line, mark("code_names.cpp", "fourfold"));
        assert_int_equal(last->line, mark("code_names.cpp", "area"));
        assert_int_equal(access(code.frames[0].file, R_OK), 0);
    }
    assert_int_equal(deepest, 3);
    close_program();
}

// Whether an instruction only writes memory, from its text: "movl   $0x0,-0x4(%rbp)".
static bool is_store(char *text)
{
    text[strcspn(text, "#\n")] = 0;
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' '; end--)
        text[end - 1] = 0;
    const char *memory = strchr(text, '(');
    if (strncmp(text, "push", 4) == 0 || strncmp(text, "call", 4) == 0)
        return !memory;
    return (strncmp(text, "mov", 3) == 0 || strncmp(text, "set", 3) == 0) && memory &&
           memory == strrchr(text, '(') && text[strlen(text) - 1] == ')';
}

static void stores_against_objdump(void **state)
{
    (void)state;
    static const char *const programs[] = {"loops-gcc-O0", "loops-gcc-O2", "names-gcc", "fortran-gcc"};
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        const char *path = open_program(programs[p]);
        char line[1024];
        size_t stores = 0, others = 0;
        FILE *output = run_command("objdump -d --no-show-raw-insn %s 2>/dev/null", path);
        while (fgets(line, sizeof line, output)) {
            char *colon = strchr(line, ':');
            dj_statement_info info;
            if (line[0] != ' ' || !colon ||
                !dj_symbols_statement(symbols, 1, strtoull(line, NULL, 16), &info))
                continue;
            const bool expected = is_store(colon + 1 + strspn(colon + 1, " \t"));
            if (info.stores != expected)
                fail_msg("%s: %s stores, or not", programs[p], line);
            stores += expected;
            others += !expected;
        }
        pclose(output);
        assert_true(others == 0 || (stores > 10 && others > stores));
        close_program();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_addr2line),
        cmocka_unit_test(static_against_addr2line),
        cmocka_unit_test(c_library_against_addr2line),
        cmocka_unit_test(separate_file),
        cmocka_unit_test(packed_sections),
        cmocka_unit_test(split_units),
        cmocka_unit_test(shared_by_dwz),
        cmocka_unit_test(inline_chain),
        cmocka_unit_test(stores_against_objdump),
    };
    return symbols_status(cmocka_run_group_tests(tests, make_context, drop_context));
}
