// SPDX-License-Identifier: MIT
#include "report/module_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/identity.h"

static bool is_system_path(const char *path)
{
    static const char *const folders[] = {"/usr/lib", "/lib", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

static const char *describe_state(enum dj_module_state state)
{
    switch (state) {
    case DJ_MODULE_MISSING:
        return "is missing";
    case DJ_MODULE_STALE:
        return "has changed since it was traced";
    case DJ_MODULE_UNREADABLE:
        return "cannot be read (truncated, not an ELF file, or no permission)";
    default:
        return NULL;
    }
}

static void describe_lost(const dj_module_row *module, const char *lost, const char *reason, char *text)
{
    const char *build = module->identity ? dj_identity_build_id(module->identity) : NULL;
    if (module->state == DJ_MODULE_UNREADABLE && *reason) {
        lost = reason;
        reason = "";
    }
    snprintf(
        text, DJ_MODULE_PROBLEM_BYTES,
        "%s%s%s: its places are addresses; name the folder of the file%s%s with --symbols, or trace again",
        lost, *reason ? ", and " : "", reason, build ? " with build ID " : " that was traced",
        build ? build : "");
}

// Of a file that was found.
static const char *describe_found(const dj_module_row *module, const char *reason, char *text)
{
    if (*reason && !module->has_types)
        snprintf(text, DJ_MODULE_PROBLEM_BYTES,
                 "has no debug information of its own, and %s: its %svariables are unknown", reason,
                 module->has_lines ? "" : "lines, loops and ");
    else if (!module->has_lines)
        snprintf(text, DJ_MODULE_PROBLEM_BYTES,
                 "has no debug information: %s to see its lines, loops and variables",
                 is_system_path(module->path) ? "install its debug symbols" : "compile with -g");
    else if (!module->has_types)
        snprintf(text, DJ_MODULE_PROBLEM_BYTES,
                 "has line numbers but no variables: compile with -g instead of -g1 to see its data");
    else
        return NULL;
    return text;
}

const char *dj_module_problem(const dj_module_row *module, char text[DJ_MODULE_PROBLEM_BYTES])
{
    const char *lost = describe_state(module->state);
    const char *reason = module->reason ? module->reason : "";
    const char *build = module->identity ? dj_identity_build_id(module->identity) : NULL;
    if (lost)
        describe_lost(module, lost, reason, text);
    else if (module->state == DJ_MODULE_UNKNOWN)
        snprintf(text, DJ_MODULE_PROBLEM_BYTES,
                 "was not read to the end, because deja-symbols failed: its places are addresses");
    else if (module->state == DJ_MODULE_CODELESS)
        snprintf(
            text, DJ_MODULE_PROBLEM_BYTES,
            "%s, and only its debug file was found: its loops are unknown; name the folder of the file with "
            "build ID %s with --symbols",
            *reason ? reason : "is missing or has changed", build ? build : "?");
    else if (module->state == DJ_MODULE_NO_FILE)
        snprintf(text, DJ_MODULE_PROBLEM_BYTES, "has no file, so no lines, loops and variables are known");
    else
        return describe_found(module, reason, text);
    return text;
}

int dj_module_accesses(dj_context *context, const dj_attribution *a, uint64_t **out, uint64_t *all)
{
    uint64_t *accesses = calloc(a->module_count + 1, sizeof *accesses);
    if (!accesses)
        return dj_fail_memory(context, "a report", a->module_count * sizeof *accesses);
    *all = 0;
    for (size_t i = 0; i < a->place_count; i++) {
        uint32_t module = a->sites[a->places[i].site].module;
        *all += a->places[i].tally.accesses;
        if (module < a->module_count)
            accesses[module] += a->places[i].tally.accesses;
    }
    *out = accesses;
    return DJ_OK;
}
