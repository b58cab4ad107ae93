// SPDX-License-Identifier: MIT
// Limits as users type them. Names of parts may contain colons and comparison signs, as in C++, so a limit is
// taken apart from its end.
#include "model/diff/limit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/size.h"

static int fail(dj_context *context, const char *text, const char *why)
{
    return dj_fail(context, DJ_ERR_USAGE,
                   "limit '%s': %s. Examples: 'L2.misses > +2%%', '1M.ratio > 5%%', 'accesses > 1G', "
                   "'function=solve: L2.misses > +1%%'",
                   text, why);
}

// Cuts blanks at both ends.
static char *trim(char *text)
{
    char *end = text + strlen(text);
    while (isspace((unsigned char)*text))
        text++;
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = 0;
    return text;
}

static char *find_operator(char *text)
{
    char *above = strrchr(text, '>'), *below = strrchr(text, '<');
    return !below || (above && above > below) ? above : below;
}

static double factor_of(char unit)
{
    switch (unit) {
    case 'k':
    case 'K':
        return 1e3;
    case 'M':
        return 1e6;
    case 'G':
        return 1e9;
    case 'T':
        return 1e12;
    default:
        return 0;
    }
}

static const char *read_value(const char *text, dj_limit *limit)
{
    const bool is_ratio = limit->measure == DJ_LIMIT_RATIO, is_signed = *text == '+' || *text == '-';
    char *end = NULL;
    if (!isdigit((unsigned char)text[is_signed]) && text[is_signed] != '.')
        return "expected a number after the comparison";
    limit->value = strtod(text, &end);
    if (strpbrk(text, "xX")) // C's hexadecimal
        return "the number is not decimal";
    limit->kind = is_signed ? DJ_LIMIT_CHANGE : DJ_LIMIT_VALUE;
    if (factor_of(*end) > 0)
        limit->value *= factor_of(*end++);
    while (isspace((unsigned char)*end))
        end++;
    if (strcmp(end, "%") == 0 && is_signed) {
        limit->kind = DJ_LIMIT_PERCENT;
        end++;
    } else if (strcmp(end, "%") == 0) {
        if (!is_ratio)
            return "a count has no percentage. Write +2% for a change, or .ratio for misses per access";
        limit->value /= 100;
        end++;
    } else if (strcmp(end, "pp") == 0 && is_signed && is_ratio) {
        limit->value /= 100;
        end += strlen("pp");
    }
    if (*end)
        return "what follows the number is no unit. Units are k, M, G and T, then % or, for a change of a "
               "ratio, pp (percentage points)";
    if (!isfinite(limit->value))
        return "the number is too large";
    // "> 5", meant in percent, would never be crossed.
    if (is_ratio && limit->kind != DJ_LIMIT_PERCENT && fabs(limit->value) > 1)
        return is_signed
                   ? "a ratio changes by at most 1. Write +2pp for percentage points, or +2% for a change "
                     "in percent of what it was"
                   : "a ratio is at most 1. Write 5% or 0.05";
    return NULL;
}

// "L2.misses", "4096.ratio", "curve.ratio", "accesses". *cache is in the text.
static const char *read_measure(char *text, dj_limit *limit, const char **cache)
{
    static const char *const totals[] = {"accesses", "distinct", "cold"};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        if (strcmp(text, totals[i]) == 0) {
            limit->measure = (enum dj_limit_measure)(DJ_LIMIT_ACCESSES + i);
            return limit->of_parts && i > 0 ? "parts of a program have accesses, misses and ratios only"
                                            : NULL;
        }
    if (strpbrk(text, "<>"))
        return "a limit has one comparison; give --fail-if several times";
    char *dot = strrchr(text, '.');
    const bool misses = dot && strcmp(dot, ".misses") == 0, ratio = dot && strcmp(dot, ".ratio") == 0;
    if (dot == text || (!misses && !ratio))
        return "expected accesses, distinct, cold, CACHE.misses, CACHE.ratio, curve.misses or curve.ratio";
    *dot = 0;
    limit->measure = misses ? DJ_LIMIT_MISSES : DJ_LIMIT_RATIO;
    const bool curve = strcmp(text, "curve") == 0;
    if (curve && limit->of_parts)
        return "parts of a program have no curves; name a cache";
    *cache = curve ? NULL : text;
    return NULL;
}

// "function", "object=a*".
static int read_part(dj_context *context, const char *typed, char *text, dj_limit *limit)
{
    enum dj_by by[DJ_BY_COUNT];
    size_t count = 0;
    char *name = strchr(text, '=');
    if (name)
        *name++ = 0;
    const char *kind = trim(text);
    if (!*kind || strchr(kind, ',') || dj_by_parse(context, kind, by, &count) || count != 1)
        return fail(context, typed,
                    "a part is object, function, loop, line, context or thread, and may have a name, as in "
                    "'function=solve:'");
    limit->of_parts = true;
    limit->by = by[0];
    limit->part = name ? strdup(trim(name)) : NULL;
    return !name || limit->part ? DJ_OK : dj_fail_memory(context, "a limit", 0);
}

