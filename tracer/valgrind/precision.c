// SPDX-License-Identifier: MIT
// Valgrind stores the program counter before every access, in case of a fault there. That costs as much as
// our stream, and matters only to programs whose handler inspects the registers or resumes: they request
// details with SA_SIGINFO, and get exact registers from then on. Code without a file (generated at run time)
// always has the usual precision.
#include "tool.h"

enum { WITH_DETAILS = 4 }; // SA_SIGINFO

static Bool relaxed;

void dj_precision_begin(void)
{
    relaxed = VG_(clo_px_file_backed) == VexRegUpd_INVALID;
    if (relaxed)
        VG_(clo_px_file_backed) = VexRegUpdSpAtMemAccess;
}

// action: in the kernel's format, handler and flags first
void dj_precision_handled(Int signal, const UWord *action)
{
    Bool fault = signal == VKI_SIGSEGV || signal == VKI_SIGBUS || signal == VKI_SIGFPE ||
                 signal == VKI_SIGILL || signal == VKI_SIGTRAP;
    if (!relaxed || !fault || action[0] <= 1 || !(action[1] & WITH_DETAILS))
        return;
    relaxed = False;
    VG_(clo_px_file_backed) = VexRegUpdAllregsAtMemAccess;
    VG_(discard_translations)(0, ~(ULong)0, "deja");
}
