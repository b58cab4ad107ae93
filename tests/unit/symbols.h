// SPDX-License-Identifier: MIT
// Programs of tests/symbols, opened as modules, and independent facts about them: lines
// from MARKs in their sources, addresses from nm.
#ifndef TESTS_UNIT_SYMBOLS_H
#define TESTS_UNIT_SYMBOLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/context.h"
#include "symbols/symbols.h"

static dj_symbols *symbols;
static bool some_left_out;

// With DEJA_TEST_HELPER in the environment, symbols are read in a helper process.
static inline const dj_symbols_options *symbols_options(void)
{
    static const dj_symbols_options helped = {.helped = true};
    return getenv("DEJA_TEST_HELPER") ? &helped : NULL;
}

// Opens a program of tests/symbols as module 1, or skips the test if its compiler was missing.
static inline const char *open_program(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", SYMBOLS_PROGRAMS, name);
    if (access(path, R_OK) != 0) {
        const char *package = strstr(name, "clang") ? "clang" : strstr(name, "dwz") ? "dwz" : "gcc";
        print_message("left out: %s was not built; the package %s has the tool for it\n", name,
                      strstr(name, "fortran") ? "gfortran" : package);
        some_left_out = true;
        skip();
    }
    assert_int_equal(dj_symbols_create(context, symbols_options(), &symbols), DJ_OK);
    assert_int_equal(dj_symbols_add_module(symbols, context, 1, path, ""), DJ_OK);
    return path;
}

// The exit status of a test: skipped if something was left out and nothing failed.
static inline int symbols_status(int failed)
{
    return failed == 0 && some_left_out ? 77 : failed;
}

static inline void close_program(void)
{
    dj_symbols_destroy(symbols);
    symbols = NULL;
}

// The line of a source that contains "MARK name".
static inline uint32_t mark(const char *source, const char *name)
{
    char path[4096], line[1024], wanted[256];
    snprintf(path, sizeof path, "%s/%s", SYMBOLS_SOURCES, source);
    size_t length = (size_t)snprintf(wanted, sizeof wanted, "MARK %s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    uint32_t number = 0, found = 0;
    while (!found && fgets(line, sizeof line, file)) {
        number++;
        const char *at = strstr(line, wanted);
        if (at && (at[length] == '\n' || at[length] == ' '))
            found = number;
    }
    fclose(file);
    if (!found)
        fail_msg("no MARK %s in %s", name, source);
    return found;
}

// Returns the output of a command.
static inline FILE *run_command(const char *format, ...)
{
    char command[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    FILE *output = popen(command, "r"); // NOLINT(cert-env33-c): a test
    assert_non_null(output);
    return output;
}

// A function of a program according to nm.
typedef struct nm_row {
    char name[256];
    uint64_t address, bytes;
} nm_row;

static inline size_t read_nm(const char *path, const char *options, nm_row *rows, size_t most)
{
    char line[1024];
    size_t count = 0;
    FILE *output = run_command("nm -S %s %s 2>/dev/null", options, path);
    while (count < most && fgets(line, sizeof line, output)) {
        char type;
        nm_row *row = &rows[count];
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %255s", &row->address, &row->bytes, &type, row->name) ==
                4 &&
            strchr("tTwWi", type))
            count++;
    }
    pclose(output);
    return count;
}

// Finds a function in the output of nm; skips the test without nm.
static inline nm_row nm_find(const char *path, const char *name)
{
    static nm_row rows[1 << 14];
    size_t count = read_nm(path, "", rows, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i];
    if (count == 0)
        skip();
    fail_msg("nm does not list %s in %s", name, path);
    return (nm_row){0};
}

#endif
