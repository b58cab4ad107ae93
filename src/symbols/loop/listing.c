// SPDX-License-Identifier: MIT
// The instructions of a function and where control may go after each.
#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "symbols/loop/loop.h"

// Larger functions have no loops of interest.
enum { CODE_BYTES_MOST = 1 << 21 };

static int add_row(dj_listing *listing, dj_context *context, dj_instruction row)
{
    int err = dj_grow(context, "the instructions of a function", &listing->rows, &listing->capacity,
                      listing->count + 1, sizeof *listing->rows);
    if (err)
        return err;
    listing->rows[listing->count++] = row;
    return DJ_OK;
}

// Whether a call of the function never returns.
static bool is_last_call(const dj_module *module, uint64_t target)
{
    static const char *const names[] = {"abort",
                                        "exit",
                                        "_exit",
                                        "_Exit",
                                        "quick_exit",
                                        "__assert_fail",
                                        "__assert_perror_fail",
                                        "__stack_chk_fail",
                                        "__chk_fail",
                                        "__fortify_fail",
                                        "__cxa_throw",
                                        "__cxa_rethrow",
                                        "__cxa_bad_cast",
                                        "__cxa_throw_bad_array_new_length",
                                        "__cxa_pure_virtual",
                                        "_Unwind_Resume",
                                        "__clang_call_terminate",
                                        "_ZSt9terminatev",
                                        "longjmp",
                                        "siglongjmp",
                                        "_longjmp",
                                        "__longjmp_chk",
                                        "err",
                                        "errx",
                                        "verr",
                                        "verrx",
                                        "pthread_exit",
                                        "__libc_fatal",
                                        "__malloc_assert",
                                        "__libc_start_call_main",
                                        "_dl_signal_error",
                                        "_dl_fatal_printf",
                                        "_gfortran_stop_string",
                                        "_gfortran_stop_numeric",
                                        "_gfortran_error_stop_string",
                                        "_gfortran_error_stop_numeric",
                                        "_gfortran_runtime_error",
                                        "_gfortran_runtime_error_at",
                                        "_gfortran_os_error",
                                        "_gfortran_os_error_at"};
    const dj_range *span = dj_ranges_find(&module->code->functions, target);
    const dj_function_entry *entry = span ? &module->code->entries.rows[span->item] : NULL;
    if (!entry || !entry->symbol || entry->lo != target)
        return false;
    size_t length = strcspn(entry->symbol, "@");
    if (strncmp(entry->symbol, "_ZSt", 4) == 0 && strstr(entry->symbol, "__throw_"))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(entry->symbol, names[i], length) == 0)
            return true;
    return false;
}

// Of a jump or call with an immediate operand.
static uint64_t direct_target(const cs_insn *insn)
{
    return insn->op_str[0] == '0' ? strtoull(insn->op_str, NULL, 0) : 0;
}

// "lea table(%rip), %register"
static uint64_t formed_address(const cs_insn *insn)
{
    int32_t distance = 0;
    if (insn->size != 7 || (insn->bytes[2] & 0xc7) != 0x05)
        return 0;
    memcpy(&distance, insn->bytes + 3, sizeof distance);
    return insn->address + insn->size + (uint64_t)(int64_t)distance;
}

static bool accesses_memory(const cs_insn *insn)
{
    static const char *const never[] = {"lea", "nop", "prefetch", "cl", "bnd", "invlpg"};
    switch (insn->id) {
    case X86_INS_PUSH:
    case X86_INS_POP:
    case X86_INS_LEAVE:
    case X86_INS_CALL:
    case X86_INS_RET:
        return true;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strncmp(insn->mnemonic, never[i], strlen(never[i])) == 0)
            return false;
    return strchr(insn->op_str, '[') != NULL;
}

