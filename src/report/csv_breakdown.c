// SPDX-License-Identifier: MIT
// Breakdowns as one table for spreadsheets.
#include <deja/report.h>

#include <ctype.h>
#include <inttypes.h>

#include "report/costs.h"
#include "report/csv.h"
#include "report/entity_spatial.h"

typedef struct listing {
    const dj_profile *profile;
    dj_ranking_options ranked;
} listing;

static void put_misses(const dj_attribution *a, const uint64_t *misses, FILE *out)
{
    for (size_t i = 0; i < a->cut_count; i++) {
        fputc(',', out);
        if (misses)
            fprintf(out, "%" PRIu64, misses[i]);
    }
}

// Names of columns are words.
static void put_columns(const dj_attribution *a, const char *prefix, FILE *out)
{
    for (size_t i = 0; i < a->cut_count; i++) {
        fprintf(out, ",%s_", prefix);
        for (const char *at = a->cuts[i].name; *at; at++)
            fputc(isalnum((unsigned char)*at) ? *at : '_', out);
    }
}

static void put_head(const dj_profile *profile, FILE *out)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    fputs("by,name,file,line,last_line,parent,depth,accesses,reads,writes,distinct,distinct_exact,cold,"
          "min_distance,mean_distance,median_distance,max_distance,std_distance",
          out);
    put_columns(a, "misses", out);
    fputs(",inclusive_accesses,inclusive_cold", out);
    put_columns(a, "inclusive_misses", out);
    dj_csv_entity_spatial_names(dj_profile_spatial(profile), out);
    fputc('\n', out);
}

static void put_distinct(const dj_distinct *distinct, FILE *out)
{
    if (distinct->known)
        fprintf(out, ",%" PRIu64 ",%d", distinct->blocks, distinct->exact);
    else
        fputs(",,", out);
}

static void put_where(const dj_attribution *a, const dj_entity *entity, FILE *out)
{
    dj_csv_text(entity->name, out);
    fputc(',', out);
    if (entity->file != DJ_NOWHERE)
        dj_csv_text(a->files[entity->file], out);
    if (entity->line > 0)
        fprintf(out, ",%" PRIu32 ",%" PRIu32 ",", entity->line, entity->last_line);
    else
        fputs(",,,", out);
    if (entity->parent != DJ_NOWHERE)
        fprintf(out, "%" PRIu32, entity->parent);
    fprintf(out, ",%" PRIu32, entity->depth);
}

static void put_entity(const listing *l, const dj_breakdown *breakdown, const dj_entity *entity, FILE *out)
{
    const dj_attribution *a = dj_profile_attribution(l->profile);
    const dj_tally *tally = &entity->exclusive;
    dj_moments moments = dj_tally_moments(tally, a);
    fprintf(out, "%s,", dj_by_name(breakdown->by));
    put_where(a, entity, out);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, tally->accesses, tally->accesses - tally->writes,
            tally->writes);
    put_distinct(&entity->distinct, out);
    fprintf(out, ",%" PRIu64, tally->cold);
    if (moments.count > 0)
        fprintf(out, ",%" PRIu64 ",%.17g,%.17g,%" PRIu64 ",%.17g", moments.min, moments.mean, moments.median,
                moments.max, moments.std);
    else
        fputs(",,,,,", out);
    put_misses(a, entity->misses, out);
    if (breakdown->has_inclusive)
        fprintf(out, ",%" PRIu64 ",%" PRIu64, entity->inclusive.accesses, entity->inclusive.cold);
    else
        fputs(",,", out);
    put_misses(a, breakdown->has_inclusive ? entity->inclusive_misses : NULL, out);
    dj_csv_entity_spatial(dj_profile_spatial(l->profile), tally,
                          breakdown->has_inclusive ? &entity->inclusive : NULL, &l->ranked, out);
    fputc('\n', out);
}

int dj_report_csv_breakdowns(dj_context *context, const dj_profile *profile, const enum dj_by *by,
                             size_t count, const dj_spatial_view *view, FILE *out)
{
    listing l = {.profile = profile};
    if (!dj_profile_attribution(profile))
        return dj_fail_attribution(context);
    int found = dj_profile_spatial(profile) ? dj_spatial_view_find(context, profile, view, &l.ranked) : DJ_OK;
    if (found)
        return found;
    put_head(profile, out);
    for (size_t i = 0; i < count; i++) {
        dj_breakdown *breakdown = NULL;
        int err = dj_breakdown_create(context, dj_profile_attribution(profile), by[i], &breakdown);
        if (err)
            return err;
        for (size_t k = 0; k < breakdown->count; k++)
            put_entity(&l, breakdown, &breakdown->entities[k], out);
        dj_breakdown_destroy(breakdown);
    }
    return DJ_OK;
}
