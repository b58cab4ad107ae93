// SPDX-License-Identifier: MIT
#include "live/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf.h"
#include "base/file.h"
#include "base/support_dir.h"

#define TRACER "deja-amd64-linux"

enum { VALGRIND_FILES = 16 }; // with fewer, programs that it runs cannot open their libraries

static int refuse(dj_context *context, int *status, const char *path, int error)
{
    if (error == ENOMEM)
        return dj_fail_memory(context, "a file name", 0);
    *status = error == ENOENT || error == ENOTDIR ? DJ_STATUS_NOT_FOUND : DJ_STATUS_NOT_EXECUTABLE;
    return dj_fail(context, DJ_ERR_USAGE, "cannot run '%s': %s", path, strerror(error));
}

// 0, or the reason why it cannot be executed.
static int try_file(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return errno;
    if (S_ISDIR(file.st_mode))
        return EISDIR;
    return access(path, X_OK) == 0 ? 0 : errno;
}

// The first executable file of that name in the folders of PATH; *error is the reason if there is none.
static char *search_path(const char *name, int *error)
{
    const char *folders = getenv("PATH");
    if (!folders)
        folders = "/usr/local/bin:/usr/bin:/bin";
    *error = ENOENT;
    for (const char *at = folders;; at++) {
        size_t length = strcspn(at, ":");
        char *path = NULL;
        if (asprintf(&path, "%.*s%s%s", (int)length, at, length ? "/" : "./", name) < 0) {
            *error = ENOMEM;
            return NULL;
        }
        int why = try_file(path);
        if (why == 0)
            return path;
        free(path);
        if (why == EACCES || why == EISDIR)
            *error = EACCES;
        at += length;
        if (!*at)
            return NULL;
    }
}

int dj_program_find(dj_context *context, const char *name, char **path, int *status)
{
    int error = ENOENT;
    *status = DJ_STATUS_FAILED;
    if (!strchr(name, '/')) {
        *path = *name ? search_path(name, &error) : NULL;
        if (*path)
            return DJ_OK;
        int err = refuse(context, status, name, error);
        return *name && try_file(name) == 0
                   ? dj_fail(context, DJ_ERR_USAGE,
                             "cannot run '%s': it is in this folder but not in PATH; use ./%s", name, name)
                   : err;
    }
    error = try_file(name);
    if (error)
        return refuse(context, status, name, error);
    *path = strdup(name);
    return *path ? DJ_OK : dj_fail_memory(context, "the name of a program", 0);
}

// Bytes that the file must have for what its headers say is loaded. Without this check, Valgrind lets a shell
// run a truncated program.
static uint64_t bytes_needed(const dj_elf_bytes *file, const Elf64_Ehdr *elf)
{
    uint64_t needed = elf->e_phoff + (uint64_t)elf->e_phnum * sizeof(Elf64_Phdr);
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        Elf64_Phdr segment;
        if (!dj_elf_bytes_read(file, elf->e_phoff + i * sizeof segment, &segment, sizeof segment))
            break;
        uint64_t end = segment.p_offset + segment.p_filesz;
        if (segment.p_type == PT_LOAD && end > needed)
            needed = end;
    }
    return needed;
}

static int check_elf(dj_context *context, const char *path, int fd, uint64_t bytes, int *status)
{
    Elf64_Ehdr elf = {0};
    uint64_t needed = sizeof elf;
    int fault = 0;
    const dj_elf_bytes file = {.fd = fd, .bytes = bytes, .fault = &fault};
    bool whole = dj_elf_bytes_read(&file, 0, &elf, sizeof elf);
    if (whole && elf.e_ident[EI_CLASS] == ELFCLASS64)
        needed = bytes_needed(&file, &elf);
    *status = fault ? DJ_STATUS_FAILED : DJ_STATUS_NOT_EXECUTABLE;
    if (fault)
        return dj_fail(context, DJ_ERR_IO, "cannot read '%s': %s", path, strerror(fault));
    if (!whole || needed > bytes)
        return dj_fail(context, DJ_ERR_USAGE,
                       "cannot run '%s': it is a program that is cut short, at %" PRIu64
                       " of at least %" PRIu64 " bytes; build or copy it again",
                       path, bytes, needed);
    if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != EM_X86_64)
        return dj_fail(
            context, DJ_ERR_UNSUPPORTED,
            "'%s' is not a 64-bit x86 program, which is all the tracer supports; build it for x86-64 "
            "(without -m32)",
            path);
    if (elf.e_type != ET_EXEC && elf.e_type != ET_DYN)
        return dj_fail(context, DJ_ERR_USAGE, "'%s' is an object file or core dump, not a program", path);
    return DJ_OK;
}

