// SPDX-License-Identifier: MIT
// The comparison as a table: rates, ratios, memory, and the distance from the limits.
#include <stdio.h>
#include <string.h>

#include "bench/engines.h"

// An access reads a key and writes a distance.
enum { STREAMED_BYTES = 16 };

static void print_ratio(FILE *out, double rate, const contestant *to, const char *form)
{
    if (to && to->runs)
        fprintf(out, form, rate / contestant_rate(to));
    else
        fprintf(out, "%12s", "–");
}

static void print_row(const contest *c, const contestant *entry, FILE *out)
{
    double rate = contestant_rate(entry);
    double stream = c->limits.stream_bytes_per_s / STREAMED_BYTES;
    fprintf(out, "  %-12s %11.2f", entry->name, rate / 1e6);
    print_ratio(out, rate, contest_find(c, "tree"), "%10.2f");
    print_ratio(out, rate, contest_find(c, "hash"), "%10.3f");
    fprintf(out, "%10.3f%10.3f", rate / c->limits.prefetched_per_s, rate / stream);
    if (entry->run.keys)
        fprintf(out, "%10.1f%10.1f", (double)entry->run.bytes / (double)entry->run.keys,
                (double)entry->run.peak_bytes / (double)entry->run.keys);
    else
        fprintf(out, "%12s%12s", "–", "–"); // a dash is three bytes
    if (entry->engine && entry->run.accesses != c->trace->count)
        fprintf(out, "  first %llu accesses only", (unsigned long long)entry->run.accesses);
    fprintf(out, "  %u run%s\n", entry->runs, entry->runs == 1 ? "" : "s");
}

void contest_print(const contest *c, FILE *out)
{
    const bench_limits *l = &c->limits;
    fprintf(out, "%s: %s, %zu accesses%s\n", c->trace->name, c->trace->description, c->trace->count,
            c->histogram ? ", histogram included" : "");
    fprintf(out, "  %-12s %11s%10s%10s%10s%10s%10s%10s\n", "", "M/s", "of tree", "of hash", "of random",
            "of stream", "bytes/key", "peak");
    for (size_t i = 0; i < c->count; i++)
        print_row(c, &c->list[i], out);
    fprintf(out,
            "  limits: over %.0f MiB %.1f M/s random reads and writes with prefetch (of random), %.1f M/s\n"
            "  each waiting for the one before; streaming %.1f GB/s, %.0f M/s at %d bytes an access (of "
            "stream)\n\n",
            (double)l->table_bytes / 0x1p20, l->prefetched_per_s / 1e6, l->dependent_per_s / 1e6,
            l->stream_bytes_per_s / 1e9, l->stream_bytes_per_s / STREAMED_BYTES / 1e6, STREAMED_BYTES);
}
