// SPDX-License-Identifier: MIT
// Any bytes as the file of a module: every question is answered, whatever it holds.
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/check.h"
#include "symbols/symbols.h"

enum { OFFSETS = 0x2400, STEP = 37 };

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
    CHECK(dj_symbols_create(context, &symbols) == DJ_OK);
    CHECK(dj_symbols_add_module(symbols, context, 0, path) == DJ_OK);
    for (uint64_t offset = 0; offset < OFFSETS; offset += STEP)
        check_code(symbols, context, offset);
    dj_symbols_find_function(symbols, 0, "f", found, 4);
    CHECK(dj_symbols_module(symbols, 0).path);
    dj_symbols_destroy(symbols);
    dj_context_destroy(context);
    close(fd);
    return 0;
}
