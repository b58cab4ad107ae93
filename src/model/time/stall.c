// SPDX-License-Identifier: MIT
// The stall time of misses. A miss costs what its distance costs on the machine, by its class: from what it
// takes when everything overlaps, to what it takes when little does.
#include <deja/stall.h>

#include <math.h>
#include <stddef.h>

#define NS 1e-9

// Of a hit, and of what waits for it.
static double excess(double ns, double hit)
{
    return fmax(ns - hit, 0);
}

static double mix(double a, double b, double part)
{
    return a + (b - a) * part;
}

static dj_cost_point mixed(const dj_cost_point *a, const dj_cost_point *b, double part)
{
    return (dj_cost_point){.latency_ns = mix(a->latency_ns, b->latency_ns, part),
                           .random_ns = mix(a->random_ns, b->random_ns, part),
                           .update_ns = mix(a->update_ns, b->update_ns, part),
                           .read_ns = mix(a->read_ns, b->read_ns, part),
                           .write_ns = mix(a->write_ns, b->write_ns, part)};
}

// The costs at a distance in bytes, beyond those of a hit.
static dj_cost_point cost_at(const dj_machine_costs *costs, double bytes)
{
    const dj_cost_point *hit = &costs->points[0], *points = costs->points;
    size_t i = 1;
    while (i + 1 < costs->point_count && (double)points[i].bytes < bytes)
        i++;
    const double from = (double)points[i - 1].bytes, to = (double)points[i].bytes,
                 part = bytes > from ? fmin(log2(bytes / from) / log2(to / from), 1) : 0;
    const dj_cost_point at = mixed(&points[i - 1], &points[i], part);
    return (dj_cost_point){.latency_ns = excess(at.latency_ns, hit->latency_ns),
                           .random_ns = excess(at.random_ns, hit->random_ns),
                           .update_ns = excess(at.update_ns, hit->update_ns),
                           .read_ns = excess(at.read_ns, hit->read_ns),
                           .write_ns = excess(at.write_ns, hit->write_ns)};
}

// The middle of a bin of distances, in bytes; of first accesses, beyond the last point.
static double bytes_of(unsigned bin)
{
    if (bin == 0)
        return INFINITY;
    const unsigned half = bin - (DJ_MISS_HITS + 1);
    const double first = ldexp(DJ_MISS_FROM, (int)half / 2) * (half % 2 ? 1.5 : 1);
    return first * (half % 2 ? sqrt(2 / 1.5) : sqrt(1.5)) * DJ_MISS_BLOCK;
}

// Around an estimate: low, the estimate, and high.
static dj_seconds around(double low, double ns, double high)
{
    return (dj_seconds){low * ns, ns, high * ns};
}

// The cost of one miss, in nanoseconds.
static dj_seconds cost_of(const dj_cost_point *at, enum dj_miss_class class, bool writes)
{
    const double stream = writes ? at->write_ns : at->read_ns;
    const double random = fmax(writes ? at->update_ns : at->random_ns, stream),
                 latency = fmax(at->latency_ns, random);
    switch (class) {
    case DJ_MISS_STREAMING:
        return around(0.75, stream, 2);
    case DJ_MISS_STRIDED:
        return around(0.6, sqrt(stream * random), 1.6);
    case DJ_MISS_PAGED:
    case DJ_MISS_IRREGULAR:
        return around(0.65, 1.3 * random, 1.8);
    case DJ_MISS_DEPENDENT:
        return around(0.7, latency, 1.6);
    }
    return (dj_seconds){0, 0, 0};
}

// Most bins of a place have no misses, and need no costs.
static bool has_misses(const dj_miss_counts *missed, unsigned bin)
{
    const uint64_t *counts = &missed->counts[dj_miss_count_at(bin, 0, false)];
    for (unsigned k = 0; k < 2 * DJ_MISS_CLASSES; k++)
        if (counts[k] > 0)
            return true;
    return false;
}

static void add(dj_seconds *to, double count, dj_seconds each)
{
    to->low += count * each.low;
    to->estimate += count * each.estimate;
    to->high += count * each.high;
}

