// SPDX-License-Identifier: MIT
// How two uses are related is known for certain. What a loop does with its data is inferred from distances
// and footprints, so the texts say "may" and "probably".
#include "model/advice/advice.h"
#include "base/text_stream.h"

#include <stdlib.h>
#include <string.h>

// The first rule that applies wins, so the more certain and more specific ones come first.
static const dj_advice_rule *const builtin[] = {
    &dj_rule_recycled, &dj_rule_same_thread, &dj_rule_recursion,     &dj_rule_interchange,
    &dj_rule_tile,     &dj_rule_reorder,     &dj_rule_initialize,    &dj_rule_next_iteration,
    &dj_rule_fuse,     &dj_rule_recompute,   &dj_rule_call_together, &dj_rule_closer,
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
static bool lacks_code(const dj_attribution *a, const dj_reuse *reuse)
{
    const uint32_t sites[] = {a->places[reuse->from].site, a->places[reuse->to].site};
    for (size_t i = 0; i < 2; i++) {
        uint32_t module = dj_row_is(sites[i], a->site_count) ? a->sites[sites[i]].module : DJ_NOWHERE;
        if (dj_row_is(module, a->module_count) && !dj_module_has_code(&a->modules[module]))
            return true;
    }
    return false;
}

int dj_advise(dj_context *context, const dj_advice_rules *rules, dj_reuse_evidence *evidence,
              const dj_reuse_paths *paths, dj_reuse *reuse)
{
    uint32_t loops[DJ_NEST_MOST];
    evidence->loops = loops;
    evidence->loop_count = find_loops(paths, loops);
    evidence->reuse = reuse;
    reuse->advice = lacks_code(evidence->attribution, reuse) ? NULL : choose(rules, evidence);
    bool carried = reuse->advice && reuse->advice->outer_loop;
    reuse->outer_loop = carried ? reuse->advice->outer_loop(evidence) : DJ_NOWHERE;
    return say(context, evidence, reuse);
}
