// SPDX-License-Identifier: MIT
// Functions: bounds and names against nm and objdump, with and without symbols.
#include "unit/symbols.h"

enum { ROWS_MOST = 1 << 14 };

static nm_row rows[ROWS_MOST];

// Every function that nm knows is found at its first and at its last byte.
static void check_bounds(const char *path, const char *options, uint64_t base, size_t least)
{
    size_t count = read_nm(path, options, rows, ROWS_MOST);
    if (count == 0)
        skip(); // no nm
    assert_true(count >= least);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].bytes == 0 || strstr(rows[i].name, ".cold"))
            continue;
        uint64_t lo = rows[i].address - base, last = lo + rows[i].bytes - 1;
        uint32_t first = dj_symbols_function(symbols, 1, lo);
        const dj_function_info *info = dj_symbols_function_info(symbols, first);
        assert_non_null(info);
        assert_int_equal(info->module, 1);
        // A static program contains a part of the dynamic linker.
        assert_int_equal(info->stub, strncmp(rows[i].name, "_dl_runtime_resolve", 19) == 0);
        if (info->lo != lo)
            fail_msg("%s: %s starts at %" PRIx64 ", not %" PRIx64, path, rows[i].name, info->lo, lo);
        const dj_function_info *end =
            dj_symbols_function_info(symbols, dj_symbols_function(symbols, 1, last));
        assert_non_null(end);
        assert_true(last < end->hi); // or in a function within this one
    }
}

static void bounds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t base;
    } programs[] = {{"loops-gcc-O2", 0},   {"loops-clang-O2", 0},         {"names-gcc", 0},
                    {"names-gcc-bare", 0}, {"loops-gcc-nopie", 0x400000}, {"loops-gcc-static", 0x400000}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *path = open_program(programs[i].name);
        check_bounds(path, "", programs[i].base, 8);
        close_program();
    }
}

// The C library of this machine: what it exports.
static void c_library(void **state)
{
    (void)state;
    static const char *const paths[] = {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6",
                                        "/usr/lib/libc.so.6"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (access(paths[i], R_OK) != 0)
            continue;
        assert_int_equal(dj_symbols_create(context, symbols_options(), &symbols), DJ_OK);
        assert_int_equal(dj_symbols_add_module(symbols, context, 1, paths[i], ""), DJ_OK);
        check_bounds(paths[i], "-D --defined-only", 0, 1000);
        uint32_t found[4];
        assert_int_equal(dj_symbols_find_function(symbols, 1, "malloc", found, 4), 1);
        assert_string_equal(dj_symbols_function_info(symbols, found[0])->name, "malloc");
        close_program();
        return;
    }
    skip();
}

// Without symbols, .eh_frame gives the same bounds as the symbols did.
static void stripped(void **state)
{
    (void)state;
    static const struct {
        const char *name, *stripped;
    } programs[] = {{"loops-gcc-O2", "loops-gcc-stripped"}, {"names-gcc", "names-gcc-stripped"}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *path = open_program(programs[i].name);
        size_t count = read_nm(path, "", rows, ROWS_MOST), found = 0;
        close_program();
        open_program(programs[i].stripped);
        assert_false(dj_symbols_module(symbols, 1).has_symbols);
        assert_false(dj_symbols_module(symbols, 1).has_lines);
        for (size_t j = 0; j < count; j++) {
            char name[256];
            if (rows[j].name[0] == '_' && rows[j].name[1] != 'Z')
                continue; // start-up code has no frames
            uint32_t function = dj_symbols_function(symbols, 1, rows[j].address + rows[j].bytes / 2);
            const dj_function_info *info = dj_symbols_function_info(symbols, function);
            assert_non_null(info);
            assert_int_equal(info->lo, rows[j].address);
            assert_int_equal(info->hi, rows[j].address + rows[j].bytes);
            snprintf(name, sizeof name, "0x%" PRIx64 " in %s", rows[j].address, programs[i].stripped);
            assert_string_equal(info->name, name);
            uint32_t again;
            assert_int_equal(dj_symbols_find_function(symbols, 1, name, &again, 1), 1);
            assert_int_equal(again, function);
            found++;
        }
        assert_true(found >= 4);
        close_program();
    }
}

