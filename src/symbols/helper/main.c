// SPDX-License-Identifier: MIT
// deja-symbols: reads symbols and debug information for Deja, in a process of its own. See process.h.
#include <unistd.h>

#include "symbols/helper/process.h"
#include "symbols/helper/server.h"

int main(void)
{
    _exit(dj_server_run(DJ_HELPER_FD)); // nothing of it is worth freeing
}
