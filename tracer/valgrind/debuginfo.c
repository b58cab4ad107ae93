// SPDX-License-Identifier: MIT
// The core reads the debug information of every object file at start: it takes
// long, some forms of it (DWARF 5 of clang) make Valgrind 3.19 give up, and the
// tracer needs nothing but names of functions, which come from symbol tables.
// The core is linked with --wrap so that its readers do nothing. They are called
// with arguments, which the callers take back.
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);
void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void);

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void)
{
}

void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void)
{
}
