// SPDX-License-Identifier: MIT
// A plugin for gcc. ThreadSanitizer's instrumentation looks for races and skips accesses that cannot race.
// Before it runs, this plugin makes them look as if they could, since Deja counts them: constant tables, and
// arrays and structures on the stack that no other thread sees. Copies and fills stay calls, which the
// run-time library wraps.
//
// ThreadSanitizer's instrumentation comes after most of the optimizer, which has merged, moved and removed
// accesses by then. To count them as written, the plugin lets it instrument each function before the first
// optimization, too. The compiler knows nothing about the functions that these calls name, so it keeps and
// repeats them exactly as the accesses were written, whatever becomes of these. What the second
// instrumentation adds for accesses is removed again; entries and exits of functions, which inlining removes,
// are those of the second one.

// These headers depend on their order.
// clang-format off
#include "gcc-plugin.h"
#include "plugin-version.h"
#include "tree.h"
#include "tree-pass.h"
#include "context.h"
#include "basic-block.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "tree-dfa.h"
#include "tree-ssa-alias.h"
#include "tree-ssa-operands.h"
#include "ssa.h"
#include "tree-into-ssa.h"
#include "tree-pass.h"
#include "internal-fn.h"
#include "options.h"
// clang-format on

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

namespace
{

vec<tree> constants; // treated as variables between the two passes

bool open_operand(gimple *, tree base, tree, void *)
{
    base = get_base_address(base);
    if (!base || !(VAR_P(base) || TREE_CODE(base) == PARM_DECL))
        return false;
    if (VAR_P(base) && TREE_READONLY(base) && !DECL_HARD_REGISTER(base)) {
        TREE_READONLY(base) = 0;
        constants.safe_push(base);
    }
    if (!is_global_var(base) && AGGREGATE_TYPE_P(TREE_TYPE(base)))
        TREE_ADDRESSABLE(base) = 1;
    return false;
}

// Declares the function of that name as one that the compiler knows nothing about.
tree find_plain(tree builtin)
{
    static hash_map<tree, tree> *known = new hash_map<tree, tree>;
    bool is_known;
    tree &plain = known->get_or_insert(builtin, &is_known);
    if (!is_known)
        plain = build_fn_decl(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(builtin)), TREE_TYPE(builtin));
    return plain;
}

bool keep_call(gimple *statement)
{
    if (!gimple_call_builtin_p(statement, BUILT_IN_NORMAL))
        return false;
    tree callee = gimple_call_fndecl(statement);
    switch (DECL_FUNCTION_CODE(callee)) {
    case BUILT_IN_MEMCPY:
    case BUILT_IN_MEMMOVE:
    case BUILT_IN_MEMPCPY:
    case BUILT_IN_MEMSET:
        gimple_call_set_fndecl(as_a<gcall *>(statement), find_plain(callee));
        update_stmt(statement);
        return true;
    default:
        return false;
    }
}

void open_accesses(function *f, bool *changed)
{
    basic_block block;
    FOR_EACH_BB_FN(block, f)
    for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
        gimple *statement = gsi_stmt(i);
        walk_stmt_load_store_ops(statement, nullptr, open_operand, open_operand);
        *changed |= is_gimple_call(statement) && keep_call(statement);
    }
    f->gimple_df->escaped.anything = 1; // everything that has an address
}

void close_accesses()
{
    for (tree decl : constants)
        TREE_READONLY(decl) = 1;
    constants.truncate(0);
}

