// SPDX-License-Identifier: MIT
// How two uses are related is known for certain. What a loop does with its data is inferred from distances
// and footprints, so the texts say "may" and "probably".
#include "model/advice/advice.h"
#include "base/text_stream.h"

#include <stdlib.h>
#include <string.h>

// The first rule that applies wins, so the more certain and more specific ones come first.
static const dj_advice_rule *const builtin[] = {
    &dj_rule_same_thread,   &dj_rule_shrink_temporary,
    &dj_rule_split_hot,     &dj_rule_pool,
    &dj_rule_recycled,      &dj_rule_tile_both,
    &dj_rule_interchange,   &dj_rule_partition,
    &dj_rule_reorder,       &dj_rule_relieve,
    &dj_rule_wavefront,     &dj_rule_tile,
    &dj_rule_initialize,    &dj_rule_fuse,
    &dj_rule_call_together, &dj_rule_closer,
    &dj_rule_prefetch,      &dj_rule_recursion,
};

const dj_advice_rules dj_advice_builtin = {builtin, sizeof builtin / sizeof *builtin};

size_t dj_advice_rule_count(void)
{
    return dj_advice_builtin.count;
}

const dj_advice_rule *dj_advice_rule_get(size_t index)
{
    return index < dj_advice_builtin.count ? builtin[index] : NULL;
}

const dj_advice_rule *dj_advice_rule_find(const char *name)
{
    for (size_t i = 0; i < dj_advice_builtin.count; i++)
        if (strcmp(builtin[i]->name, name) == 0)
            return builtin[i];
    return NULL;
}

const char *dj_advice_name(const dj_advice_rule *rule)
{
    return rule ? rule->name : "none";
}

// The loops that contain both uses, outermost first.
static unsigned find_loops(const dj_reuse_paths *paths, uint32_t loops[DJ_NEST_MOST])
{
    unsigned count = 0;
    // If there are more loops than fit, the inner ones matter.
    for (size_t i = paths->common; i > 0 && count < DJ_NEST_MOST; i--)
        if (paths->from.steps[i - 1].loop != DJ_NOWHERE)
            loops[count++] = paths->from.steps[i - 1].loop;
    for (unsigned i = 0; i < count / 2; i++) {
        uint32_t other = loops[i];
        loops[i] = loops[count - 1 - i];
        loops[count - 1 - i] = other;
    }
    return count;
}

static const dj_advice_rule *choose(const dj_advice_rules *rules, const dj_reuse_evidence *evidence)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rules->list[i]->applies(evidence))
            return rules->list[i];
    return NULL;
}

// Capitalizes the first word unless it is a name.
static void begin_sentence(char *text)
{
    if (strncmp(text, "loop ", 5) == 0 || strncmp(text, "the call of ", 12) == 0)
        text[0] = (char)(text[0] - 'a' + 'A');
}

static int say(dj_context *context, const dj_reuse_evidence *evidence, dj_reuse *reuse)
{
    dj_text_stream out;
    if (!dj_text_stream_open(&out))
        return dj_fail_memory(context, "advice", 0);
    if (reuse->advice)
        reuse->advice->say(evidence, out.file);
    reuse->text = dj_text_stream_close(&out, NULL);
    if (!reuse->text)
        return dj_fail_memory(context, "advice", 0);
    begin_sentence(reuse->text);
    return DJ_OK;
}

// Without the file of a module, the loops around an address are unknown.
static bool lacks_code(const dj_attribution *a, uint32_t site)
{
    uint32_t module = dj_row_is(site, a->site_count) ? a->sites[site].module : DJ_NOWHERE;
    return dj_row_is(module, a->module_count) && !dj_module_has_code(&a->modules[module]);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool dj_advice_is_foreign(const dj_attribution *a, uint32_t site)
{
    static const char *const starts[] = {"_dl_", "__libc_start", "__libc_init", "__libc_early"};
    if (!dj_row_is(site, a->site_count))
        return false;
    const uint32_t module = a->sites[site].module, function = a->sites[site].function;
    const char *path = dj_row_is(module, a->module_count) ? a->modules[module].path : "";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (starts_with(name, "ld-") || starts_with(name, "ld.so") || starts_with(name, "vgpreload"))
        return true;
    const char *called = dj_row_is(function, a->function_count) ? a->functions[function].name : "";
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (starts_with(called, starts[i]))
            return true;
    return strcmp(called, "_start") == 0 || strcmp(called, "call_init") == 0;
}

static bool is_advisable(const dj_attribution *a, const dj_reuse *reuse)
{
    const uint32_t from = a->places[reuse->from].site, to = a->places[reuse->to].site;
    return !lacks_code(a, from) && !lacks_code(a, to) && !dj_advice_is_foreign(a, from) &&
           !dj_advice_is_foreign(a, to);
}

// A loop around one of the uses only, below where their paths diverge.
static bool returns_again(const dj_advice_facts *facts, const dj_reuse_paths *paths, uint32_t object)
{
    const dj_path *sides[] = {&paths->from, &paths->to};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = paths->common; i < sides[side]->count; i++) {
            const uint32_t loop = sides[side]->steps[i].loop;
            if (loop != DJ_NOWHERE && dj_advice_facts_returns(facts, object, loop))
                return true;
        }
    return false;
}

