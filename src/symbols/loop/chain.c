// SPDX-License-Identifier: MIT
// Chains of loads: those whose address derives from a value that the same instruction, or a cycle of
// instructions, loaded before, as in p = p->next, x = next[x], and the descent of a tree. Each such miss
// waits for the one before. So do those of a binary search, whose address a branch decides that is hard to
// guess: one within a loop, not one that leaves it.
//
// For every register, and every word of the frame that code names by rbp or rsp, the loads are followed from
// whose values it derives without a further load: a set of loads, merged where control flow joins. The loads
// from which an address derives make a graph, and a chain is a cycle in it. A call of the function by itself
// leads to its entry. All of that happens again with what branches decide.
#include "symbols/loop/chain.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum {
    FLAGS = 16, // after the general registers
    FIRST_SLOT = 17,
    CELLS = 64, // registers, flags and words of the frame
    LOADS_MOST = 512,
    WORDS_MOST = 1 << 19, // of all sets
    PASSES_MOST = 24,
    CALL_AHEAD = 6, // instructions from a call of the tracer to the load that it reports
};

#define BIT(cell) (UINT64_C(1) << (cell))
#define NO_LOAD UINT32_MAX
#define NONE UINT32_MAX
// rdi, rsi, rdx, rcx, r8, r9; and with rax, r10, r11 those that a call changes.
#define ARGUMENTS (BIT(7) | BIT(6) | BIT(2) | BIT(1) | BIT(8) | BIT(9))
#define SCRATCH (ARGUMENTS | BIT(0) | BIT(10) | BIT(11) | BIT(FLAGS))

typedef struct dj_chain_step {
    uint64_t from, to; // cells that are read and written
    uint64_t address;  // cells of the address of the load
    uint32_t load;     // its number, or NO_LOAD
    bool call, own;    // calls a function, or this one
    uint64_t lo;
    uint8_t bytes;
} dj_chain_step;

typedef struct dj_chains {
    dj_symbols *symbols;
    const dj_module *module;
    const dj_graph *graph;
    uint64_t entry;
    dj_chain_step *steps;
    size_t step_count, step_capacity;
    size_t *first; // step of each block, and the end
    int64_t slots[CELLS - FIRST_SLOT];
    size_t slot_count, load_count;
    size_t width;      // words of a set
    uint64_t *in;      // [block][cell]: sets at its beginning
    uint64_t *now;     // [cell]
    uint64_t *address; // [load]
    uint64_t *flags;   // [block]: at its end
    uint32_t *arm_of;  // [block]: the branch that decides whether it runs, or NONE
    uint32_t entry_block;
    bool changed, guesses; // guesses: what branches decide counts, too
} dj_chains;

// The number of a general register or of a part of it, in the order of their codes; −1 for others.
static int register_cell(unsigned reg)
{
    static const unsigned names[][5] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL},
        {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_R8B},
        {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_R9B},
        {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_R10B},
        {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_R11B},
        {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_R12B},
        {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_R13B},
        {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_R14B},
        {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_R15B},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < 5; k++)
            if (names[i][k] == reg)
                return (int)i;
    return reg == X86_REG_EFLAGS ? FLAGS : -1;
}

static uint64_t register_bit(unsigned reg)
{
    const int cell = register_cell(reg);
    return cell >= 0 ? BIT(cell) : 0;
}

// The cell of a word of the frame; −1: the operand is none, or there are too many.
static int frame_cell(dj_chains *c, const x86_op_mem *memory)
{
    const bool framed = memory->base == X86_REG_RBP || memory->base == X86_REG_RSP;
    if (!framed || memory->index != X86_REG_INVALID || memory->segment != X86_REG_INVALID)
        return -1;
    const int64_t slot = memory->disp * 2 + (memory->base == X86_REG_RSP);
    for (size_t i = 0; i < c->slot_count; i++)
        if (c->slots[i] == slot)
            return FIRST_SLOT + (int)i;
    if (c->slot_count == CELLS - FIRST_SLOT)
        return -1;
    c->slots[c->slot_count] = slot;
    return FIRST_SLOT + (int)c->slot_count++;
}