const pass_data open_data = {GIMPLE_PASS, "deja_open", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

struct open_pass : gimple_opt_pass {
    open_pass() : gimple_opt_pass(open_data, g)
    {
    }
    opt_pass *clone() override
    {
        return new open_pass;
    }
    unsigned execute(function *f) override
    {
        bool changed = false;
        open_accesses(f, &changed);
        if (changed)
            mark_virtual_operands_for_renaming(f);
        return changed ? TODO_update_ssa_only_virtuals : 0;
    }
};

const pass_data close_data = {GIMPLE_PASS, "deja_close", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

struct close_pass : gimple_opt_pass {
    close_pass() : gimple_opt_pass(close_data, g)
    {
    }
    opt_pass *clone() override
    {
        return new close_pass;
    }
    unsigned execute(function *) override
    {
        close_accesses();
        return 0;
    }
};

enum kind { OTHER, ACCESS, ENTRY, EXIT };

// What a call of ThreadSanitizer's is for.
kind kind_of(gimple *statement)
{
    if (!gimple_call_builtin_p(statement, BUILT_IN_NORMAL))
        return OTHER;
    switch (DECL_FUNCTION_CODE(gimple_call_fndecl(statement))) {
    case BUILT_IN_TSAN_FUNC_ENTRY:
        return ENTRY;
    case BUILT_IN_TSAN_FUNC_EXIT:
        return EXIT;
    case BUILT_IN_TSAN_VPTR_UPDATE:
    case BUILT_IN_TSAN_READ1:
    case BUILT_IN_TSAN_READ2:
    case BUILT_IN_TSAN_READ4:
    case BUILT_IN_TSAN_READ8:
    case BUILT_IN_TSAN_READ16:
    case BUILT_IN_TSAN_WRITE1:
    case BUILT_IN_TSAN_WRITE2:
    case BUILT_IN_TSAN_WRITE4:
    case BUILT_IN_TSAN_WRITE8:
    case BUILT_IN_TSAN_WRITE16:
    case BUILT_IN_TSAN_VOLATILE_READ1:
    case BUILT_IN_TSAN_VOLATILE_READ2:
    case BUILT_IN_TSAN_VOLATILE_READ4:
    case BUILT_IN_TSAN_VOLATILE_READ8:
    case BUILT_IN_TSAN_VOLATILE_READ16:
    case BUILT_IN_TSAN_VOLATILE_WRITE1:
    case BUILT_IN_TSAN_VOLATILE_WRITE2:
    case BUILT_IN_TSAN_VOLATILE_WRITE4:
    case BUILT_IN_TSAN_VOLATILE_WRITE8:
    case BUILT_IN_TSAN_VOLATILE_WRITE16:
    case BUILT_IN_TSAN_READ_RANGE:
    case BUILT_IN_TSAN_WRITE_RANGE:
        return ACCESS;
    default:
        return OTHER;
    }
}

void remove_call(gimple_stmt_iterator *at)
{
    unlink_stmt_vdef(gsi_stmt(*at));
    gsi_remove(at, true);
}

const pass_data written_data = {
    GIMPLE_PASS, "deja_written", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, TODO_update_ssa};

// The first instrumentation.
struct written_pass : gimple_opt_pass {
    written_pass() : gimple_opt_pass(written_data, g)
    {
    }
    opt_pass *clone() override
    {
        return new written_pass;
    }
    unsigned execute(function *f) override
    {
        static opt_pass *const tsan = make_pass_tsan(g);
        bool changed = false;
        if (!tsan->gate(f))
            return 0;
        open_accesses(f, &changed);
        const unsigned todo = tsan->execute(f);
        basic_block block;
        FOR_EACH_BB_FN(block, f)
        for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i);) {
            gimple *statement = gsi_stmt(i);
            switch (kind_of(statement)) {
            case ENTRY:
                remove_call(&i);
                continue;
            case EXIT:
                gsi_replace(&i, gimple_build_call_internal(IFN_TSAN_FUNC_EXIT, 0), true);
                break;
            case ACCESS:
                gimple_call_set_fndecl(as_a<gcall *>(statement), find_plain(gimple_call_fndecl(statement)));
                update_stmt(statement);
                break;
            default:
                break;
            }
            gsi_next(&i);
        }
        close_accesses();
        mark_virtual_operands_for_renaming(f);
        return todo;
    }
};

const pass_data drop_data = {GIMPLE_PASS,
                             "deja_drop",
                             OPTGROUP_NONE,
                             TV_NONE,
                             PROP_cfg | PROP_ssa,
                             0,
                             0,
                             0,
                             TODO_update_ssa_only_virtuals};

// Removes accesses of the second instrumentation.
struct drop_pass : gimple_opt_pass {
    drop_pass() : gimple_opt_pass(drop_data, g)
    {
    }
    opt_pass *clone() override
    {
        return new drop_pass;
    }
    unsigned execute(function *f) override
    {
        basic_block block;
        FOR_EACH_BB_FN(block, f)
        for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i);) {
            if (kind_of(gsi_stmt(i)) == ACCESS)
                remove_call(&i);
            else
                gsi_next(&i);
        }
        return 0;
    }
};

// --as-written; see src/build/compile.c.
bool counts_as_written()
{
    return optimize > 0 && !flag_tree_pre && !flag_code_hoisting && !flag_tree_loop_im && !flag_tree_fre &&
           !flag_tree_dse && !flag_tree_dom;
}

void place(const char *plugin, const char *beside, opt_pass *pass, pass_positioning_ops where)
{
    register_pass_info info = {pass, beside, 1, where};
    register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

} // namespace

// Does nothing in another compiler than the one that it was built for.
__attribute__((visibility("default"))) int plugin_init(plugin_name_args *args, plugin_gcc_version *version)
{
    if (strcmp(version->basever, gcc_version.basever) != 0)
        return 0;
    if (counts_as_written()) {
        place(args->base_name, "ssa", new written_pass, PASS_POS_INSERT_AFTER);
        place(args->base_name, "tsan", new drop_pass, PASS_POS_INSERT_AFTER);
    }
    for (const char *pass : {"tsan", "tsan0"}) { // the latter without optimization
        place(args->base_name, pass, new open_pass, PASS_POS_INSERT_BEFORE);
        place(args->base_name, pass, new close_pass, PASS_POS_INSERT_AFTER);
    }
    return 0;
}
