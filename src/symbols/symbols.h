// SPDX-License-Identifier: MIT
// Symbols of object files: from an offset in a module to function, file, line, inline chain and loop; from
// an address to a variable and its element. Reads ELF and DWARF through libdw, as late as possible. An
// offset is relative to the load address of the module, which is the page of its lowest loadable segment. A
// module that cannot be read, or has no debug information, answers with what there is; that is never an
// error.
//
// Not thread-safe. Strings live as long as the symbols.
#ifndef DEJA_SYMBOLS_SYMBOLS_H
#define DEJA_SYMBOLS_SYMBOLS_H

#include <deja/attribution.h>

typedef struct dj_symbols dj_symbols;

// How to read files. All zero: in this process, and of debug files only those of the system.
typedef struct dj_symbols_options {
    // Read in a helper process (deja-symbols), which starts with the first module. It takes crashes of libdw
    // and its lack of memory upon itself. Without effect if that program is not installed.
    bool helped;
    const char *const *folders; // of --symbols: where else to look for a file that is missing or has changed
    size_t folder_count;
} dj_symbols_options;

// `options` may be NULL, and is copied.
int dj_symbols_create(dj_context *context, const dj_symbols_options *options, dj_symbols **out);
void dj_symbols_destroy(dj_symbols *symbols);

// Call it before the first module: only the control flow of functions will be asked for.
void dj_symbols_use_flow_only(dj_symbols *symbols);

// Why there are no further answers: the helper process ran out of memory, crashed or could not start. NULL:
// nothing is missing. What was answered before stays valid; everything else is unknown.
const char *dj_symbols_fault(const dj_symbols *symbols);
// Fails if memory for an answer ran out in this process: answers are missing.
int dj_symbols_check(const dj_symbols *symbols, dj_context *context);

// Registers the file of module `id` (ids are small numbers), with the identity (base/identity.h) of the file
// that was loaded, "" if unknown. A file with another identity is not used. Reads nothing yet.
int dj_symbols_add_module(dj_symbols *symbols, dj_context *context, uint32_t id, const char *path,
                          const char *identity);

typedef struct dj_module_info {
    const char *path;
    enum dj_module_state state;
    bool has_lines;     // it has line tables
    bool has_types;     // it has variables and types
    bool has_symbols;   // it has a symbol table; otherwise functions come from .eh_frame
    const char *reason; // why its file or its debug file cannot be read; "": nothing is in the way
} dj_module_info;

dj_module_info dj_symbols_module(dj_symbols *symbols, uint32_t id);

// --- code -------------------------------------------------------------------

typedef struct dj_function_info {
    const char *name; // demangled; "0x1234 in libx.so" if it has none
    const char *file; // "": unknown
    uint32_t line;
    uint32_t module;
    uint64_t lo, hi; // offsets
    uint32_t origin; // the function of which the compiler made this copy for some callers; or itself
    bool stub;       // only leads to another function: in the procedure linkage table, or behind it
} dj_function_info;

// The function (not an inlined one) that contains an offset: numbers from 1; 0: unknown. Fast enough to be
// called once for every site.
uint32_t dj_symbols_function(dj_symbols *symbols, uint32_t id, uint64_t offset);
const dj_function_info *dj_symbols_function_info(const dj_symbols *symbols, uint32_t function);
// Finds all functions with that name (linkage or demangled, with or without parameters) in the module;
// returns their number, and at most `most` of them in `out`.
size_t dj_symbols_find_function(dj_symbols *symbols, uint32_t id, const char *name, uint32_t *out,
                                size_t most);

typedef struct dj_code_frame {
    const char *function;  // demangled
    const char *file;      // a path that can be opened, if possible; "": unknown
    uint32_t line, column; // of the instruction in frame 0, of the inlined call in the others
} dj_code_frame;

enum { DJ_CODE_FRAMES_MOST = 32 };

// How a load belongs to a chain of loads, in which each address comes from the value before.
enum dj_chain {
    DJ_CHAIN_NONE,
    DJ_CHAIN_BESIDE,  // its address comes from a link, but no further link from it: p->value
    DJ_CHAIN_GUESSED, // a link, but a branch is between it and the next, which the processor may guess
    DJ_CHAIN_LINK,    // p = p->next
};

typedef struct dj_code {
    uint32_t function;    // number of the function that contains it, 0 unknown
    uint32_t loop;        // number of the innermost loop, 0: none or unknown
    uint32_t chain;       // enum dj_chain
    uint32_t frame_count; // at least 1: innermost inlined function first, the real one last
    dj_code_frame frames[DJ_CODE_FRAMES_MOST];
} dj_code;

int dj_symbols_code(dj_symbols *symbols, dj_context *context, uint32_t id, uint64_t offset, dj_code *out);

// Many queries at once are faster than single ones.
enum { DJ_QUERIES_MOST = 128 };

typedef struct dj_code_query {
    uint64_t offset;
    uint32_t module;
    bool chain; // also finds how it belongs to a chain, which takes longer
} dj_code_query;