// A static program without symbols still has .eh_frame for its own code.
static void static_stripped(void **state)
{
    (void)state;
    const char *path = open_program("loops-gcc-static");
    nm_row triple = nm_find(path, "triple");
    close_program();
    open_program("loops-gcc-static-stripped");
    const dj_function_info *info =
        dj_symbols_function_info(symbols, dj_symbols_function(symbols, 1, triple.address - 0x400000 + 5));
    assert_non_null(info);
    assert_int_equal(info->lo, triple.address - 0x400000);
    assert_int_equal(info->hi, info->lo + triple.bytes);
    dj_code code;
    assert_int_equal(dj_symbols_code(symbols, context, 1, info->lo + triple.bytes / 2, &code), DJ_OK);
    assert_int_not_equal(code.loop, 0);
    close_program();
}

// objdump prints "0000000000001030 <printf@plt>:" before a stub.
static void stubs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t base;
    } programs[] = {
        {"names-gcc", 0}, {"names-gcc-stripped", 0}, {"parts-gcc", 0}, {"loops-gcc-nopie", 0x400000}};
    size_t seen = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *path = open_program(programs[i].name);
        char line[4096], name[2048];
        uint64_t address;
        FILE *output = run_command("objdump -dC --no-show-raw-insn %s 2>/dev/null", path);
        while (fgets(line, sizeof line, output)) {
            if (sscanf(line, "%" SCNx64 " <%2047[^\n]", &address, name) != 2)
                continue;
            char *end = strstr(name, "@plt>:");
            if (!end)
                continue;
            end[4] = 0;
            const dj_function_info *info = dj_symbols_function_info(
                symbols, dj_symbols_function(symbols, 1, address - programs[i].base));
            assert_non_null(info);
            assert_true(info->stub);
            assert_string_equal(info->name, name);
            assert_int_equal(info->lo, address - programs[i].base);
            seen++;
        }
        pclose(output);
        close_program();
    }
    assert_true(seen >= 10);
}

static void check_found(const char *name, const char *full_name, size_t expected)
{
    uint32_t found[8];
    size_t count = dj_symbols_find_function(symbols, 1, name, found, 8);
    if (count != expected)
        fail_msg("%s: found %zu times, not %zu", name, count, expected);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(dj_symbols_function_info(symbols, found[i])->name, full_name);
}

static void names(void **state)
{
    (void)state;
    static const char *const programs[] = {"names-gcc", "names-gcc-bare"};
    for (size_t i = 0; i < 2; i++) {
        open_program(programs[i]);
        check_found("main", "main", 1);
        check_found("guarded", "guarded(int)", 1);
        check_found("guarded(int)", "guarded(int)", 1);
        check_found("_Z7guardedi", "guarded(int)", 1);
        check_found("geometry::square::area", "geometry::square::area() const", 1);
        check_found("geometry::square::area() const", "geometry::square::area() const", 1);
        check_found("(anonymous namespace)::hidden", "(anonymous namespace)::hidden(int)", 1);
        static const char *const largest =
            "double geometry::largest<double>(std::vector<double, std::allocator<double> > const&)";
        check_found("geometry::largest", largest, 1);
        check_found("geometry::largest<double>", largest, 1);
        check_found("geometry", "", 0);
        check_found("guard", "", 0);
        check_found("printf@plt", "printf@plt", 1);
        close_program();
    }
}

static void declarations(void **state)
{
    (void)state;
    open_program("loops-gcc-O2");
    uint32_t found;
    assert_int_equal(dj_symbols_find_function(symbols, 1, "inlines", &found, 1), 1);
    const dj_function_info *info = dj_symbols_function_info(symbols, found);
    assert_non_null(strstr(info->file, "/code_loops.c"));
    assert_int_equal(access(info->file, R_OK), 0);
    assert_int_equal(info->line, mark("code_loops.c", "inlines.alone") - 2);
    close_program();
}

