// SPDX-License-Identifier: MIT
#include "base/human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Inserts thousands separators into the leading digits of `digits`.
static const char *group(char *to, const char *digits)
{
    size_t whole = strspn(digits, "0123456789"), used = 0;
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            to[used++] = ',';
        to[used++] = digits[i];
    }
    snprintf(to + used, DJ_HUMAN_BYTES - used, "%s", digits + whole);
    return to;
}

const char *dj_human_count(char *to, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    return group(to, digits);
}

const char *dj_human_real(char *to, double value, int decimals)
{
    char digits[DJ_HUMAN_BYTES];
    if (!(fabs(value) < 1e15)) {
        snprintf(to, DJ_HUMAN_BYTES, "%.6g", value);
        return to;
    }
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value));
    to[0] = '-';
    group(value < 0 ? to + 1 : to, digits);
    return to;
}

const char *dj_human_percent(char *to, double part, double whole)
{
    double percent = whole > 0 ? 100 * part / whole : 0;
    if (percent > 0 && percent < 0.005)
        snprintf(to, DJ_HUMAN_BYTES, "<0.01%%");
    else
        snprintf(to, DJ_HUMAN_BYTES, "%.2f%%", percent);
    return to;
}

static int decimals(double scaled)
{
    if (scaled == floor(scaled) || scaled >= 99.95)
        return 0;
    return scaled >= 9.995 ? 1 : 2;
}

// Scales to the largest unit in which the value, rounded to three digits, is at least 1.
static int scale(uint64_t bytes, double *scaled)
{
    int unit = 0;
    for (*scaled = (double)bytes; *scaled >= (unit == 0 ? 1024 : 1023.5) && unit < 6; unit++)
        *scaled /= 1024;
    return unit;
}

const char *dj_human_bytes(char *to, uint64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double scaled;
    int unit = scale(bytes, &scaled);
    snprintf(to, DJ_HUMAN_BYTES, "%.*f %s", decimals(scaled), scaled, names[unit]);
    return to;
}

const char *dj_human_size(char *to, uint64_t value)
{
    double scaled;
    int unit = scale(value, &scaled);
    snprintf(to, DJ_HUMAN_BYTES, "%.*f%.1s", decimals(scaled), scaled, &"\0KMGTPE"[unit]);
    return to;
}

const char *dj_human_short(char *to, double value)
{
    static const char units[] = "kMGTPE";
    if (value < 9999.5) {
        snprintf(to, DJ_HUMAN_BYTES, "%.0f", value);
        return to;
    }
    unsigned unit = 0;
    for (value /= 1000; value >= 999.5 && unit + 1 < sizeof units - 1; unit++)
        value /= 1000;
    int places = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(to, DJ_HUMAN_BYTES, "%.*f%c", places, value, units[unit]);
    return to;
}

const char *dj_human_fraction(char *to, double value)
{
    if (value >= 99.95 || value == floor(value))
        return dj_human_short(to, value);
    snprintf(to, DJ_HUMAN_BYTES, "%.3g", value);
    return to;
}

const char *dj_human_rough(char *to, double percent)
{
    if (percent > 0 && percent < 0.01)
        snprintf(to, DJ_HUMAN_BYTES, "<0.01%%");
    else
        snprintf(to, DJ_HUMAN_BYTES,
                 percent < 99.5    ? "%.2g%%"
                 : percent < 99.95 ? "%.1f%%"
                 : percent < 100   ? ">99.9%%"
                                   : "%.0f%%",
                 percent);
    return to;
}

const char *dj_human_share(char *to, double part, double whole)
{
    double percent = whole > 0 ? 100 * part / whole : 0;
    if (percent <= 0)
        snprintf(to, DJ_HUMAN_BYTES, "0");
    else if (percent < 0.05)
        snprintf(to, DJ_HUMAN_BYTES, "<.1%%");
    else
        snprintf(to, DJ_HUMAN_BYTES, "%.*f%%", percent < 9.95 ? 1 : 0, percent);
    return to;
}

const char *dj_human_range(char *to, uint64_t first, uint64_t last)
{
    char begin[DJ_HUMAN_BYTES / 4], end[DJ_HUMAN_BYTES / 4], shown[DJ_HUMAN_BYTES];
    snprintf(begin, sizeof begin, "%.9s", dj_human_size(shown, first));
    // "1K–2K" is easier to read than "1024–2047".
    snprintf(end, sizeof end, "%.9s", dj_human_size(shown, last < 1024 ? last : last + 1));
    if (last == UINT64_MAX)
        snprintf(to, DJ_HUMAN_BYTES, "%s and more", begin);
    else
        snprintf(to, DJ_HUMAN_BYTES, "%s%s%s", begin, first == last ? "" : "–", first == last ? "" : end);
    return to;
}