static bool is_stack_instruction(unsigned id)
{
    return id == X86_INS_PUSH || id == X86_INS_POP || id == X86_INS_CALL || id == X86_INS_RET ||
           id == X86_INS_LEAVE;
}

static void add_memory(dj_chains *c, const cs_insn *insn, const cs_x86_op *operand, dj_chain_step *step)
{
    const uint64_t address = register_bit(operand->mem.base) | register_bit(operand->mem.index);
    if (insn->id == X86_INS_LEA) {
        step->from |= address;
        return;
    }
    const int cell = frame_cell(c, &operand->mem);
    if (cell >= 0) {
        step->from |= operand->access & CS_AC_READ ? BIT(cell) : 0;
        step->to |= operand->access & CS_AC_WRITE ? BIT(cell) : 0;
    } else if (operand->access & CS_AC_READ && !is_stack_instruction(insn->id) &&
               c->load_count < LOADS_MOST) {
        step->load = (uint32_t)c->load_count++;
        step->address = address;
    }
}

static void add_register(const cs_x86_op *operand, dj_chain_step *step)
{
    const uint64_t bit = register_bit(operand->reg);
    step->to |= operand->access & CS_AC_WRITE ? bit : 0;
    // Writing a half or a byte keeps the rest.
    if (operand->access & CS_AC_READ || operand->size < 4)
        step->from |= bit;
}

// xor %eax, %eax and the like.
static bool is_zeroing(const cs_insn *insn)
{
    const cs_x86_op *operand = insn->detail->x86.operands;
    return (insn->id == X86_INS_XOR || insn->id == X86_INS_SUB) && operand[0].type == X86_OP_REG &&
           operand[1].type == X86_OP_REG && operand[0].reg == operand[1].reg;
}

static dj_chain_step read_step(dj_chains *c, const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    dj_chain_step step = {.load = NO_LOAD, .lo = insn->address, .bytes = (uint8_t)insn->size};
    step.call = insn->id == X86_INS_CALL;
    step.own = step.call && x86->operands[0].type == X86_OP_IMM && (uint64_t)x86->operands[0].imm == c->entry;
    for (uint8_t i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM)
            add_memory(c, insn, &x86->operands[i], &step);
        else if (x86->operands[i].type == X86_OP_REG)
            add_register(&x86->operands[i], &step);
    for (uint8_t i = 0; i < insn->detail->regs_read_count; i++)
        step.from |= register_bit(insn->detail->regs_read[i]);
    for (uint8_t i = 0; i < insn->detail->regs_write_count; i++)
        step.to |= register_bit(insn->detail->regs_write[i]);
    if (is_zeroing(insn))
        step.from = 0;
    step.to &= ~register_bit(X86_REG_RSP);
    return step;
}

static int read_block(dj_chains *c, csh handle, cs_insn *insn, const dj_block *block)
{
    uint64_t rest = 0, address = block->lo;
    const uint8_t *bytes = dj_module_bytes(c->module, address, &rest);
    size_t left = (size_t)(block->hi - block->lo < rest ? block->hi - block->lo : rest);
    while (bytes && left > 0) {
        if (!cs_disasm_iter(handle, &bytes, &left, &address, insn)) {
            bytes++;
            left--;
            address++;
            continue;
        }
        int err = dj_grow(c->symbols->quiet, "the loads of a function", &c->steps, &c->step_capacity,
                          c->step_count + 1, sizeof *c->steps);
        if (err)
            return err;
        c->steps[c->step_count++] = read_step(c, insn);
    }
    return DJ_OK;
}

static int read_steps(dj_chains *c)
{
    csh handle = 0;
    int err = DJ_OK;
    c->first = calloc(c->graph->block_count + 1, sizeof *c->first);
    if (!c->first)
        return dj_fail_memory(c->symbols->quiet, "the loads of a function", c->graph->block_count);
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
        return dj_fail_memory(c->symbols->quiet, "a disassembler", 0);
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    cs_insn *insn = cs_malloc(handle);
    for (size_t i = 0; insn && !err && i + 1 < c->graph->block_count; i++) {
        c->first[i] = c->step_count;
        if (c->graph->blocks[i].lo == c->entry)
            c->entry_block = (uint32_t)i;
        err = read_block(c, handle, insn, &c->graph->blocks[i]);
    }
    c->first[c->graph->block_count - 1] = c->first[c->graph->block_count] = c->step_count;
    if (insn)
        cs_free(insn, 1);
    cs_close(&handle);
    return err;
}

