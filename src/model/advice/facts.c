// SPDX-License-Identifier: MIT
#include "model/advice/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/grow.h"

// Rare reuses are not worth a search through the places of loops.
static bool matters(const dj_advice_facts *f, const dj_reuse_evidence *e)
{
    return e->reuse->tally.accesses >= f->reuses / 1000;
}

int dj_advice_facts_create(dj_advice_facts *f, dj_context *context, const dj_attribution *a,
                           const uint32_t *line_of, const dj_tally *line_sums)
{
    *f = (dj_advice_facts){.a = a, .line_of = line_of, .line_sums = line_sums};
    f->visit_of = calloc(a->place_count + 1, sizeof *f->visit_of);
    f->visits = calloc(a->place_count + 1, sizeof *f->visits);
    f->temporary = calloc(a->object_count + 1, sizeof *f->temporary);
    f->temporaries = calloc(a->loop_count + 1, sizeof *f->temporaries);
    f->parts = calloc(a->loop_count + 1, sizeof *f->parts);
    f->flows = calloc(a->loop_count + 1, sizeof *f->flows);
    f->tangles = calloc(a->loop_count + 1, sizeof *f->tangles);
    if (!f->visit_of || !f->visits || !f->temporary || !f->temporaries || !f->parts || !f->flows ||
        !f->tangles)
        return dj_fail_memory(context, "advice", a->place_count * sizeof *f->visits);
    for (size_t i = 0; i < a->object_count; i++)
        f->temporary[i] = DJ_NOWHERE;
    int err = dj_dictionary_create(&f->visit_ids, context);
    if (!err)
        err = dj_dictionary_create(&f->returned_ids, context);
    if (!err)
        err = dj_dictionary_create(&f->part_ids, context);
    if (!err)
        err = dj_dictionary_create(&f->field_ids, context);
    for (size_t i = 0; i < a->pair_count; i++)
        f->reuses += a->pairs[i].tally.accesses;
    if (!err)
        err = dj_advice_facts_index(f, context);
    return err ? err : dj_advice_facts_visit(f, context);
}

// Long reuses of a line: distances from pair_from on.
typedef struct spread {
    double count, mean, deviation;
    double top; // share of the four fullest bins
} spread;

static double middle_of(const dj_attribution *a, uint32_t bin)
{
    const double low = (double)a->edges[bin];
    return bin + 1 < a->edge_count ? (low + (double)a->edges[bin + 1] - 1) / 2 : low;
}

static void keep_top(double top[4], double count)
{
    for (size_t i = 0; i < 4; i++)
        if (count > top[i]) {
            const double other = top[i];
            top[i] = count;
            count = other;
        }
}

static spread spread_of(const dj_attribution *a, const dj_tally *tally)
{
    spread s = {0, 0, 0, 0};
    double sum = 0, squares = 0, top[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < tally->bin_count; i++) {
        const uint32_t bin = tally->bin_first + i;
        if (a->edges[bin] < a->pair_from || tally->bins[i] == 0)
            continue;
        const double count = (double)tally->bins[i], at = middle_of(a, bin);
        s.count += count;
        sum += count * at;
        squares += count * at * at;
        keep_top(top, count);
    }
    if (s.count > 0) {
        s.mean = sum / s.count;
        s.deviation = sqrt(fmax(squares / s.count - s.mean * s.mean, 0));
        s.top = (top[0] + top[1] + top[2] + top[3]) / s.count;
    }
    return s;
}

// Sweeps return at few distances. Uniformly random accesses have all distances equally often, whose deviation
// is 0.58 of their mean.
static bool is_irregular(const dj_attribution *a, const dj_tally *tally)
{
    enum { FEW = 32 };
    const spread s = spread_of(a, tally);
    return s.count >= FEW && s.deviation >= 0.4 * s.mean && s.top < 0.5;
}

static bool is_data(const dj_object_row *object)
{
    return object->kind == DJ_OBJECT_GLOBAL || object->kind == DJ_OBJECT_HEAP ||
           object->kind == DJ_OBJECT_LOCAL || object->kind == DJ_OBJECT_MAPPED;
}

static bool only_writes(const dj_tally *tally)
{
    return tally->accesses > 0 && 100 * tally->writes >= 99 * tally->accesses;
}

