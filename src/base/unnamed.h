// SPDX-License-Identifier: MIT
#ifndef DEJA_BASE_UNNAMED_H
#define DEJA_BASE_UNNAMED_H

// Opens a temporary file without a name, in $TMPDIR, /tmp or the current folder; -1 and errno if none allows
// it.
int dj_unnamed_file(void);

#endif
