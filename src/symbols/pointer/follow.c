// SPDX-License-Identifier: MIT
// Follows the code after an allocation to what holds the block.
#include "symbols/pointer/pointer.h"

enum { STEPS_MOST = 200, FUNCTION_BYTES_MOST = 1 << 16 };

static unsigned merit_of(dj_follow *follow, const dj_value *place, dj_type *type)
{
    const dj_variable *variable = dj_numbered_get(&follow->data->symbols->variables, place->variable);
    // Names that belong to the library mean nothing to users.
    if (variable != NULL && variable->inlined && strncmp(variable->info.name, "__", 2) == 0)
        return 0;
    if (dj_type_pointee(&follow->data->types, type)->bytes == 0)
        return DJ_MERIT_UNTYPED;
    return variable != NULL && variable->inlined ? DJ_MERIT_INLINED : DJ_MERIT_BEST;
}

// The inside of a container of the C++ library is named after the container: "v" rather than
// "v._M_impl._M_start".
static void hide_library(char *name)
{
    static const char *const marks[] = {"._M_", ".__"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char *inside = strstr(name, marks[i]);
        if (inside != NULL)
            *inside = 0;
    }
}

void dj_follow_store(dj_follow *follow, const dj_value *place, const dj_value *block)
{
    char name[256];
    dj_holder holder = {.place = *place, .offset = block->offset};
    dj_string_builder builder = dj_string_builder_begin(name, sizeof name);
    holder.type = dj_value_part(follow->data, place, 0, &builder);
    if ((holder.type->kind != DJ_TYPE_POINTER && holder.type->kind != DJ_TYPE_DESCRIPTOR) || block->any ||
        block->offset < 0)
        return;
    hide_library(name);
    holder.place.name = dj_symbols_keep(follow->data->symbols, name);
    holder.merit = merit_of(follow, place, holder.type);
    if (holder.merit > follow->best.merit)
        follow->best = holder;
}

static void follow_registers(dj_follow *follow)
{
    const dj_locals *locals = follow->locals;
    for (size_t i = 0; locals != NULL && i < locals->count; i++) {
        dj_local *local = &follow->locals->list[i];
        const dj_local_place *place = dj_local_place_at(locals, local, follow->next);
        // A variable that was live before cannot have received the block.
        if (place == NULL || !place->in_register || place->by.reg >= DJ_REGISTER_COUNT ||
            place->lo < follow->from || follow->now.values[place->by.reg].kind != DJ_VALUE_BLOCK ||
            !dj_locals_in_scope(locals, local->scope, follow->next))
            continue;
        uint32_t number = dj_local_variable(follow->data, follow->locals, local, follow->function);
        const dj_variable *variable = dj_numbered_get(&follow->data->symbols->variables, number);
        if (variable == NULL || variable->info.name[0] == 0)
            continue;
        dj_value value = {.kind = DJ_VALUE_ADDRESS,
                          .type = variable->type,
                          .variable = number,
                          .name = variable->info.name};
        dj_follow_store(follow, &value, &follow->now.values[place->by.reg]);
    }
}

// After a test of the block for NULL, follow the path on which there is a block.
static uint64_t branch(const cs_insn *insn, uint64_t next)
{
    const cs_x86_op *target = &insn->detail->x86.operands[0];
    bool taken = insn->id == X86_INS_JMP || insn->id == X86_INS_JNE;
    return taken && target->type == X86_OP_IMM ? (uint64_t)target->imm : next;
}

static bool is_jump(csh handle, const cs_insn *insn)
{
    return cs_insn_group(handle, insn, X86_GRP_JUMP);
}

bool dj_follow_at(dj_follow *follow, csh handle, cs_insn *insn, uint64_t pc)
{
    uint64_t capacity, next = pc;
    const uint8_t *bytes = dj_module_bytes(follow->data->module, pc, &capacity);
    size_t left = bytes != NULL ? (size_t)capacity : 0;
    if (bytes == NULL || !cs_disasm_iter(handle, &bytes, &left, &next, insn))
        return false;
    follow->pc = pc;
    follow->next = next;
    return dj_follow_step(follow, handle, insn);
}

// The end of the call at, or around, address `from`: instructions can only be decoded from the start of
// their function.
static uint64_t behind_call(const dj_follow *follow, csh handle, cs_insn *insn, const dj_subprogram *function)
{
    uint64_t capacity, at = function->lo, from = follow->from;
    const uint8_t *bytes =
        from - at < FUNCTION_BYTES_MOST ? dj_module_bytes(follow->data->module, at, &capacity) : NULL;
    size_t left = bytes != NULL ? (size_t)capacity : 0;
    while (bytes != NULL && at <= from && cs_disasm_iter(handle, &bytes, &left, &at, insn))
        ;
    return at > from && insn->id == X86_INS_CALL ? at : from;
}

static void follow_all(dj_follow *follow, csh handle, cs_insn *insn, const dj_subprogram *function)
{
    uint64_t pc;
    follow->from = behind_call(follow, handle, insn, function);
    follow->now = (dj_known){0};
    dj_follow_begin(follow, handle, insn, function, &pc);
    while (pc < follow->from && dj_follow_at(follow, handle, insn, pc))
        pc = follow->next;
    follow->now.values[DJ_REGISTER_RAX] = (dj_value){.kind = DJ_VALUE_BLOCK};
    follow->next = follow->from;
    follow_registers(follow);
    pc = follow->from;
    for (unsigned step = 0; step < STEPS_MOST && follow->best.merit < DJ_MERIT_BEST; step++) {
        if (pc < function->lo || pc >= function->hi || !dj_follow_at(follow, handle, insn, pc))
            return;
        follow_registers(follow);
        pc = is_jump(handle, insn) ? branch(insn, follow->next) : follow->next;
    }
}

dj_holder dj_pointer_follow(dj_data *data, const dj_subprogram *function, uint64_t from)
{
    csh handle;
    dj_holder holder = {.from = from};
    if (data->module->machine != EM_X86_64 || cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
        return holder;
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    cs_insn *insn = cs_malloc(handle);
    dj_follow *follow =
        dj_footprint_array(&data->footprint, data->symbols->quiet, "values", 1, sizeof *follow);
    if (insn != NULL && follow != NULL) {
        *follow = (dj_follow){.data = data, .subprogram = function, .from = from};
        follow->locals = dj_locals_get(data, function);
        follow->function = dj_files_function(data->symbols, data->module->id, from - 1 - data->module->base);
        follow_all(follow, handle, insn, function);
        holder = follow->best;
        holder.from = follow->from;
    }
    dj_footprint_free(&data->footprint, follow, 1, sizeof *follow);
    if (insn != NULL)
        cs_free(insn, 1);
    cs_close(&handle);
    return holder;
}