static int check_script(dj_context *context, const char *path, char *line, int *status)
{
    line[strcspn(line, "\n")] = '\0';
    char *interpreter = line + 2 + strspn(line + 2, " \t");
    interpreter[strcspn(interpreter, " \t\r")] = '\0';
    int error = try_file(interpreter);
    if (!error)
        return DJ_OK;
    refuse(context, status, interpreter, error);
    return dj_fail_within(context, DJ_ERR_USAGE, "%s", path);
}

int dj_program_check(dj_context *context, const char *path, int *status)
{
    union {
        unsigned char bytes[256];
        char text[256];
    } head = {.bytes = {0}};
    struct stat file;
    *status = DJ_STATUS_NOT_EXECUTABLE;
    if (stat(path, &file) != 0)
        return refuse(context, status, path, errno);
    if (file.st_mode & (S_ISUID | S_ISGID))
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "'%s' runs with the rights of its owner (set-user-ID or set-group-ID), which a traced "
                       "program cannot have; run a copy without that mode bit, as that user",
                       path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        return dj_fail(context, DJ_ERR_USAGE,
                       "'%s' is executable but not readable, and the tracer must read it: %s", path,
                       strerror(errno));
    ssize_t got = fd < 0 ? -1 : dj_read_all(fd, head.bytes, sizeof head.bytes - 1);
    if (got < 0) {
        *status = DJ_STATUS_FAILED;
        int unread = dj_fail(context, DJ_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return unread;
    }
    const bool program = got >= SELFMAG && memcmp(head.bytes, ELFMAG, SELFMAG) == 0;
    int err = program ? check_elf(context, path, fd, (uint64_t)file.st_size, status) : DJ_OK;
    close(fd);
    if (program)
        return err;
    *status = DJ_STATUS_FAILED;
    if (got > 2 && memcmp(head.text, "#!", 2) == 0)
        return check_script(context, path, head.text, status);
    // A shell runs anything else whose first line is text.
    const char *line_end = memchr(head.text, '\n', got > 0 ? (size_t)got : 0);
    if (got > 0 && memchr(head.text, '\0', line_end ? (size_t)(line_end - head.text) : (size_t)got)) {
        *status = DJ_STATUS_NOT_EXECUTABLE;
        return dj_fail(context, DJ_ERR_USAGE, "cannot run '%s': it is neither a program nor a script", path);
    }
    return DJ_OK;
}

int dj_program_check_valgrind(dj_context *context)
{
    const char *folder = getenv("TMPDIR");
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < VALGRIND_FILES)
        return dj_fail(context, DJ_ERR_MEMORY,
                       "Valgrind needs %d open files, and the limit is %llu; raise it (ulimit -n)",
                       VALGRIND_FILES, (unsigned long long)files.rlim_cur);
    if (!folder || !*folder || access(folder, W_OK | X_OK) == 0)
        return DJ_OK;
    return dj_fail(
        context, DJ_ERR_IO,
        "Valgrind needs a folder for temporary files, and TMPDIR names '%s': %s; unset it, or set it "
        "to another folder",
        folder, strerror(errno));
}

int dj_program_find_valgrind(dj_context *context, char **path)
{
    int error;
    *path = search_path("valgrind", &error);
    if (*path)
        return DJ_OK;
    return dj_fail(
        context, DJ_ERR_UNSUPPORTED,
        "programs not built by 'deja cc' are traced with Valgrind, which is not installed (no "
        "'valgrind' in PATH); install it, as with 'apt-get install valgrind' or 'dnf install valgrind'");
}

int dj_program_find_tracer(dj_context *context, char **folder)
{
    return dj_support_dir_find(context, TRACER, folder);
}
