// SPDX-License-Identifier: MIT
// The helper process's side: answers requests from the files.
#ifndef DEJA_SYMBOLS_HELPER_SERVER_H
#define DEJA_SYMBOLS_HELPER_SERVER_H

// Returns when the other side closes the connection; otherwise an exit status.
int dj_server_run(int fd);

#endif