// The step below the carrier on the path to a use, if it is a call.
static int add_part(dj_advice_facts *f, dj_context *context, uint32_t carrier, const dj_path *path)
{
    size_t at = path->count;
    for (size_t i = 0; i < path->count; i++)
        if (path->steps[i].loop == carrier)
            at = i + 1;
    while (at < path->count && path->steps[at].loop != DJ_NOWHERE)
        at++;
    if (at >= path->count)
        return DJ_OK;
    bool fresh;
    uint32_t id;
    const uint64_t key[] = {carrier, path->steps[at].cct_node};
    int err = dj_dictionary_value(&f->part_ids, context, XXH3_64bits(key, sizeof key), &id, &fresh);
    f->parts[carrier] += !err && fresh;
    return err;
}

static int note(dj_advice_facts *f, dj_context *context, const dj_returned *more)
{
    uint32_t id;
    int err = dj_advice_facts_id(&f->returned_ids, context, more->object, more->loop, &id);
    if (!err)
        err = dj_grow(context, "advice", &f->returned, &f->returned_capacity, id + 1, sizeof *f->returned);
    if (err)
        return err;
    for (; f->returned_count <= id; f->returned_count++)
        f->returned[f->returned_count] = (dj_returned){.object = more->object, .loop = more->loop};
    dj_returned *to = &f->returned[id];
    to->reuses += more->reuses;
    to->whole += more->whole;
    to->written += more->written;
    to->read += more->read;
    to->depends += more->depends;
    to->tangled += more->tangled;
    return DJ_OK;
}

// The loop that carries a pair, measured or as far as the order of lines shows.
static uint32_t carrier_of(const dj_pair_row *pair, const dj_reuse_link *link)
{
    if (pair->carried == DJ_CARRIED_BY_LOOP)
        return pair->carrier;
    return pair->carried == DJ_CARRIED_UNKNOWN && link->next_iteration ? link->loop : DJ_NOWHERE;
}

int dj_advice_facts_add_pair(dj_advice_facts *f, dj_context *context, uint32_t pair,
                             const dj_reuse_paths *paths, const dj_reuse_link *link)
{
    const dj_attribution *a = f->a;
    const dj_pair_row *row = &a->pairs[pair];
    const dj_place_row *from = &a->places[row->from], *to = &a->places[row->to];
    const uint32_t carrier = carrier_of(row, link);
    if (!dj_row_is(carrier, a->loop_count))
        return DJ_OK;
    const uint64_t count = row->tally.accesses;
    const bool flows = from->tally.writes > 0 && !only_writes(&to->tally);
    const bool tangled = flows && is_irregular(a, &f->line_sums[f->line_of[row->to]]);
    const uint64_t half = a->objects[to->object].distinct / 2;
    dj_returned more = {.object = to->object,
                        .loop = carrier,
                        .reuses = count,
                        .whole = (uint64_t)dj_tally_misses(&row->tally, a, half),
                        .written = only_writes(&to->tally) && link->relation != DJ_RELATION_NEST ? count : 0,
                        .read = from->tally.writes == 0 ? count : 0,
                        .depends = flows ? count : 0,
                        .tangled = tangled ? count : 0};
    f->flows[carrier] |= flows && !tangled;
    int err = note(f, context, &more);
    more.object = DJ_NOWHERE;
    if (!err)
        err = note(f, context, &more);
    if (!err)
        err = add_part(f, context, carrier, &paths->from);
    return err ? err : add_part(f, context, carrier, &paths->to);
}

static const dj_returned *find_returned(const dj_advice_facts *f, uint32_t object, uint32_t loop)
{
    const uint64_t key[] = {object, loop};
    const uint64_t id = dj_map_get(&f->returned_ids.map, XXH3_64bits(key, sizeof key));
    return id > 0 ? &f->returned[id - 1] : NULL;
}

// Of what returns to the object in the iterations of a loop, nearly all writes first, after a read by other
// loops. A loop that carries only a few of its blocks says little about it.
static bool makes_temporary(const dj_advice_facts *f, const dj_returned *r)
{
    const dj_object_row *object = &f->a->objects[r->object];
    return is_data(object) && 4 * r->reuses >= object->distinct && 10 * r->written >= 8 * r->reuses &&
           10 * r->read >= 8 * r->reuses;
}

// All blocks of an object, on average, lead from an iteration to a later one in no order. So an iteration
// needs all of it, however few of the loop's reuses these are.
static bool tangles(const dj_advice_facts *f, const dj_returned *r)
{
    const dj_object_row *object = &f->a->objects[r->object];
    return is_data(object) && object->distinct > 0 && r->tangled >= object->distinct;
}

