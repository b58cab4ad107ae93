// SPDX-License-Identifier: MIT
// Variables, elements and pointers, against what programs report about their own: tests/variables.
#include "symbols/symbols.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIELDS_MOST = 8 };

typedef struct session {
    dj_context *context;
    dj_symbols *symbols;
    uint64_t load;
    unsigned facts, wrong;
    const char *program;
    bool bare, naked; // without debug information; also without symbols
} session;

static uint64_t hex(const char *text)
{
    return strtoull(text, NULL, 16);
}

DJ_PRINTF(3, 4) static void wrong(session *s, char **field, const char *format, ...)
{
    char said[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    if (s->wrong++ < 20)
        print_error("%s: %s %s %s %s %s %s: %s\n", s->program, field[0], field[1], field[2], field[3],
                    field[4], field[5], said);
}

static const char *name_of(const session *s, uint32_t variable)
{
    const dj_variable_info *info = dj_symbols_variable_info(s->symbols, variable);
    return info != NULL ? info->name : "(no such variable)";
}

// The name and the element, also with "*" for every number.
static void check_part(session *s, char **field, uint32_t variable, uint64_t offset, uint64_t bytes,
                       const char *name, const char *element)
{
    char text[256], any[256], stars[256];
    size_t length = 0;
    for (const char *at = element; *at != 0;) {
        char before = at == element ? 0 : at[-1];
        bool number = (*at == '-' || (*at >= '0' && *at <= '9')) && strchr("[(,", before) != NULL && before;
        stars[length++] = number ? '*' : *at;
        at += number ? strspn(at, "-0123456789") : 1;
    }
    stars[length] = 0;
    dj_symbols_element(s->symbols, variable, offset, bytes, false, text, sizeof text);
    dj_symbols_element(s->symbols, variable, offset, bytes, true, any, sizeof any);
    if (strcmp(name_of(s, variable), name) != 0 || strcmp(text, element) != 0 || strcmp(any, stars) != 0)
        wrong(s, field, "got %s %s %s", name_of(s, variable), text, any);
}

// Without debug information, variables have names and extents from the symbol table, and nothing else is
// known.
static void see_bare(session *s, char **field)
{
    uint64_t offset = hex(field[1]) - s->load, bytes = strtoull(field[2], NULL, 10);
    char text[64];
    dj_extent extent;
    if (strcmp(field[0], "pointer") == 0 && dj_symbols_pointer(s->symbols, s->context, 1, offset) != 0)
        wrong(s, field, "got a pointer");
    if (strcmp(field[0], "global") != 0 && strcmp(field[0], "whole") != 0)
        return;
    bool found = dj_symbols_global(s->symbols, 1, offset, &extent);
    dj_symbols_element(s->symbols, extent.variable, offset - (uint64_t)extent.lo, bytes, false, text,
                       sizeof text);
    if (found == s->naked || text[0] != 0)
        wrong(s, field, "got %s%s", name_of(s, extent.variable), text);
    if (!found)
        return;
    const dj_variable_info *info = dj_symbols_variable_info(s->symbols, extent.variable);
    if (strcmp(info->name, field[3]) != 0 || info->type[0] != 0 || info->file[0] != 0 ||
        info->bytes != (uint64_t)(extent.hi - extent.lo))
        wrong(s, field, "got %s of type %s", info->name, info->type);
    if (strcmp(field[0], "whole") == 0 && (extent.lo != (int64_t)offset || info->bytes != bytes))
        wrong(s, field, "[%llx, %llx)", (long long)extent.lo, (long long)extent.hi);
}

// The extents, with and without a variable, are adjacent and valid for each of their bytes.
static void check_extents(session *s)
{
    dj_extent extent, inside;
    unsigned variables = 0;
    for (int64_t at = 0; at != INT64_MAX; at = extent.hi) {
        bool found = dj_symbols_global(s->symbols, 1, (uint64_t)at, &extent);
        variables += found;
        assert_true(extent.lo == at && extent.hi > at && (extent.variable != 0) == found);
        int64_t step = (extent.hi - at) / 64 + 1;
        for (int64_t k = at; k < extent.hi && extent.hi - k >= step; k += step) {
            assert_int_equal(dj_symbols_global(s->symbols, 1, (uint64_t)k, &inside), found);
            assert_true(inside.lo == extent.lo && inside.hi == extent.hi);
            assert_int_equal(inside.variable, extent.variable);
        }
    }
    assert_true(s->naked || variables > 5);
}

static void see_global(session *s, char **field)
{
    uint64_t offset = hex(field[1]) - s->load;
    dj_extent extent;
    if (!dj_symbols_global(s->symbols, 1, offset, &extent))
        wrong(s, field, "nothing in [%lld, %lld)", (long long)extent.lo, (long long)extent.hi);
    else
        check_part(s, field, extent.variable, offset - (uint64_t)extent.lo, strtoull(field[2], NULL, 10),
                   field[3], field[4]);
}

static void see_whole(session *s, char **field)
{
    uint64_t lo = hex(field[1]) - s->load, bytes = strtoull(field[2], NULL, 10);
    dj_extent first, last;
    if (!dj_symbols_global(s->symbols, 1, lo, &first) ||
        !dj_symbols_global(s->symbols, 1, lo + bytes - 1, &last) || first.variable != last.variable ||
        first.lo != (int64_t)lo || first.hi != (int64_t)(lo + bytes)) {
        wrong(s, field, "[%llx, %llx)", (long long)first.lo, (long long)first.hi);
        return;
    }
    const dj_variable_info *info = dj_symbols_variable_info(s->symbols, first.variable);
    if (strcmp(info->name, field[3]) != 0 || strcmp(info->type, field[4]) != 0 || info->bytes != bytes ||
        info->module != 1 || info->line == 0 || info->file[0] == 0)
        wrong(s, field, "got %s of type %s, %llu bytes, %s:%u", info->name, info->type,
              (unsigned long long)info->bytes, info->file, info->line);
}

static bool find_local(session *s, char **field, dj_extent *extent)
{
    // As in the locator: the call before the return address.
    uint64_t pc = hex(field[1]) - s->load - 1;
    uint32_t function = dj_symbols_function(s->symbols, 1, pc);
    return dj_symbols_local(s->symbols, function, pc, (int64_t)(hex(field[3]) - hex(field[2])), extent);
}

static void see_local(session *s, char **field)
{
    int64_t offset = (int64_t)(hex(field[3]) - hex(field[2]));
    dj_extent extent;
    if (!find_local(s, field, &extent))
        wrong(s, field, "nothing at %lld in [%lld, %lld)", (long long)offset, (long long)extent.lo,
              (long long)extent.hi);
    else
        check_part(s, field, extent.variable, (uint64_t)(offset - extent.lo), strtoull(field[4], NULL, 10),
                   field[5], field[6]);
}

static void see_pointer(session *s, char **field)
{
    enum { CALL_BYTES = 5 };
    uint64_t offset = hex(field[1]) - s->load;
    uint32_t variable = dj_symbols_pointer(s->symbols, s->context, 1, offset);
    uint32_t same = dj_symbols_pointer(s->symbols, s->context, 1, offset - CALL_BYTES);
    if (variable == 0 || strcmp(name_of(s, variable), name_of(s, same)) != 0)
        wrong(s, field, "got %s by the call and %s behind it", name_of(s, same), name_of(s, variable));
    else
        check_part(s, field, variable, strtoull(field[2], NULL, 10), strtoull(field[3], NULL, 10), field[4],
                   field[5]);
}

static void see_fact(session *s, char **field)
{
    dj_extent extent;
    s->facts++;
    if (strcmp(field[0], "module") == 0) {
        assert_int_equal(dj_symbols_add_module(s->symbols, s->context, 1, field[1], ""), DJ_OK);
        s->load = hex(field[2]);
    } else if (s->bare) {
        see_bare(s, field);
    } else if (strcmp(field[0], "global") == 0) {
        see_global(s, field);
    } else if (strcmp(field[0], "whole") == 0) {
        see_whole(s, field);
    } else if (strcmp(field[0], "local") == 0) {
        see_local(s, field);
    } else if (strcmp(field[0], "pointer") == 0) {
        see_pointer(s, field);
    } else if (strcmp(field[0], "nopointer") == 0) {
        uint32_t variable = dj_symbols_pointer(s->symbols, s->context, 1, hex(field[1]) - s->load);
        if (variable != 0 || !dj_symbols_pointer_returned(s->symbols, s->context, 1, hex(field[1]) - s->load))
            wrong(s, field, "got %s", name_of(s, variable));
    } else if (strcmp(field[0], "nothing") == 0) {
        if (dj_symbols_global(s->symbols, 1, hex(field[1]) - s->load, &extent))
            wrong(s, field, "got %s", name_of(s, extent.variable));
    } else if (strcmp(field[0], "nolocal") == 0) {
        if (find_local(s, field, &extent))
            wrong(s, field, "got %s", name_of(s, extent.variable));
    } else {
        s->facts--;
    }
}

// The allocator of the programs has no debug information, and returns what calloc returns.
static void check_allocator(session *s)
{
    uint32_t function = 0;
    unsigned handed_on = 0;
    assert_int_equal(dj_symbols_find_function(s->symbols, 1, "fact_allocate", &function, 1), 1);
    const dj_function_info *info = dj_symbols_function_info(s->symbols, function);
    for (uint64_t offset = info->lo + 1; offset < info->hi; offset++)
        handed_on += dj_symbols_pointer_returned(s->symbols, s->context, 1, offset);
    assert_true(handed_on > 0);
}

// The return address is directly below the canonical frame address everywhere in the program.
static void check_return_address(session *s)
{
    static const char *const names[] = {"scopes", "around", "parameters", "main"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint32_t function = 0;
        if (dj_symbols_find_function(s->symbols, 1, names[i], &function, 1) != 1)
            continue;
        const dj_function_info *info = dj_symbols_function_info(s->symbols, function);
        dj_extent extent;
        for (uint64_t pc = info->lo; pc < info->hi; pc++)
            if (dj_symbols_local(s->symbols, function, pc, -8, &extent))
                fail_msg("the return address of %s is a variable at %#llx", names[i], (unsigned long long)pc);
    }
}

static void program_and_symbols_agree(void **state)
{
    char command[4096], line[4096];
    session it = {.program = *state};
    it.naked = strstr(it.program, "stripped-all") != NULL;
    it.bare = strstr(it.program, "stripped") != NULL;
    snprintf(command, sizeof command, VARIABLES_PROGRAMS "/%s", it.program);
    FILE *facts = popen(command, "r");
    assert_non_null(facts);
    assert_int_equal(dj_context_create(&it.context), DJ_OK);
    const dj_symbols_options options = {.helped = getenv("DEJA_TEST_HELPER") != NULL};
    assert_int_equal(dj_symbols_create(it.context, &options, &it.symbols), DJ_OK);
    while (fgets(line, sizeof line, facts) != NULL) {
        char *field[FIELDS_MOST] = {"", "", "", "", "", "", "", ""}, *rest = line;
        line[strcspn(line, "\n")] = 0;
        for (int i = 0; i < FIELDS_MOST && rest != NULL; i++)
            field[i] = strsep(&rest, "\t");
        see_fact(&it, field);
    }
    assert_int_equal(pclose(facts), 0);
    check_extents(&it);
    check_return_address(&it);
    if (!it.naked)
        check_allocator(&it);
    dj_symbols_destroy(it.symbols);
    dj_context_destroy(it.context);
    assert_true(it.facts > 50);
    if (it.wrong > 0)
        fail_msg("%u of %u facts differ", it.wrong, it.facts);
}

static int is_program(const struct dirent *entry)
{
    return strchr(entry->d_name, '.') == NULL;
}

static bool lacks_programs_of(const char *compiler, struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        if (strstr(entries[i]->d_name, compiler))
            return false;
    print_message("left out: no program of %s was built; the package %s has it\n", compiler, compiler);
    return true;
}

int main(void)
{
    static const char *const compilers[] = {"gcc", "clang", "gfortran"};
    struct dirent **entries;
    int count = scandir(VARIABLES_PROGRAMS, &entries, is_program, alphasort);
    struct CMUnitTest *tests = count > 0 ? calloc((size_t)count, sizeof *tests) : NULL;
    bool left_out = false;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        left_out |= lacks_programs_of(compilers[i], entries, count);
    if (tests == NULL)
        return 77;
    for (int i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){.name = entries[i]->d_name,
                                       .test_func = program_and_symbols_agree,
                                       .initial_state = entries[i]->d_name};
    int failed = _cmocka_run_group_tests("variables", tests, (size_t)count, NULL, NULL);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(tests);
    return failed == 0 && left_out ? 77 : failed;
}