// At most DJ_QUERIES_MOST.
int dj_symbols_codes(dj_symbols *symbols, dj_context *context, const dj_code_query *queries, size_t count,
                     dj_code *out);

// What line tables know about the statement of an instruction.
typedef struct dj_statement_info {
    const char *file; // the same pointer for the same name
    uint32_t line;
    bool exact;   // the compiler reports that it did not optimize: code follows the source, and variables are
                  // in memory
    bool repeats; // a string instruction with a prefix, which makes many accesses
    bool stores;  // the instruction only writes memory, as far as known
    bool returns_nothing; // the function
} dj_statement_info;

// False: unknown.
bool dj_symbols_statement(dj_symbols *symbols, uint32_t id, uint64_t offset, dj_statement_info *out);

typedef struct dj_loop_info {
    uint32_t function;
    uint32_t parent; // number of the enclosing loop in this function, 0: none
    uint32_t depth;  // 1: outermost
    const char
        *inlined; // name of the inlined function in which it was written; NULL: it is in `function` itself
    const char *file;
    uint32_t first_line, last_line; // 0 when unknown
    uint64_t header;                // offset of its first instruction
} dj_loop_info;

// The loop that starts an iteration whenever control passes through the block of code at this offset, 0:
// none; and the block, identified by its first address.
uint32_t dj_symbols_latch(dj_symbols *symbols, uint32_t id, uint64_t offset, uint64_t *block);

// The control flow of the function at this offset, in numbers: offset of its entry, number of blocks of code
// and of loops; of each block, by address, its first offset, the offset after it, the innermost loop (counted
// from 1; 0: none; plus 2^32 if the block certainly accesses memory), the number of its successors and their
// indexes; of each loop its parent (0: none), depth (from 1), the block that is its header, and the offset of
// that. Without loops there are no blocks. Jumps with unknown targets lead to the last block, which is empty,
// and from there to all that nothing else leads to. NULL: unknown. Kept as long as the symbols.
const uint64_t *dj_symbols_flow(dj_symbols *symbols, uint32_t id, uint64_t offset, size_t *count);

const dj_loop_info *dj_symbols_loop_info(const dj_symbols *symbols, uint32_t loop);

// --- data -------------------------------------------------------------------

// A variable and its extent: offsets in the module, or bytes from the canonical frame address.
typedef struct dj_extent {
    int64_t lo, hi;    // [lo, hi)
    uint32_t variable; // numbers from 1
} dj_extent;

typedef struct dj_variable_info {
    const char *name; // "grid"; not "config.tables": dj_symbols_element names elements
    const char *type; // "double [100][200]"; "": unknown
    const char *file; // "": unknown
    uint32_t line;
    uint32_t module;
    uint32_t function; // that it is local to; 0: not local
    uint64_t bytes;
} dj_variable_info;

// The variable with static storage (C, C++, Fortran module arrays, members of COMMON) at an offset; from
// the symbol table if there is no DWARF. If there is none, false, and *out has the extent without
// variables.
bool dj_symbols_global(dj_symbols *symbols, uint32_t module, uint64_t offset, dj_extent *out);
// The local variable of a function at `cfa_offset` bytes from the canonical frame address (below it:
// negative) when the program is at `pc` (an offset). False as above.
bool dj_symbols_local(dj_symbols *symbols, uint32_t function, uint64_t pc, int64_t cfa_offset,
                      dj_extent *out);
const dj_variable_info *dj_symbols_variable_info(const dj_symbols *symbols, uint32_t variable);

// Writes the name of `bytes` bytes at byte `offset` of a variable, without the variable's name: "[3][7]",
// "[12].vel[2]", ".count", "(3,7)" for Fortran, "" for a scalar or unknown; truncated to fit. With
// `any_index` every index is "*". 0 bytes: the size is unknown; then the first matching member of a union
// is chosen.
void dj_symbols_element(dj_symbols *symbols, uint32_t variable, uint64_t offset, uint64_t bytes,
                        bool any_index, char *text, size_t capacity);

enum { DJ_ELEMENT_CAPACITY = 512 };

typedef struct dj_element_query {
    uint64_t offset, bytes;
    uint32_t variable; // 0: none, the answer is ""
    bool any_index;
} dj_element_query;

// The same, for any number.
void dj_symbols_elements(dj_symbols *symbols, const dj_element_query *queries, size_t count,
                         char (*text)[DJ_ELEMENT_CAPACITY]);

// The pointer that a heap block was first stored in, by the code after its allocation: a variable whose
// elements are those of the block ("a" of type double *: element "[3]"); 0 if DWARF does not describe it.
// `offset` is that of the call, or its return address.
uint32_t dj_symbols_pointer(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset);
// Whether the function there only returns the block as its own result (such as xmalloc): then its caller
// has the pointer.
bool dj_symbols_pointer_returned(dj_symbols *symbols, dj_context *context, uint32_t module, uint64_t offset);

#endif