static int parse(dj_context *context, const char *typed, char *text, dj_limit *limit)
{
    char *sign = find_operator(text);
    if (!sign)
        return fail(context, typed, "expected a comparison with > or <");
    limit->below = *sign == '<';
    *sign++ = 0;
    limit->inclusive = *sign == '=';
    char *value = trim(sign + limit->inclusive), *measure = strrchr(text, ':');
    const char *cache = NULL;
    int err = DJ_OK;
    if (measure) {
        *measure++ = 0;
        err = read_part(context, typed, text, limit);
    }
    if (err)
        return err;
    const char *why = read_measure(trim(measure ? measure : text), limit, &cache);
    if (!why)
        why = read_value(value, limit);
    if (why)
        return fail(context, typed, why);
    limit->cache = cache ? strdup(cache) : NULL;
    return limit->cache || !cache ? DJ_OK : dj_fail_memory(context, "a limit", 0);
}

static void free_limit(dj_limit *limit)
{
    free(limit->text);
    free(limit->part);
    free(limit->cache);
}

int dj_limits_parse(dj_context *context, const char *text, dj_limits *limits)
{
    dj_limit limit = {.text = strdup(text)};
    char *copy = strdup(text);
    dj_limit *list = realloc(limits->list, (limits->count + 1) * sizeof *list);
    if (list)
        limits->list = list;
    int err = list && copy && limit.text ? parse(context, text, copy, &limit)
                                         : dj_fail_memory(context, "a limit", 0);
    free(copy);
    if (err)
        free_limit(&limit);
    else
        limits->list[limits->count++] = limit;
    return err;
}

void dj_limits_free(dj_limits *limits)
{
    for (size_t i = 0; i < limits->count; i++)
        free_limit(&limits->list[i]);
    free(limits->list);
    *limits = (dj_limits){0};
}

// L1 also stands for L1d, which machines have in place of it.
static bool is_named(const char *cache, const char *typed)
{
    const size_t length = strlen(typed);
    return strncasecmp(cache, typed, length) == 0 &&
           (!cache[length] || (typed[0] == 'L' && strcmp(cache + length, "d") == 0));
}

static int unknown(dj_context *context, const dj_limit *limit, const dj_named_cache *caches, size_t count)
{
    char names[256] = "";
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", caches[i].name);
    }
    return dj_fail(context, DJ_ERR_USAGE,
                   "limit '%s': no cache is named '%s'. Name %s%sa size, such as 1M or 4096", limit->text,
                   limit->cache, names, count > 0 ? ", or " : "");
}

int dj_limits_fail_parts(dj_context *context, const dj_limit *limit)
{
    return dj_fail(context, DJ_ERR_USAGE,
                   "limit '%s': misses by %s are known only for the caches of the profile, not for %s",
                   limit->text, dj_by_name(limit->by), limit->cache);
}

// Parts have misses in the caches of the profile only.
static int check_parts(dj_context *context, const dj_limit *limit, const dj_named_cache *caches, size_t count)
{
    bool any = false;
    for (size_t c = 0; c < count; c++) {
        if (caches[c].of_parts && caches[c].blocks == limit->blocks)
            return DJ_OK;
        any |= caches[c].of_parts;
    }
    return any ? dj_limits_fail_parts(context, limit) : DJ_OK;
}

static size_t find_named(const dj_limit *limit, const dj_named_cache *caches, size_t count)
{
    size_t found = count;
    for (size_t c = count; c-- > 0;)
        if (is_named(caches[c].name, limit->cache) &&
            (found == count || !limit->of_parts || caches[c].of_parts || !caches[found].of_parts))
            found = c;
    return found;
}

static int find_size(dj_context *context, dj_limit *limit, uint64_t block_bytes)
{
    dj_size size = {0, false};
    int err = dj_size_parse(context, "limit", limit->cache, &size);
    if (!err)
        err = dj_size_to_blocks(context, "limit", limit->cache, size, block_bytes, &limit->blocks);
    if (!err && limit->blocks == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "limit '%s': '%s' is less than one block", limit->text,
                      limit->cache);
    return err;
}

int dj_limits_resolve(dj_context *context, dj_limits *limits, const dj_named_cache *caches, size_t count,
                      uint64_t block_bytes)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < limits->count; i++) {
        dj_limit *limit = &limits->list[i];
        if (!limit->cache)
            continue;
        const size_t named = find_named(limit, caches, count);
        if (named < count)
            limit->blocks = caches[named].blocks;
        else if (isdigit((unsigned char)limit->cache[0]))
            err = find_size(context, limit, block_bytes);
        else
            err = unknown(context, limit, caches, count);
        if (!err && limit->of_parts)
            err = check_parts(context, limit, caches, count);
    }
    return err;
}

int dj_limits_need_one_run(dj_context *context, const dj_limits *limits)
{
    for (size_t i = 0; i < limits->count; i++)
        if (limits->list[i].kind != DJ_LIMIT_VALUE)
            return dj_fail(
                context, DJ_ERR_USAGE,
                "limit '%s' is on a change, but there is one run only; compare two with 'deja diff', "
                "or write a limit without a sign",
                limits->list[i].text);
    return DJ_OK;
}
