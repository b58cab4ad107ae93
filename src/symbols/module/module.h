// SPDX-License-Identifier: MIT
// Internals of symbols: the object files, opened on first use, and what both code and data symbols keep of
// them.
//
// Addresses here are those of the ELF file: an offset of symbols.h plus `base`.
#ifndef DEJA_SYMBOLS_MODULE_MODULE_H
#define DEJA_SYMBOLS_MODULE_MODULE_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "symbols/files.h"
#include "symbols/numbered.h"
#include "symbols/string_pool.h"
#include "symbols/symbols.h"

typedef struct dj_module_code dj_module_code; // of code symbols

// One ELF file, open.
typedef struct dj_elf {
    int fd;
    Elf *elf; // NULL: there is none
} dj_elf;

typedef struct dj_module {
    uint32_t id;
    char *path;
    char *identity;             // of the file that was loaded; "": unknown
    enum dj_module_state state; // of its file; valid if `opened`
    struct dj_symbols *symbols; // that it belongs to
    char *found;                // path of `file`, if it was found elsewhere; otherwise NULL
    char *reason;               // why `file` or `debug` could not be read; NULL: nothing was in the way
    bool only_debug;            // `file` is a debug file: it has no code
    bool opened, dwarf_opened;  // whether it was tried
    dj_elf file;                // the loaded file, with the code; elf is NULL if it cannot be read
    dj_elf debug;               // the separate debug file; elf is NULL if there is none
    Dwarf *dwarf;               // of one of them; use dj_module_dwarf
    uint64_t dwarf_bytes;       // of the file that contains it, decompressed: no part of it has more entries
    uint64_t base;              // page of the lowest loadable segment
    uint64_t end;               // of the highest
    int machine;                // EM_X86_64, …

    dj_module_code *code; // created when first needed
    void *data;           // of data symbols, created when first needed
    void (*data_destroy)(void *data);

    struct dj_remote_module *remote; // what a helper process has answered about it
} dj_module;

struct dj_symbols {
    dj_module **modules; // by id; NULL if not registered
    size_t module_count;
    char **folders; // where to look for files
    size_t folder_count, folder_capacity;
    bool code_only;             // debug information is not read
    uint64_t debuginfod_waited; // nanoseconds, for debuginfod
    dj_string_pool text;
    dj_numbered functions;    // dj_function_info
    dj_numbered loops;        // dj_loop_info
    dj_numbered variables;    // of data symbols, which sets row_bytes before it adds the first
    dj_context *quiet;        // for failures that are not errors: there is just no information
    struct dj_client *client; // NULL: files are read in this process
};

// The module, with its file open; NULL if it was not registered or cannot be read.
dj_module *dj_module_get(dj_symbols *symbols, uint32_t id);
// Its DWARF, from the file itself or the separate debug file; NULL: none. Valid until the symbols are
// destroyed.
Dwarf *dj_module_dwarf(dj_module *module);
// Another handle to the same, to be closed with dwarf_end, which frees everything read through it.
Dwarf *dj_module_dwarf_again(dj_module *module);
void dj_module_close(dj_module *module); // frees it and everything it owns

// The bytes of the loaded file at an address: a pointer into the file, and in *rest the number of bytes
// that follow in the same segment. NULL: not in the file.
const uint8_t *dj_module_bytes(const dj_module *module, uint64_t address, uint64_t *rest);

int dj_symbols_add_folder(dj_symbols *symbols, dj_context *context, const char *folder);

// A string that lives as long as the symbols; never NULL ("" if out of memory).
const char *dj_symbols_keep(dj_symbols *symbols, const char *string);

// The path of the file that an attribute (DW_AT_decl_file, DW_AT_call_file) refers to; "" for NULL. libdw's
// own function treats file 0 as none, which is wrong in DWARF 5.
const char *dj_symbols_file_attribute(dj_symbols *symbols, Dwarf_Attribute *attribute);

// Opens the file of a module: the one at its path or, if that is another one, one of the same build
// elsewhere. Sets `file`, `found`, `only_debug` and `state`.
void dj_module_find_file(dj_module *module);
// Finds and opens the separate debug file of a module (build id, .gnu_debuglink).
void dj_module_find_debug(dj_module *module);

// A file that may belong to a module. True: it does, and is open.
typedef bool dj_try_file(dj_module *module, const char *path);
// Tries where debug files, or with `debug` false other files, of a build are in a folder: .build-id/xx/yyyy
// and xx/yyyy. `build` are the digits of its build ID.
bool dj_try_build_id(dj_module *module, const char *folder, const char *build, bool debug,
                     dj_try_file *try_it);

// Downloads a file of a build from the servers of DEBUGINFOD_URLS, through libdebuginfod if it is there: the
// path in its cache, freed with free(); NULL: none.
char *dj_debuginfod_find(dj_symbols *symbols, const char *build, bool debug);

#define DJ_DEBUG_FOLDER "/usr/lib/debug"

// Why a file is not open, besides the values of errno.
enum {
    DJ_ELF_BROKEN = -1,    // not an ELF file, or a truncated one
    DJ_ELF_IRREGULAR = -2, // a folder or a device
    DJ_ELF_LARGE = -3,     // it has more than DJ_ELF_GIB_MOST
    DJ_ELF_CODELESS = -4,  // a debug file in place of the file itself
};

enum { DJ_ELF_GIB_MOST = 4 };

// Reads a regular file of ELF into memory, so that it does not change while it is used; a mapped file that
// is truncated raises SIGBUS. Returns 0, or why it cannot be read; then `elf` is closed.
int dj_elf_open(dj_elf *elf, const char *path);
// Keeps why a file of a module could not be read, if there is one at all.
void dj_module_note(dj_module *module, const char *path, int why);
void dj_module_forget(dj_module *module); // what was noted: another file was found
// Whether the file contains all that the program loads of it.
bool dj_elf_has_segments(Elf *elf);
void dj_elf_close(dj_elf *elf);

#endif
