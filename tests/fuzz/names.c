// SPDX-License-Identifier: MIT
// The names of places in a summary file with corrected checksums: they are returned,
// or refused with a reason.
#include <deja/deja.h>

#include "check.h"
#include "measure/names.h"
#include "unit/summary_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static dj_context *context;
    dj_attribution *attribution = NULL;
    if (!context)
        CHECK(dj_context_create(&context) == DJ_OK);
    size_t capacity = ZSTD_compressBound(bytes) + 64, size = 0;
    uint8_t *names = malloc(capacity);
    CHECK(names);
    if (bytes)
        size += summary_block(names, capacity, data, (uint32_t)bytes, 0);
    size += summary_block(names + size, capacity - size, NULL, 0, bytes > 0);
    CHECK(dj_attribution_create(context, &attribution) == DJ_OK);
    int err = dj_names_assign(context, names, size, NULL, attribution, NULL);
    CHECK(err == DJ_OK || err == DJ_ERR_INPUT || err == DJ_ERR_MEMORY);
    CHECK(err == DJ_OK || *dj_context_message(context));
    dj_attribution_destroy(attribution);
    free(names);
    return 0;
}