static void classify(const dj_module *module, const cs_insn *insn, dj_instruction *row)
{
    row->accesses = accesses_memory(insn);
    switch (insn->id) {
    case X86_INS_JMP:
        row->target = direct_target(insn);
        row->flow = row->target ? DJ_FLOW_JUMP : DJ_FLOW_INDIRECT;
        break;
    case X86_INS_JAE:
    case X86_INS_JA:
    case X86_INS_JBE:
    case X86_INS_JB:
    case X86_INS_JCXZ:
    case X86_INS_JECXZ:
    case X86_INS_JE:
    case X86_INS_JGE:
    case X86_INS_JG:
    case X86_INS_JLE:
    case X86_INS_JL:
    case X86_INS_JNE:
    case X86_INS_JNO:
    case X86_INS_JNP:
    case X86_INS_JNS:
    case X86_INS_JO:
    case X86_INS_JP:
    case X86_INS_JRCXZ:
    case X86_INS_JS:
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
    case X86_INS_XBEGIN:
        row->target = direct_target(insn);
        row->flow = DJ_FLOW_BRANCH;
        break;
    case X86_INS_RET:
    case X86_INS_RETF:
    case X86_INS_HLT:
    case X86_INS_UD2:
    case X86_INS_INT3:
        row->flow = DJ_FLOW_END;
        break;
    case X86_INS_CALL:
        row->call = true;
        if (is_last_call(module, direct_target(insn)))
            row->flow = DJ_FLOW_END;
        break;
    case X86_INS_NOP:
        row->idle = true;
        break;
    case X86_INS_LEA:
        row->target = formed_address(insn);
        break;
    default:
        break;
    }
}

static int read_part(dj_symbols *symbols, const dj_module *module, csh handle, cs_insn *insn,
                     const dj_range *part, dj_listing *out)
{
    uint64_t rest = 0, address = part->lo;
    const uint8_t *bytes = dj_module_bytes(module, address, &rest);
    size_t left = (size_t)(part->hi - part->lo < rest ? part->hi - part->lo : rest);
    while (bytes && left > 0) {
        dj_instruction row = {.address = address, .bytes = 1};
        if (cs_disasm_iter(handle, &bytes, &left, &address, insn)) {
            row.bytes = (uint8_t)insn->size;
            classify(module, insn, &row);
        } else { // data, or an unknown instruction
            bytes++;
            left--;
            address++;
        }
        int err = add_row(out, symbols->quiet, row);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int sort_formed(dj_symbols *symbols, dj_listing *listing)
{
    size_t count = 0;
    for (size_t i = 0; i < listing->count; i++)
        count += listing->rows[i].flow == DJ_FLOW_ON && listing->rows[i].target != 0;
    if (count == 0)
        return DJ_OK;
    listing->formed = malloc(count * sizeof *listing->formed);
    if (!listing->formed)
        return dj_fail_memory(symbols->quiet, "the instructions of a function",
                              count * sizeof *listing->formed);
    for (size_t i = 0; i < listing->count; i++)
        if (listing->rows[i].flow == DJ_FLOW_ON && listing->rows[i].target != 0)
            listing->formed[listing->formed_count++] = listing->rows[i].target;
    qsort(listing->formed, count, sizeof *listing->formed, by_value);
    return DJ_OK;
}

int dj_listing_read(dj_symbols *symbols, dj_module *module, const dj_ranges *parts, dj_listing *out)
{
    csh handle = 0;
    uint64_t sum = 0;
    int err = DJ_OK;
    for (size_t i = 0; i < parts->count; i++)
        sum += parts->rows[i].hi - parts->rows[i].lo;
    if (module->machine != EM_X86_64 || sum > CODE_BYTES_MOST)
        return DJ_OK;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
        return dj_fail_memory(symbols->quiet, "a disassembler", 0);
    cs_insn *insn = cs_malloc(handle);
    for (size_t i = 0; insn && err == DJ_OK && i < parts->count; i++)
        err = read_part(symbols, module, handle, insn, &parts->rows[i], out);
    if (insn)
        cs_free(insn, 1);
    cs_close(&handle);
    return err != DJ_OK ? err : sort_formed(symbols, out);
}

void dj_listing_free(dj_listing *listing)
{
    free(listing->rows);
    free(listing->formed);
    *listing = (dj_listing){0};
}

dj_instruction *dj_listing_find(const dj_listing *listing, uint64_t address)
{
    size_t lo = 0, hi = listing->count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (listing->rows[middle].address <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    dj_instruction *found = lo > 0 ? &listing->rows[lo - 1] : NULL;
    return found && address < found->address + found->bytes ? found : NULL;
}
