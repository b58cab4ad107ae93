// SPDX-License-Identifier: MIT
#include "cli/options/bins.h"

#include <string.h>

#include "base/number.h"

const char *const dj_bins_choices[] = {"log2", "exact", "linear:1000", NULL};

int dj_bins_parse(dj_context *context, const char *text, enum dj_binning *binning, uint64_t *width)
{
    static const char linear[] = "linear:";
    *binning = DJ_BINS_LOG2;
    *width = 0;
    if (!text || strcmp(text, "log2") == 0)
        return DJ_OK;
    if (strcmp(text, "exact") == 0) {
        *binning = DJ_BINS_EXACT;
        return DJ_OK;
    }
    if (strncmp(text, linear, strlen(linear)) == 0 && dj_number_parse(text + strlen(linear), width) &&
        *width > 0) {
        *binning = DJ_BINS_LINEAR;
        return DJ_OK;
    }
    return dj_fail(context, DJ_ERR_USAGE,
                   "--bins: '%s' is not log2, exact or linear:WIDTH, as in linear:1000", text);
}
