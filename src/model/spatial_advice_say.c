// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/divisor.h"
#include "model/spatial_advice.h"

typedef struct speech {
    FILE *out;
    const dj_spatial_evidence *e;
    const dj_rank_row *row;
    const dj_spatial *spatial;
    const char *units;
} speech;

static void put_count(const speech *s, uint64_t value)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    for (int i = 0; i < length; i++)
        fprintf(s->out, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

static void put_size(const speech *s, uint64_t bytes)
{
    static const char letters[] = "KMGT";
    int power = -1;
    while (bytes >= 1024 && bytes % 1024 == 0 && power + 1 < (int)sizeof letters - 1) {
        bytes /= 1024;
        power++;
    }
    put_count(s, bytes);
    if (power >= 0)
        fputc(letters[power], s->out);
    else
        fprintf(s->out, " %s", s->units);
}

static void put_loop(const speech *s, uint32_t loop)
{
    char *name = dj_names_loop(&s->e->work->names, loop);
    bool told = name && strncmp(name, "loop ", 5) == 0; // one without lines
    fprintf(s->out, "%s%s", told ? "" : "loop ", name ? name : "?");
    free(name);
}

static void put_data(const speech *s, uint32_t object, const char *element)
{
    char *name = dj_names_data(&s->e->work->names, object, element);
    fputs(name ? name : "?", s->out);
    free(name);
}

// Whose steps they are is told by who shows the text.
static void say_steps(const speech *s)
{
    const dj_spatial_evidence *e = s->e;
    if (!dj_spatial_is_regular(e)) {
        fputs("There is no regular order in which it comes to its data", s->out);
        return;
    }
    fputs("It goes in steps of ", s->out);
    put_count(s, dj_magnitude(e->stride));
    fprintf(s->out, " %s%s", s->units, e->stride < 0 ? ", backwards" : "");
    if (e->share < 0.995)
        fprintf(s->out, " (%.0f%% of its steps)", 100 * e->share);
}

static void say_use(const speech *s)
{
    bool whole = s->e->used >= 9.95 || s->e->used <= (double)(uint64_t)s->e->used;
    fprintf(s->out,
            ", and of each block of %" PRIu64 " %s that comes in %.*f are used before it leaves a cache of ",
            s->spatial->usage_block, s->units, whole ? 0 : 1, s->e->used);
    put_size(s, s->spatial->usage_cache);
    fputs(". ", s->out);
}

static void say_none(const speech *s)
{
    if (dj_spatial_is_used_up(s->e))
        fputs("That is most of it: blocks are just used again late, and another layout has little to gain.",
              s->out);
    else
        fputs("No other layout suggests itself.", s->out);
}

// Two loops of one line have one name.
static bool is_same_line(const speech *s, uint32_t a, uint32_t b)
{
    const dj_loop_row *loops = s->e->work->a->loops;
    return loops[a].file == loops[b].file && loops[a].first_line == loops[b].first_line &&
           loops[a].last_line == loops[b].last_line;
}

static void say_interchange(const speech *s)
{
    fputs("Likely ", s->out);
    put_loop(s, s->e->inner);
    fputs(" goes across memory and the loop around it", s->out);
    if (!is_same_line(s, s->e->inner, s->e->outer)) {
        fputs(", ", s->out);
        put_loop(s, s->e->outer);
        fputs(",", s->out);
    }
    fputs(" along. Interchanging the two may help, or turning the layout of the data around.", s->out);
}

static void say_split(const speech *s)
{
    if (s->e->field)
        fprintf(s->out,
                "Splitting the structure may help: the fields that are used here together in an array of "
                "their own, without those that only lie between them.");
    else
        fputs(
            "Putting the elements that are used here next to each other, in an array of their own, may help.",
            s->out);
}

static void say_reorder_fields(const speech *s)
{
    put_data(s, s->row->object, s->e->parts[0]);
    fputs(" and ", s->out);
    put_data(s, s->row->object, s->e->parts[1]);
    fputs(" are both used here and lie in different blocks. Moving such fields next to each other in the "
          "structure may help.",
          s->out);
}

static void say_regroup(const speech *s)
{
    const dj_place_row *partner = &s->e->work->a->places[s->e->partner];
    put_data(s, partner->object, partner->element);
    fputs(
        " is used in the same loop, likely at the same index. Regrouping the two, so that what has the same "
        "index lies together as in an array of structures, may help.",
        s->out);
}

static void say_pad(const speech *s)
{
    uint64_t block = s->spatial->usage_block, room = 1;
    while (room < s->e->element && room <= UINT64_MAX / 2)
        room *= 2;
    fputs("Elements of ", s->out);
    put_count(s, s->e->element);
    fprintf(s->out, " %s likely lie across the borders of blocks. ", s->units);
    if (room == s->e->element)
        fprintf(s->out, "Aligning them to %" PRIu64 " %s may help.", room < block ? room : block, s->units);
    else
        fprintf(s->out, "Padding each to %" PRIu64 " %s, and aligning them to that, may help.", room,
                s->units);
}

static void say_shrink(const speech *s)
{
    fputs("The data has ", s->out);
    put_count(s, s->e->work->a->objects[s->row->object].bytes);
    fprintf(s->out,
            " %s. Fewer elements or smaller ones may help: a smaller type, a "
            "coarser table.",
            s->units);
}

static void say_sort(const speech *s)
{
    if (dj_spatial_is_nodes(s->e)) {
        fputs("Its ", s->out);
        put_count(s, s->e->work->a->objects[s->row->object].blocks);
        fputs(" pieces were allocated one by one. Taking them from one array, in the order in which they are "
              "used, may help.",
              s->out);
    } else {
        fputs(
            "Sorting or bucketing the work, so that neighbours in memory are used soon after each other, may "
            "help; or placing the data in the order in which it is used; or making it smaller.",
            s->out);
    }
}

// What other lines of the loop find in the blocks that this one brings in is saved already.
static void say_saved(const speech *s)
{
    size_t cache = s->e->work->options->cache == SIZE_MAX ? 0 : s->e->work->options->cache;
    if (s->row->advice == DJ_SPATIAL_NONE || s->row->saved == 0 || cache >= s->spatial->cache_count)
        return;
    uint64_t together = s->e->unsaved > 0 ? (uint64_t)s->e->unsaved / 2 : 0;
    uint64_t saved = together < s->row->saved ? together : s->row->saved;
    if (saved == 0) {
        fputs(" Other lines of the loop find the other halves of these blocks already.", s->out);
        return;
    }
    fputs(" A score of 1 would save ", s->out);
    put_count(s, saved);
    fprintf(s->out, " %s in %s.", saved == 1 ? "miss" : "misses", s->spatial->caches[cache].name);
}

static void say(const speech *s)
{
    static void (*const say_it[DJ_SPATIAL_ADVICE_COUNT])(const speech *) = {
        say_none, say_interchange, say_split, say_reorder_fields, say_regroup, say_pad, say_shrink, say_sort,
    };
    if (s->e->usage.fetched == 0 || !dj_spatial_is_data(s->e->work, s->row->object))
        return;
    say_steps(s);
    say_use(s);
    say_it[s->row->advice](s);
    say_saved(s);
}

int dj_spatial_advice_say(dj_context *context, const dj_spatial_evidence *evidence, dj_rank_row *row)
{
    const dj_profile *profile = evidence->work->profile;
    char *text = NULL;
    size_t bytes = 0;
    speech s = {open_memstream(&text, &bytes), evidence, row, dj_profile_spatial(profile),
                profile->provenance.unit_bytes == 1 ? "bytes" : "elements"};
    if (!s.out)
        return dj_fail_memory(context, "advice", 0);
    say(&s);
    if (fclose(s.out) != 0 || !text)
        return dj_fail_memory(context, "advice", 0);
    free(row->text);
    row->text = text;
    return DJ_OK;
}
