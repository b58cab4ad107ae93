// SPDX-License-Identifier: MIT
// The data of the paper's Figures 10 to 14, 16 and 17 as tables.
#include <stdio.h>

#include "bench/hprda.h"

static const char *const adjust_names[HPRDA_ADJUSTS] = {"never", "paper", "always"};

// The speedup over tree; both include the collection of the trace.
static double speedup(const hprda_outcome *o, double seconds, double collect_s)
{
    return (collect_s + o->tree.seconds) / (collect_s + seconds);
}

static void print_speed(const hprda_outcome *o)
{
    const double seconds[2] = {o->one_s, o->two_s};
    if (o->tree.seconds > 0)
        printf("  tree %.2f s", o->tree.seconds);
    if (o->collect_s > 0)
        printf("%s collected in %.2f s", o->tree.seconds > 0 ? "," : " ", o->collect_s);
    printf("%s\n", o->tree.seconds > 0 || o->collect_s > 0 ? "" : "  speed");
    for (unsigned t = 0; t < 2 && seconds[t] > 0; t++) {
        printf("  hprda on %u thread%s %.2f s", t + 1, t ? "s" : " ", seconds[t]);
        if (o->tree.seconds > 0)
            printf(", %.2f times tree (Figure 10)", speedup(o, seconds[t], 0));
        if (o->tree.seconds > 0 && o->collect_s > 0)
            printf(", %.2f with collecting (Figure 11)", speedup(o, seconds[t], o->collect_s));
        if (t)
            printf(", %.2f times one thread", o->one_s / o->two_s);
        printf("\n");
    }
}

static void print_bins(const hprda_outcome *o)
{
    double exact = 0, sum[HPRDA_ADJUSTS] = {0};
    printf("  share of distances up to (Figures 12, 13)\n  %9s %9s %9s %9s %9s\n", "", "exact",
           adjust_names[0], adjust_names[1], adjust_names[2]);
    for (unsigned k = 0; k < HPRDA_BINS; k++) {
        char edge[32] = ">";
        if (k < HPRDA_BINS - 1)
            snprintf(edge, sizeof edge, "%u%s",
                     k >= 20   ? 1u << (k - 20)
                     : k >= 10 ? 1u << (k - 10)
                               : 1u << k,
                     k >= 20   ? "M"
                     : k >= 10 ? "K"
                               : "");
        exact += o->exact.share[k];
        printf("  %9s %8.2f%%", edge, 100 * exact);
        for (unsigned a = 0; a < HPRDA_ADJUSTS; a++)
            printf(" %8.2f%%", 100 * (sum[a] += o->adjust[a].share[k]));
        printf("\n");
    }
}

void hprda_print(const hprda_outcome *o)
{
    printf("%s: %zu accesses, %llu distinct\n", o->trace->name, o->trace->count,
           (unsigned long long)o->distinct);
    print_speed(o);
    printf("  error e over H = %d bins, and share in wrong bins (Figure 14)\n", HPRDA_BINS);
    for (unsigned a = 0; a < HPRDA_ADJUSTS; a++)
        printf("  adjust %-6s %9.4f%% %9.3f%%\n", adjust_names[a],
               100 * hprda_error(&o->exact, &o->adjust[a]), 100 * hprda_misplaced(&o->exact, &o->adjust[a]));
    print_bins(o);
    printf("  accesses of a piece, error e, share in wrong bins, seconds (Figures 16, 17)\n");
    for (unsigned s = 0; s < HPRDA_SIZES; s++)
        printf("  %9llu %9.4f%% %9.3f%% %8.3f\n", (unsigned long long)hprda_sizes[s],
               100 * hprda_error(&o->exact, &o->size[s]), 100 * hprda_misplaced(&o->exact, &o->size[s]),
               o->size[s].seconds);
    printf("\n");
}

static void write_run(dj_json_writer *json, const hprda_outcome *o, const hprda_run *run)
{
    dj_json_real(json, "error", hprda_error(&o->exact, run));
    dj_json_real(json, "misplaced", hprda_misplaced(&o->exact, run));
    dj_json_real(json, "seconds", run->seconds);
}

static void write_shares(dj_json_writer *json, const hprda_run *run)
{
    double sum = 0;
    dj_json_begin_list(json, "cumulative");
    for (unsigned k = 0; k < HPRDA_BINS; k++)
        dj_json_real(json, NULL, sum += run->share[k]);
    dj_json_end_list(json);
}

void hprda_write(const hprda_outcome *o, dj_json_writer *json)
{
    dj_json_begin_object(json, NULL);
    dj_json_text(json, "trace", o->trace->name);
    dj_json_uint(json, "accesses", o->trace->count);
    dj_json_uint(json, "distinct", o->distinct);
    dj_json_uint(json, "bins", HPRDA_BINS);
    if (o->collect_s > 0)
        dj_json_real(json, "collect_seconds", o->collect_s);
    if (o->tree.seconds > 0)
        dj_json_real(json, "tree_seconds", o->tree.seconds);
    dj_json_real(json, "one_thread_seconds", o->one_s);
    if (o->two_s > 0)
        dj_json_real(json, "two_threads_seconds", o->two_s);
    write_shares(json, &o->exact);
    dj_json_begin_list(json, "adjust");
    for (unsigned a = 0; a < HPRDA_ADJUSTS; a++) {
        dj_json_begin_object(json, NULL);
        dj_json_text(json, "adjust", adjust_names[a]);
        write_run(json, o, &o->adjust[a]);
        write_shares(json, &o->adjust[a]);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_begin_list(json, "sizes");
    for (unsigned s = 0; s < HPRDA_SIZES; s++) {
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "st", hprda_sizes[s]);
        write_run(json, o, &o->size[s]);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_end_object(json);
}
