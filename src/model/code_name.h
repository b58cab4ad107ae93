// SPDX-License-Identifier: MIT
// Names of C++ and Rust functions without what makes them long.
#ifndef DEJA_MODEL_CODE_NAME_H
#define DEJA_MODEL_CODE_NAME_H

enum dj_code_name {
    DJ_CODE_NAME_SHORT,     // "std::map<…>::operator[]"
    DJ_CODE_NAME_TEMPLATES, // "std::map<int, int>::operator[]"
    DJ_CODE_NAME_DATA,      // of a data object: only template arguments are left out
};

// Returns a copy that the caller frees with free(), or NULL if out of memory. What is not understood stays as
// it is.
char *dj_code_name(const char *full, enum dj_code_name how);

#endif