// A conflict miss hits in a cache of the level's size, and is served by the next level instead. Which of them
// are writes is not known.
static void add_conflicts(const dj_tally *tally, const dj_stall_model *model, dj_seconds *out)
{
    const dj_hierarchy *caches = model->caches;
    const size_t count = caches && tally->levels ? caches->level_count : 0;
    for (size_t i = 0; i < count && i < tally->levels->level_count; i++) {
        const double bytes = (double)caches->levels[i].size_blocks * DJ_MISS_BLOCK / 2,
                     behind = i + 1 == count ? INFINITY
                                             : (double)caches->levels[i + 1].size_blocks * DJ_MISS_BLOCK / 2;
        const dj_cost_point hit = cost_at(model->costs, bytes), miss = cost_at(model->costs, behind);
        const double random = excess(miss.random_ns, hit.random_ns),
                     update = fmax(excess(miss.update_ns, hit.update_ns), random),
                     latency = fmax(excess(miss.latency_ns, hit.latency_ns), update);
        add(out, NS * (double)tally->levels->levels[i].conflict,
            around(0.65, fmin(1.3 * sqrt(random * update), latency), 1.8));
    }
}

void dj_tally_stall_parts(const dj_tally *tally, const dj_stall_model *model, dj_seconds out[DJ_STALL_PARTS])
{
    for (size_t i = 0; i < DJ_STALL_PARTS; i++)
        out[i] = (dj_seconds){0, 0, 0};
    for (unsigned bin = 0; tally->missed && dj_miss_count_at(bin, 0, false) < tally->missed->count; bin++) {
        if (!has_misses(tally->missed, bin))
            continue;
        dj_cost_point at = {.latency_ns = model->costs->points[0].latency_ns};
        if (bin != DJ_MISS_HITS)
            at = cost_at(model->costs, bytes_of(bin));
        for (unsigned k = 0; k < 2 * DJ_MISS_CLASSES; k++) {
            const enum dj_miss_class class = (enum dj_miss_class)(k / 2);
            const uint64_t count = tally->missed->counts[dj_miss_count_at(bin, class, k % 2)];
            if (count > 0)
                add(&out[class], NS * (double)count, cost_of(&at, class, k % 2));
        }
    }
    add_conflicts(tally, model, &out[DJ_STALL_CONFLICTS]);
}

dj_seconds dj_tally_stall(const dj_tally *tally, const dj_stall_model *model)
{
    dj_seconds parts[DJ_STALL_PARTS], sum = {0, 0, 0};
    dj_tally_stall_parts(tally, model, parts);
    for (size_t i = 0; i < DJ_STALL_PARTS; i++)
        add(&sum, 1, parts[i]);
    return sum;
}

bool dj_attribution_has_classes(const dj_attribution *a)
{
    for (size_t i = 0; i < a->place_count; i++)
        if (a->places[i].tally.missed)
            return true;
    return false;
}

// Two times that overlap in part.
static double both(double a, double b)
{
    return fmax(a, b) + 0.45 * fmin(a, b);
}

dj_time dj_attribution_time(const dj_attribution *a, const dj_stall_model *model)
{
    dj_time time = {.stall = {0, 0, 0}};
    double work = 0;
    for (size_t i = 0; i < a->place_count; i++) {
        dj_seconds parts[DJ_STALL_PARTS];
        dj_tally_stall_parts(&a->places[i].tally, model, parts);
        for (size_t k = 0; k < DJ_STALL_PARTS; k++) {
            add(&time.parts[k], 1, parts[k]);
            add(&time.stall, 1, parts[k]);
        }
        work += NS * (double)a->places[i].tally.accesses * model->costs->access_ns;
    }
    time.all = (dj_seconds){both(time.stall.low, 0.34 * work), both(time.stall.estimate, 0.55 * work),
                            both(time.stall.high, 0.95 * work)};
    return time;
}

const char *dj_stall_part_name(size_t part)
{
    static const char *const names[] = {"streaming", "strided",   "strided across pages",
                                        "irregular", "dependent", "conflict"};
    return names[part < DJ_STALL_PARTS ? part : DJ_STALL_CONFLICTS];
}