static uint64_t *set_in(const dj_chains *c, size_t block, unsigned cell)
{
    return c->in + (block * CELLS + cell) * c->width;
}

static void merge(dj_chains *c, uint64_t *to, const uint64_t *from)
{
    for (size_t i = 0; i < c->width; i++) {
        c->changed |= (from[i] & ~to[i]) != 0;
        to[i] |= from[i];
    }
}

static void merge_cells(dj_chains *c, uint64_t *to, uint64_t cells)
{
    for (; cells; cells &= cells - 1)
        merge(c, to, c->now + (size_t)__builtin_ctzll(cells) * c->width);
}

static void take_step(dj_chains *c, const dj_chain_step *step, const uint64_t *decided_by)
{
    uint64_t value[LOADS_MOST / 64] = {0};
    const bool changed = c->changed;
    merge_cells(c, value, step->from);
    if (decided_by)
        merge(c, value, decided_by);
    c->changed = changed;
    if (step->load != NO_LOAD) {
        merge_cells(c, c->address + step->load * c->width, step->address);
        value[step->load / 64] |= UINT64_C(1) << step->load % 64;
    }
    for (uint64_t cells = step->own ? ARGUMENTS : 0; cells; cells &= cells - 1) {
        const unsigned cell = (unsigned)__builtin_ctzll(cells);
        merge(c, set_in(c, c->entry_block, cell), c->now + cell * c->width);
    }
    if (step->call)
        memset(value, 0, sizeof value);
    for (uint64_t cells = step->call ? SCRATCH : step->to; cells; cells &= cells - 1)
        memcpy(c->now + (size_t)__builtin_ctzll(cells) * c->width, value, c->width * sizeof *value);
}

// Finds the blocks that run or not as a branch within a loop decides.
static void find_arms(dj_chains *c)
{
    const dj_graph *graph = c->graph;
    for (size_t i = 0; i < graph->block_count; i++)
        c->arm_of[i] = NONE;
    for (size_t i = 0; i < graph->block_count; i++) {
        const dj_block *block = &graph->blocks[i];
        const dj_edge *edges = graph->edges + block->first_edge;
        if (block->edge_count != 2 || !block->loop || edges[0].to == edges[1].to)
            continue;
        for (unsigned k = 0; k < 2; k++)
            if (graph->blocks[edges[0].to].loop == block->loop &&
                graph->blocks[edges[1].to].loop == block->loop)
                c->arm_of[edges[k].to] = (uint32_t)i;
    }
    // Not where other code leads to the block, too.
    for (size_t i = 0; i < graph->edge_count; i++)
        if (c->arm_of[graph->edges[i].to] != graph->edges[i].from)
            c->arm_of[graph->edges[i].to] = NONE;
}

// One pass over all blocks; true if a set has grown.
static bool pass(dj_chains *c)
{
    const size_t words = CELLS * c->width;
    c->changed = false;
    for (size_t i = 0; i < c->graph->block_count; i++) {
        const dj_block *block = &c->graph->blocks[i];
        memcpy(c->now, set_in(c, i, 0), words * sizeof *c->now);
        for (size_t k = c->first[i]; k < c->first[i + 1]; k++)
            take_step(c, &c->steps[k],
                      !c->guesses || c->arm_of[i] == NONE ? NULL : c->flags + c->arm_of[i] * c->width);
        merge(c, c->flags + i * c->width, c->now + FLAGS * c->width);
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): freed by dj_chains_find
        for (uint32_t k = 0; k < block->edge_count; k++)
            for (unsigned cell = 0; cell < FIRST_SLOT + c->slot_count; cell++)
                merge(c, set_in(c, c->graph->edges[block->first_edge + k].to, cell),
                      c->now + cell * c->width);
    }
    return c->changed;
}

static bool has(const uint64_t *set, size_t load)
{
    return set[load / 64] >> load % 64 & 1;
}

