// SPDX-License-Identifier: MIT
// Arbitrary bytes under several names: the format is detected or refused, and binary data
// is never taken for text.
#include "fuzz/check.h"

static const char *const names[] = {
    "a",       "a.txt",   "a.csv", "a.lis", "a.trace", "a.u64le", "a.u32be.gz", "a.oracleGeneral.bin",
    "a.vscsi", "a.jsonl",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    dj_context *context = NULL;
    dj_source *source = NULL;
    const char *name = names[bytes % (sizeof names / sizeof *names)];
    CHECK(dj_context_create(&context) == DJ_OK);
    int err = dj_source_open_memory(context, data, bytes, name, NULL, &source);
    CHECK(err == DJ_OK || err == DJ_ERR_INPUT);
    if (!err) {
        outcome o = check_source(context, source);
        CHECK(o.err == DJ_OK || o.err == DJ_ERR_INPUT);
    }
    CHECK(!err || strncmp(dj_context_message(context), name, strlen(name)) == 0);
    dj_source_close(source);
    dj_context_destroy(context);
    return 0;
}
