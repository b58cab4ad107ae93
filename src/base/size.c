// SPDX-License-Identifier: MIT
#include "base/size.h"

#include <string.h>
#include <strings.h>

#include "base/number.h"

static int not_a_size(dj_context *context, const char *what, const char *text)
{
    return dj_fail(context, DJ_ERR_USAGE, "%s: '%.64s' is not a size; examples: 1000, 32K, 1.5MiB, 512B",
                   what, text);
}

static int too_large(dj_context *context, const char *what, const char *text)
{
    return dj_fail(context, DJ_ERR_USAGE, "%s: '%.64s' does not fit in 64 bits", what, text);
}

// Sets *shift to log2 of the unit; false if the suffix is unknown.
static bool parse_suffix(const char *suffix, unsigned *shift)
{
    static const char letters[] = "KMGT";
    if (strcasecmp(suffix, "B") == 0) {
        *shift = 0;
        return true;
    }
    for (unsigned i = 0; letters[i]; i++) {
        if ((*suffix & ~0x20) != letters[i])
            continue;
        *shift = 10 * (i + 1);
        return suffix[1] == '\0' || strcasecmp(suffix + 1, "B") == 0 || strcasecmp(suffix + 1, "iB") == 0;
    }
    return false;
}

// Parses the digits after the point as numerator and power of ten; drops digits that cannot matter.
static bool scan_fraction(const char **at, uint64_t *numerator, uint64_t *denominator)
{
    *numerator = 0;
    *denominator = 1;
    if (**at != '.')
        return true;
    const char *begin = ++*at;
    for (; **at >= '0' && **at <= '9'; ++*at)
        if (*denominator < 1000000000000000ull) {
            *numerator = *numerator * 10 + (uint64_t)(**at - '0');
            *denominator *= 10;
        }
    return *at != begin;
}

enum scanned { A_SIZE, NOT_A_SIZE, TOO_LARGE };

static enum scanned scan(const char *text, dj_size *out)
{
    const char *at = text;
    uint64_t whole = 0, numerator = 0, denominator = 1;
    if (*at < '0' || *at > '9')
        return NOT_A_SIZE;
    if (!dj_number_scan(&at, &whole))
        return TOO_LARGE;
    if (!scan_fraction(&at, &numerator, &denominator))
        return NOT_A_SIZE;
    if (*at == '\0' && denominator == 1) {
        *out = (dj_size){whole, false};
        return A_SIZE;
    }
    unsigned shift = 0;
    if (!parse_suffix(at, &shift))
        return NOT_A_SIZE;
    unsigned __int128 bytes = (unsigned __int128)whole << shift;
    bytes += ((unsigned __int128)numerator << shift) / denominator;
    if (bytes > UINT64_MAX)
        return TOO_LARGE;
    *out = (dj_size){(uint64_t)bytes, true};
    return A_SIZE;
}

int dj_size_parse(dj_context *context, const char *what, const char *text, dj_size *out)
{
    const enum scanned scanned = scan(text, out);
    return scanned == NOT_A_SIZE  ? not_a_size(context, what, text)
           : scanned == TOO_LARGE ? too_large(context, what, text)
                                  : DJ_OK;
}

uint64_t dj_size_bytes_or_0(const char *text)
{
    dj_size size = {0, false};
    return scan(text, &size) == A_SIZE ? size.value : 0;
}

int dj_size_to_blocks(dj_context *context, const char *what, const char *text, dj_size size,
                      uint64_t block_bytes, uint64_t *out)
{
    if (size.bytes && block_bytes == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s: '%s' is in bytes, but the keys of this trace have no size; give a number of keys",
                       what, text);
    *out = size.bytes ? size.value / block_bytes : size.value;
    return DJ_OK;
}

int dj_size_bytes(dj_context *context, const char *what, const char *text, uint64_t *out)
{
    dj_size size = {0, false};
    int err = dj_size_parse(context, what, text, &size);
    if (!err)
        *out = size.value;
    return err;
}