void dj_advice_facts_finish(dj_advice_facts *f)
{
    for (size_t i = 0; i < f->returned_count; i++) {
        const dj_returned *r = &f->returned[i];
        if (r->object != DJ_NOWHERE && tangles(f, r))
            f->tangles[r->loop] = true;
    }
    for (size_t i = 0; i < f->returned_count; i++) {
        const dj_returned *r = &f->returned[i];
        if (r->object == DJ_NOWHERE || !makes_temporary(f, r))
            continue;
        const uint32_t other = f->temporary[r->object];
        const dj_returned *before = other == DJ_NOWHERE ? NULL : find_returned(f, r->object, other);
        if (!before || before->reuses < r->reuses)
            f->temporary[r->object] = r->loop;
    }
    for (size_t i = 0; i < f->a->object_count; i++)
        if (f->temporary[i] != DJ_NOWHERE)
            f->temporaries[f->temporary[i]] += f->a->objects[i].distinct;
}

bool dj_advice_facts_returns(const dj_advice_facts *f, uint32_t object, uint32_t loop)
{
    const dj_returned *found = find_returned(f, object, loop);
    return found && 2 * found->whole >= f->a->objects[object].distinct;
}

// "struct node [6000]", "Cell [4][8]": the number of elements.
static double count_elements(const char *type)
{
    double count = 1;
    for (const char *at = type ? strchr(type, '[') : NULL; at; at = strchr(at + 1, '[')) {
        const double one = strtod(at + 1, NULL);
        count *= one > 0 ? one : 1;
    }
    return count;
}

static void find_layout(const dj_advice_facts *f, dj_reuse_evidence *e)
{
    const dj_object_row *object = &f->a->objects[e->reuse->object];
    const dj_place_row *to = &f->a->places[e->reuse->to];
    dj_reuse_facts *facts = &e->facts;
    const double blocks = (double)object->blocks, bytes = (double)object->bytes;
    facts->nodes = object->kind == DJ_OBJECT_HEAP && blocks >= 16 && bytes / blocks <= 4 * e->block_bytes;
    facts->field = dj_advice_is_field(to->element);
    if (facts->nodes)
        facts->element = bytes / blocks;
    else if (facts->field && object->type && strchr(object->type, '['))
        facts->element = bytes / count_elements(object->type);
    const dj_visit *visit = &f->visits[f->visit_of[e->reuse->to]];
    if (visit->fetched > 0) {
        double uses = (double)visit->accesses / (double)visit->fetched;
        uses = visit->open ? uses : fmin(uses, visit->fields);
        facts->used = fmin(uses * e->access_bytes, e->block_bytes);
    }
    if (facts->element > 0 && facts->element < facts->used && e->facts.irregular)
        facts->used = facts->element;
}

static bool is_around(const dj_reuse_evidence *e, uint32_t loop)
{
    for (unsigned i = 0; i < e->loop_count; i++)
        if (e->loops[i] == loop)
            return true;
    return false;
}

// Whether a place reads other data in order, as often as blocks of this data are fetched, or nearly.
static bool is_list(const dj_advice_facts *f, const dj_reuse_evidence *e, uint32_t at)
{
    const dj_attribution *a = f->a;
    const dj_place_row *place = &a->places[at];
    const double fetched = (double)f->visits[f->visit_of[e->reuse->to]].fetched;
    const double accesses = (double)place->tally.accesses, sum = accesses * e->access_bytes;
    if (!is_data(&a->objects[place->object]) || place->object == e->reuse->object ||
        place->tally.writes > 0 || 4 * accesses < fetched)
        return false;
    const double missed = dj_tally_misses(&place->tally, a, a->pair_from);
    return missed * e->block_bytes >= 0.25 * sum && missed <= 0.5 * accesses &&
           !is_irregular(a, &f->line_sums[f->line_of[at]]);
}

static uint32_t find_list(const dj_advice_facts *f, const dj_reuse_evidence *e)
{
    for (unsigned i = 0; i < e->loop_count && matters(f, e); i++) {
        const uint32_t loop = e->loops[i];
        for (size_t at = f->first[loop]; at < f->first[loop + 1]; at++)
            if (is_list(f, e, f->places[at]))
                return f->a->places[f->places[at]].object;
    }
    return DJ_NOWHERE;
}