double dj_advice_saved_by_density(const dj_reuse_evidence *e, uint64_t blocks, double part)
{
    const dj_tally *tally = &e->reuse->tally;
    const double misses = dj_tally_misses(tally, e->attribution, blocks);
    if (part >= 1 || part <= 0)
        return 0;
    const uint64_t beyond = (uint64_t)((double)blocks / part);
    const double left = dj_tally_misses(tally, e->attribution, beyond) * (e->facts.irregular ? 1 : part);
    return misses > left ? misses - left : 0;
}

static int predict(dj_context *context, const dj_reuse_evidence *e, dj_reuse *reuse)
{
    const dj_attribution *a = e->attribution;
    reuse->saves = calloc(a->cut_count + 1, sizeof *reuse->saves);
    if (!reuse->saves)
        return dj_fail_memory(context, "advice", a->cut_count * sizeof *reuse->saves);
    for (size_t i = 0; i < a->cut_count; i++) {
        const uint64_t blocks = a->cuts[i].blocks;
        double saved = 0;
        if (reuse->advice->saves)
            saved = reuse->advice->saves(e, blocks);
        else if (!reuse->advice->hides)
            saved = dj_tally_misses(&reuse->tally, a, blocks);
        reuse->saves[i] = saved > 0 ? (uint64_t)(saved + 0.5) : 0;
    }
    return DJ_OK;
}

static void state_carrier(const dj_reuse_evidence *e, FILE *out)
{
    if (e->facts.one_iteration) {
        fputs("both uses are in one iteration of all loops around both (measured)\n", out);
    } else if (e->facts.carrier != DJ_NOWHERE) {
        dj_reuse_say_loop(e, e->facts.carrier, out);
        fprintf(out, " returns to the data (%s)\n", e->facts.measured ? "measured" : "inferred");
    }
}

static int state(dj_context *context, const dj_reuse_evidence *e, dj_reuse *reuse)
{
    dj_text_stream out;
    if (!dj_text_stream_open(&out))
        return dj_fail_memory(context, "advice", 0);
    state_carrier(e, out.file);
    if (reuse->advice->state)
        reuse->advice->state(e, out.file);
    reuse->evidence = dj_text_stream_close(&out, NULL);
    return reuse->evidence ? DJ_OK : dj_fail_memory(context, "advice", 0);
}

int dj_advise(dj_context *context, const dj_advice_rules *rules, const dj_advice_facts *facts,
              dj_reuse_evidence *evidence, const dj_reuse_paths *paths, dj_reuse *reuse)
{
    uint32_t loops[DJ_NEST_MOST];
    evidence->loops = loops;
    evidence->loop_count = find_loops(paths, loops);
    evidence->reuse = reuse;
    dj_advice_facts_find(facts, evidence, dj_advice_infer_carrier(evidence));
    evidence->returns_again = returns_again(facts, paths, reuse->object);
    reuse->facts = evidence->facts;
    reuse->advice = is_advisable(evidence->attribution, reuse) ? choose(rules, evidence) : NULL;
    bool carried = reuse->advice && reuse->advice->outer_loop;
    reuse->outer_loop = carried ? reuse->advice->outer_loop(evidence) : DJ_NOWHERE;
    int err = say(context, evidence, reuse);
    if (!err && reuse->advice)
        err = predict(context, evidence, reuse);
    return err || !reuse->advice ? err : state(context, evidence, reuse);
}