static void fortran(void **state)
{
    (void)state;
    const char *path = open_program("fortran-gcc");
    check_found("grids::relax", "grids::relax", 1);
    check_found("__grids_MOD_relax", "grids::relax", 1);
    check_found("plain", "plain", 1);
    check_found("plain_", "plain", 1);
    check_found("inner", "inner", 1);
    nm_row start = nm_find(path, "MAIN__");
    const dj_function_info *info =
        dj_symbols_function_info(symbols, dj_symbols_function(symbols, 1, start.address));
    assert_string_equal(info->name, "stencil");
    close_program();
}

// An unreadable file is not an error.
static void unreadable(void **state)
{
    (void)state;
    dj_code code;
    assert_int_equal(dj_symbols_create(context, symbols_options(), &symbols), DJ_OK);
    static const char *const paths[] = {"/no/such/file", "/dev/null", "/", "/etc/passwd", "[vdso]", ""};
    static const enum dj_module_state states[] = {DJ_MODULE_MISSING,    DJ_MODULE_UNREADABLE,
                                                  DJ_MODULE_UNREADABLE, DJ_MODULE_UNREADABLE,
                                                  DJ_MODULE_NO_FILE,    DJ_MODULE_MISSING};
    for (uint32_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(dj_symbols_add_module(symbols, context, i, paths[i], ""), DJ_OK);
        assert_int_equal(dj_symbols_module(symbols, i).state, states[i]);
        assert_string_equal(dj_symbols_module(symbols, i).path, paths[i]);
        assert_int_equal(dj_symbols_function(symbols, i, 0x1000), 0);
        assert_int_equal(dj_symbols_code(symbols, context, i, 0x1000, &code), DJ_OK);
        assert_int_equal(code.frame_count, 1);
        assert_string_equal(code.frames[0].function, "");
    }
    assert_int_equal(dj_symbols_function(symbols, 77, 0), 0); // never registered
    assert_int_equal(dj_symbols_module(symbols, 77).state, DJ_MODULE_MISSING);
    assert_null(dj_symbols_function_info(symbols, 0));
    assert_null(dj_symbols_function_info(symbols, 1));
    assert_null(dj_symbols_loop_info(symbols, 1));
    assert_int_equal(dj_symbols_add_module(symbols, context, 0, "/no/such/file", ""), DJ_OK);
    assert_int_equal(dj_symbols_add_module(symbols, context, 0, "/another", ""), DJ_ERR_INPUT);
    assert_int_equal(dj_symbols_add_module(symbols, context, UINT32_MAX, "/another", ""), DJ_ERR_INPUT);
    close_program();
}

// Nothing of a truncated file is used.
static void cut_off(void **state)
{
    (void)state;
    const char *path = open_program("names-gcc");
    static char bytes[1 << 20];
    FILE *file = fopen(path, "r");
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    close_program();
    char shorter[] = "/tmp/deja-cut-XXXXXX";
    int fd = mkstemp(shorter);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, count), count);
    for (size_t length = count; length > 0; length = length * 7 / 8) {
        assert_int_equal(ftruncate(fd, (off_t)length), 0);
        assert_int_equal(dj_symbols_create(context, symbols_options(), &symbols), DJ_OK);
        assert_int_equal(dj_symbols_add_module(symbols, context, 1, shorter, ""), DJ_OK);
        for (uint64_t at = 0x1000; at < 0x2000; at += 16) {
            dj_code code;
            assert_int_equal(dj_symbols_code(symbols, context, 1, at, &code), DJ_OK);
            assert_true(length == count || code.frames[0].function[0] == '\0');
        }
        assert_int_equal(dj_symbols_module(symbols, 1).state,
                         length == count ? DJ_MODULE_UNVERIFIED : DJ_MODULE_UNREADABLE);
        close_program();
    }
    close(fd);
    unlink(shorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds),          cmocka_unit_test(c_library), cmocka_unit_test(stripped),
        cmocka_unit_test(static_stripped), cmocka_unit_test(stubs),     cmocka_unit_test(names),
        cmocka_unit_test(declarations),    cmocka_unit_test(fortran),   cmocka_unit_test(unreadable),
        cmocka_unit_test(cut_off),
    };
    return symbols_status(cmocka_run_group_tests(tests, make_context, drop_context));
}
