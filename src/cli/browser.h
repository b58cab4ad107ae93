// SPDX-License-Identifier: MIT
#ifndef DEJA_CLI_BROWSER_H
#define DEJA_CLI_BROWSER_H

// Opens a file or an address in the browser of the desktop, in the background and without its output. Returns
// NULL, or why that is not possible here.
const char *dj_browser_open(const char *address);

#endif
