// SPDX-License-Identifier: MIT
// What sharers of caches do to each other, by data and code, as JSON; docs/formats.md describes it.
#include <deja/false_sharing.h>
#include <deja/sharing.h>

#include "report/json/entity_json.h"

void dj_json_entity_sharing(dj_json_writer *json, const dj_profile *profile, const dj_tally *tally)
{
    const dj_sharing *sharing = dj_profile_sharing(profile);
    const dj_sharing_tally *s = tally->sharing;
    if (!sharing || !s)
        return;
    dj_json_begin_object(json, "sharing");
    dj_json_uint(json, "sharers", (uint64_t)__builtin_popcountll(s->sharers));
    dj_json_uint(json, "broken", s->counts.broken);
    dj_json_uint(json, "shortened", s->counts.shortened);
    dj_json_uint(json, "stretched", s->counts.stretched);
    dj_json_uint(json, "found", s->counts.found);
    dj_json_uint(json, "true_sharing", s->counts.true_sharing);
    dj_json_uint(json, "false_sharing", s->counts.false_sharing);
    dj_json_begin_list(json, "caches");
    for (size_t i = 0; i < s->cache_count && i < sharing->cache_count; i++) {
        const dj_sharing_misses *m = &s->caches[i];
        dj_json_begin_object(json, NULL);
        dj_json_text(json, "name", sharing->caches[i].name);
        dj_json_uint(json, "misses", m->misses);
        dj_json_uint(json, "cold", m->cold);
        dj_json_uint(json, "invalidated", m->invalidated);
        dj_json_uint(json, "capacity", m->misses - m->cold - m->invalidated);
        dj_json_uint(json, "alone", m->alone);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_end_object(json);
}

// More than anyone reads.
enum { LISTED_MOST = 1000 };

int dj_json_false_sharing(dj_json_writer *json, dj_context *context, const dj_profile *profile)
{
    static const char *const missed_keys[] = {"missed_at", "missed_file", "missed_line"};
    static const char *const written_keys[] = {"written_at", "written_file", "written_line"};
    const dj_attribution *a = dj_profile_attribution(profile);
    dj_false_sharings *all = NULL;
    int err = dj_false_sharings_create(context, profile, &all);
    if (err)
        return err;
    dj_json_begin_list(json, "false_sharing");
    for (size_t i = 0; i < all->count && i < LISTED_MOST; i++) {
        const dj_false_sharing *s = &all->list[i];
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "missed", s->missed);
        dj_json_place(json, a, missed_keys, s->missed_line, s->to);
        dj_json_text(json, "written", s->written);
        dj_json_place(json, a, written_keys, s->written_line, s->from);
        dj_json_uint(json, "misses", s->misses);
        dj_json_uint(json, "true_sharing", s->true_sharing);
        dj_json_uint(json, "sharers", (uint64_t)__builtin_popcountll(s->sharers));
        dj_json_text(json, "text", s->text);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_uint(json, "false_sharing_left_out", all->count > LISTED_MOST ? all->count - LISTED_MOST : 0);
    dj_false_sharings_destroy(all);
    return DJ_OK;
}