// Extends `reach`, a copy of the addresses, to everything that a load derives from through others.
static void close_over(const dj_chains *c, uint64_t *reach)
{
    for (size_t via = 0; via < c->load_count; via++)
        for (size_t load = 0; load < c->load_count; load++)
            if (has(reach + load * c->width, via))
                for (size_t i = 0; i < c->width; i++)
                    reach[load * c->width + i] |= reach[via * c->width + i];
}

// How a load belongs to a chain, as far as branches are not guessed.
static enum dj_chain chain_of(const dj_chains *c, const uint64_t *reach, size_t load)
{
    if (has(reach + load * c->width, load))
        return c->guesses ? DJ_CHAIN_GUESSED : DJ_CHAIN_LINK;
    for (size_t other = 0; other < c->load_count; other++)
        if (has(c->address + load * c->width, other) && has(reach + other * c->width, other))
            return c->guesses ? DJ_CHAIN_NONE : DJ_CHAIN_BESIDE;
    return DJ_CHAIN_NONE;
}

static int keep_step(const dj_chains *c, size_t at, enum dj_chain chain, dj_ranges *out)
{
    const dj_chain_step *step = &c->steps[at];
    int err = dj_ranges_add(out, c->symbols->quiet, step->lo, step->lo + step->bytes, chain);
    // Recompiled programs report a load by a call before it.
    for (size_t back = 1; !err && back <= CALL_AHEAD && back <= at; back++) {
        const dj_chain_step *call = &c->steps[at - back];
        if (call->load != NO_LOAD)
            break;
        if (call->call)
            return dj_ranges_add(out, c->symbols->quiet, call->lo, call->lo + call->bytes, chain);
    }
    return err;
}

static int keep_chains(const dj_chains *c, dj_ranges *out)
{
    const size_t bytes = c->load_count * c->width * sizeof *c->address;
    uint64_t *reach = malloc(bytes);
    if (!reach)
        return dj_fail_memory(c->symbols->quiet, "the loads of a function", bytes);
    memcpy(reach, c->address, bytes);
    close_over(c, reach);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < c->step_count; i++) {
        const uint32_t load = c->steps[i].load;
        const enum dj_chain chain = load == NO_LOAD ? DJ_CHAIN_NONE : chain_of(c, reach, load);
        if (chain != DJ_CHAIN_NONE)
            err = keep_step(c, i, chain, out);
    }
    free(reach);
    return err;
}

static int allocate(dj_chains *c)
{
    const size_t blocks = c->graph->block_count, words = blocks * CELLS * c->width;
    c->in = calloc(words, sizeof *c->in);
    c->now = calloc(CELLS * c->width, sizeof *c->now);
    c->address = calloc(c->load_count * c->width, sizeof *c->address);
    c->flags = calloc(blocks * c->width, sizeof *c->flags);
    c->arm_of = calloc(blocks, sizeof *c->arm_of);
    return c->in && c->now && c->address && c->flags && c->arm_of
               ? DJ_OK
               : dj_fail_memory(c->symbols->quiet, "the loads of a function", words * sizeof *c->in);
}

static int solve(dj_chains *c, dj_ranges *out)
{
    c->width = (c->load_count + 63) / 64;
    if (c->load_count == 0 || c->load_count == LOADS_MOST ||
        c->graph->block_count * CELLS * c->width > WORDS_MOST)
        return DJ_OK;
    int err = allocate(c);
    if (err)
        return err;
    find_arms(c);
    for (unsigned guesses = 0; !err && guesses < 2; guesses++) {
        c->guesses = guesses;
        for (unsigned i = 0; i < PASSES_MOST && pass(c);)
            i++;
        err = keep_chains(c, out);
    }
    return err ? err : dj_ranges_flatten(out, c->symbols->quiet);
}

int dj_chains_find(dj_symbols *symbols, const dj_module *module, const dj_graph *graph, uint64_t entry,
                   dj_ranges *out)
{
    dj_chains c = {.symbols = symbols, .module = module, .graph = graph, .entry = entry};
    int err = read_steps(&c);
    if (!err)
        err = solve(&c, out);
    free(c.steps);
    free(c.first);
    free(c.in);
    free(c.now);
    free(c.address);
    free(c.flags);
    free(c.arm_of);
    return err;
}