static void find_carrier(const dj_advice_facts *f, dj_reuse_evidence *e, uint32_t inferred)
{
    dj_reuse_facts *facts = &e->facts;
    facts->measured = e->reuse->carried != DJ_CARRIED_UNKNOWN;
    facts->one_iteration = e->reuse->carried == DJ_CARRIED_BY_NONE;
    facts->carrier = e->reuse->carried == DJ_CARRIED_BY_LOOP ? e->reuse->carrier
                     : facts->measured                       ? DJ_NOWHERE
                                                             : inferred;
    if (!dj_row_is(facts->carrier, f->a->loop_count))
        return;
    const dj_returned *own = find_returned(f, e->reuse->object, facts->carrier),
                      *all = find_returned(f, DJ_NOWHERE, facts->carrier);
    facts->parts = f->parts[facts->carrier];
    facts->depends = own && 10 * own->depends >= own->reuses;
    facts->tangled =
        f->tangles[facts->carrier] || (all && 20 * all->tangled >= all->reuses && all->tangled > 0);
    for (unsigned i = 0, inside = 0; i < e->loop_count; i++) {
        facts->inner_flow |= inside && f->flows[e->loops[i]];
        inside |= e->loops[i] == facts->carrier;
    }
}

// Written before read in each iteration of a loop around both uses.
static uint32_t find_temporary(const dj_advice_facts *f, const dj_reuse_evidence *e)
{
    const uint32_t loop = f->temporary[e->reuse->object];
    return dj_row_is(loop, f->a->loop_count) && is_around(e, loop) ? loop : DJ_NOWHERE;
}

// Without the temporaries in between, distances are shorter by their size. Judged at the largest cache in
// which at least half of these reuses miss.
static uint32_t find_relief(const dj_advice_facts *f, const dj_reuse_evidence *e)
{
    const dj_attribution *a = f->a;
    const dj_tally *tally = &e->reuse->tally;
    const uint32_t loop = e->facts.carrier;
    const uint64_t less = dj_row_is(loop, a->loop_count) ? f->temporaries[loop] : 0;
    for (size_t i = a->cut_count; less > 0 && i > 0; i--) {
        const uint64_t blocks = a->cuts[i - 1].blocks;
        if (2 * dj_tally_misses(tally, a, blocks) < (double)tally->accesses)
            continue;
        return 4 * dj_tally_misses(tally, a, blocks + less) < (double)tally->accesses ? loop : DJ_NOWHERE;
    }
    return DJ_NOWHERE;
}

// Whether most of what is fetched of an object returns with the iterations of one loop.
static bool is_fetched_by(const dj_advice_facts *f, uint32_t object, uint32_t loop, uint64_t fetched)
{
    const dj_returned *r = find_returned(f, object, loop);
    return r && 2 * r->reuses >= fetched;
}

// Other data in the same innermost loop, as often accessed, that is used block after block. If the carrier
// returns to all of it, it does not depend on that loop, and can be in the outer one.
static bool runs_along(const dj_advice_facts *f, const dj_reuse_evidence *e)
{
    const dj_attribution *a = f->a;
    const dj_place_row *to = &a->places[e->reuse->to];
    const uint32_t loop = a->sites[to->site].loop;
    if (!dj_row_is(loop, a->loop_count) || !matters(f, e))
        return false;
    for (size_t i = f->first[loop]; i < f->first[loop + 1]; i++) {
        const dj_place_row *place = &a->places[f->places[i]];
        const dj_visit *visit = &f->visits[f->visit_of[f->places[i]]];
        if (place->object != to->object && is_data(&a->objects[place->object]) &&
            !is_fetched_by(f, place->object, e->facts.carrier, visit->fetched) &&
            2 * place->tally.accesses >= to->tally.accesses && 40 * visit->fetched >= visit->accesses &&
            3 * visit->fetched <= visit->accesses)
            return true;
    }
    return false;
}

void dj_advice_facts_find(const dj_advice_facts *f, dj_reuse_evidence *e, uint32_t inferred)
{
    e->facts = (dj_reuse_facts){
        .carrier = DJ_NOWHERE, .temporary = DJ_NOWHERE, .relieved = DJ_NOWHERE, .list = DJ_NOWHERE};
    e->facts.irregular = is_irregular(f->a, &f->line_sums[f->line_of[e->reuse->to]]);
    find_carrier(f, e, inferred);
    find_layout(f, e);
    e->facts.temporary = find_temporary(f, e);
    e->facts.relieved = find_relief(f, e);
    e->facts.along = runs_along(f, e);
    if (e->facts.irregular)
        e->facts.list = find_list(f, e);
}

void dj_advice_facts_destroy(dj_advice_facts *f)
{
    dj_dictionary_destroy(&f->visit_ids);
    dj_dictionary_destroy(&f->returned_ids);
    dj_dictionary_destroy(&f->part_ids);
    dj_dictionary_destroy(&f->field_ids);
    free(f->visit_of);
    free(f->visits);
    free(f->places);
    free(f->first);
    free(f->returned);
    free(f->temporary);
    free(f->temporaries);
    free(f->parts);
    free(f->flows);
    free(f->tangles);
}
