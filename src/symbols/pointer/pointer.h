// SPDX-License-Identifier: MIT
// Internals of data symbols: following the result of an allocation through the code after it, to the
// variable that holds it. Registers have their DWARF numbers.
#ifndef DEJA_SYMBOLS_POINTER_POINTER_H
#define DEJA_SYMBOLS_POINTER_POINTER_H

#include <capstone/capstone.h>

#include "symbols/data/data.h"

enum dj_value_kind {
    DJ_VALUE_NONE,    // nothing is known
    DJ_VALUE_BLOCK,   // the address of the heap block, plus offset
    DJ_VALUE_ADDRESS, // the address of something with a name, plus offset
    DJ_VALUE_RESULT,  // the result of another call, plus offset; a variable may later hold it
};

typedef struct dj_value {
    enum dj_value_kind kind;
    int64_t offset;
    uint64_t call;     // of a result: the return address
    bool target;       // of what the named pointer points to, not of the named variable itself
    bool any;          // plus an unknown index
    dj_type *type;     // of the variable, or of what it points to
    uint32_t variable; // that the name starts with
    const char *name;  // interned, so that equal names are the same string
} dj_value;

enum {
    DJ_REGISTER_RAX = 0,
    DJ_REGISTER_RSP = 7,
    DJ_REGISTER_RIP = 16,
    DJ_REGISTER_XMM0 = 17,
    DJ_REGISTER_COUNT = 33,
    DJ_SPILLS_MOST = 16,
};

// A value in the frame.
typedef struct dj_spill {
    int64_t cfa_offset;
    dj_value value;
} dj_spill;

// What is known at one point of the code.
typedef struct dj_known {
    bool reached;
    dj_value values[DJ_REGISTER_COUNT];
    dj_spill spills[DJ_SPILLS_MOST];
    size_t spill_count;
} dj_known;

enum { DJ_MERIT_UNTYPED = 1, DJ_MERIT_INLINED, DJ_MERIT_BEST };

// What holds the block.
typedef struct dj_holder {
    dj_value place; // named; kind is DJ_VALUE_NONE: not found
    dj_type *type;  // of the pointer or descriptor
    int64_t offset; // of where it points to in the block
    unsigned merit; // 0: nothing was found; DJ_MERIT_…
    bool returned;  // the function returns it to its caller
    uint64_t from;  // the return address of the call
} dj_holder;

typedef struct dj_follow {
    dj_data *data;
    const dj_subprogram *subprogram;
    dj_locals *locals; // NULL: none
    uint32_t function;
    uint64_t from; // the return address of the allocation
    uint64_t pc;   // of the instruction
    uint64_t next; // of the next one
    dj_known now;
    dj_holder best;
} dj_follow;

// What is at a value plus `offset`: its type, and its name in *builder. An unknown type if none is known.
dj_type *dj_value_part(dj_data *data, const dj_value *value, int64_t offset, dj_string_builder *builder);
// The value that a load from there returns.
dj_value dj_value_load(dj_data *data, const dj_value *from, int64_t offset);
// The value of a register: what the code stored there, or the variable that DWARF has there.
dj_value dj_value_register(dj_follow *follow, int reg);
// Names a result by a variable: one that DWARF has in a register with the same result or, with `declared`,
// one that is declared on the line of the call.
dj_value dj_value_named(dj_follow *follow, dj_value value, bool declared);
// The sum of two values, one of which is an index.
dj_value dj_value_indexed(const dj_value *a, const dj_value *b);
// The address of a variable with static storage, and of a local one.
dj_value dj_value_static(dj_follow *follow, uint64_t address);
dj_value dj_value_local(dj_follow *follow, int64_t cfa_offset);

// Interprets one instruction. False if nothing can be learned after it.
bool dj_follow_step(dj_follow *follow, csh handle, const cs_insn *insn);
// The block was stored there, or is in a register of a variable.
void dj_follow_store(dj_follow *follow, const dj_value *place, const dj_value *block);

// What is known at the start of the basic block of a call, on all paths that lead to it; `start` is that
// address. Nothing is known if the function is too large.
void dj_follow_begin(dj_follow *follow, csh handle, cs_insn *insn, const dj_subprogram *function,
                     uint64_t *start);
// Interprets the instruction at `pc` and returns its end; false if there is none or nothing can be learned
// after it.
bool dj_follow_at(dj_follow *follow, csh handle, cs_insn *insn, uint64_t pc);

// What first holds the block that a call returns; `from` is an address within the call, or its return
// address.
dj_holder dj_pointer_follow(dj_data *data, const dj_subprogram *function, uint64_t from);

// The only pointer to a known type that is declared on the line of a call, or where the call was inlined;
// 0: none.
uint32_t dj_pointer_declared(dj_data *data, const dj_subprogram *function, uint64_t call);

#endif
