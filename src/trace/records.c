// SPDX-License-Identifier: MIT
#include "trace/records.h"

int dj_records_fail_rest(dj_context *context, const dj_input *input, uint64_t offset, size_t rest,
                         size_t width)
{
    return dj_input_fail(
        context, input, offset,
        "the trace ends within a record: %zu of %zu bytes; it was cut short or is of another format", rest,
        width);
}

int dj_records_want(dj_context *context, dj_input *input, size_t width, size_t most, dj_span *out)
{
    int err = dj_input_want(context, input, width, out);
    if (err)
        return err;
    if (out->bytes > 0 && out->bytes < width)
        return dj_records_fail_rest(context, input, dj_input_offset(input), out->bytes, width);
    size_t count = out->bytes / width;
    out->bytes = (count < most ? count : most) * width;
    return DJ_OK;
}
