// SPDX-License-Identifier: MIT
// Arbitrary bytes as the file of a module: every query is answered, whatever it contains.
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/check.h"
#include "symbols/symbols.h"

enum { OFFSETS = 0x2400, DATA_OFFSETS = 0x5000, STEP = 37 };

static void check_code(dj_symbols *symbols, dj_context *context, uint64_t offset)
{
    dj_code code;
    CHECK(dj_symbols_code(symbols, context, 0, offset, &code) == DJ_OK);
    CHECK(code.frame_count >= 1 && code.frame_count <= DJ_CODE_FRAMES_MOST);
    for (uint32_t i = 0; i < code.frame_count; i++)
        CHECK(code.frames[i].function && code.frames[i].file);
    CHECK(code.function == dj_symbols_function(symbols, 0, offset));
    const dj_function_info *function = dj_symbols_function_info(symbols, code.function);
    CHECK((function == NULL) == (code.function == 0));
    CHECK(!function || (function->name && function->file && function->lo < function->hi));
    const dj_loop_info *loop = dj_symbols_loop_info(symbols, code.loop);
    CHECK((loop == NULL) == (code.loop == 0));
    for (uint32_t depth = loop ? loop->depth : 0; depth > 0; depth--) {
        CHECK(loop && loop->depth == depth && loop->file && loop->first_line <= loop->last_line);
        loop = dj_symbols_loop_info(symbols, loop->parent);
    }
    CHECK(!loop);
}

static void check_variable(dj_symbols *symbols, uint32_t variable, uint64_t offset)
{
    char text[64];
    const dj_variable_info *info = dj_symbols_variable_info(symbols, variable);
    CHECK(info && info->name && info->type && info->file && info->module == 0);
    CHECK(!info->function || dj_symbols_function_info(symbols, info->function));
    for (uint64_t bytes = 0; bytes <= 16; bytes += 8) {
        dj_symbols_element(symbols, variable, offset, bytes, bytes == 0, text, sizeof text);
        CHECK(strlen(text) < sizeof text);
        dj_symbols_element(symbols, variable, offset, bytes, false, text, 3);
        CHECK(strlen(text) < 3);
    }
}

// The answer is the same for every byte of an extent.
static void check_extent(const dj_extent *extent, int64_t offset, bool found)
{
    CHECK(extent->lo <= offset && offset < extent->hi && (extent->variable != 0) == found);
}

static void check_data(dj_symbols *symbols, dj_context *context, uint64_t offset)
{
    dj_extent extent, again;
    bool found = dj_symbols_global(symbols, 0, offset, &extent);
    check_extent(&extent, (int64_t)offset, found);
    if (found) {
        check_variable(symbols, extent.variable, offset - (uint64_t)extent.lo);
        CHECK(dj_symbols_global(symbols, 0, (uint64_t)extent.lo, &again) &&
              again.variable == extent.variable);
        CHECK(dj_symbols_global(symbols, 0, (uint64_t)extent.hi - 1, &again) && again.lo == extent.lo);
    }
    uint32_t function = dj_symbols_function(symbols, 0, offset);
    for (int64_t at = -200; function && at < 32; at += STEP) {
        found = dj_symbols_local(symbols, function, offset, at, &extent);
        check_extent(&extent, at, found);
        if (found)
            check_variable(symbols, extent.variable, (uint64_t)(at - extent.lo));
    }
    uint32_t pointer = dj_symbols_pointer(symbols, context, 0, offset);
    CHECK(!pointer || !dj_symbols_pointer_returned(symbols, context, 0, offset));
    if (pointer)
        check_variable(symbols, pointer, 40);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    dj_context *context = NULL;
    dj_symbols *symbols = NULL;
    char path[64];
    uint32_t found[4];
    int fd = memfd_create("module", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CHECK(dj_context_create(&context) == DJ_OK);
    CHECK(dj_symbols_create(context, NULL, &symbols) == DJ_OK);
    CHECK(dj_symbols_add_module(symbols, context, 0, path, "") == DJ_OK);
    for (uint64_t offset = 0; offset < OFFSETS; offset += STEP)
        check_code(symbols, context, offset);
    for (uint64_t offset = 0; offset < DATA_OFFSETS; offset += STEP)
        check_data(symbols, context, offset);
    dj_symbols_find_function(symbols, 0, "f", found, 4);
    CHECK(dj_symbols_module(symbols, 0).path);
    dj_symbols_destroy(symbols);
    dj_context_destroy(context);
    close(fd);
    return 0;
}
