// SPDX-License-Identifier: MIT
// Under a sanitizer, which makes everything many times slower, tests with random inputs use one in this many.
#ifndef DEJA_TESTS_SANITIZED_H
#define DEJA_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED_SHARE 6
#else
#define SANITIZED_SHARE 1
#endif

// Steps through a list of cases whose structure has other periods: all of them, or about one in
// SANITIZED_SHARE.
enum { SANITIZED_STEP = SANITIZED_SHARE > 1 ? SANITIZED_SHARE + 1 : 1 };

#endif
