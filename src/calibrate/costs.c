// SPDX-License-Identifier: MIT
// The file of measured costs: JSON, small enough to be read and edited by people.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/target.h"
#include "calibrate/calibrate.h"

enum { VERSION = 1 };
static const double slowest_ns = 1e6;

static const char *set_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

int dj_costs_path(dj_context *context, char **out)
{
    const char *own = set_variable("DEJA_MACHINE"), *config = set_variable("XDG_CONFIG_HOME"),
               *home = set_variable("HOME");
    int length;
    *out = NULL;
    if (own)
        length = asprintf(out, "%s", own);
    else if (config && config[0] == '/') // the specification ignores relative paths
        length = asprintf(out, "%s/deja/machine.json", config);
    else if (home)
        length = asprintf(out, "%s/.config/deja/machine.json", home);
    else
        return dj_fail(context, DJ_ERR_IO,
                       "no folder for the costs of this machine: HOME is not set; name a "
                       "file with the environment variable DEJA_MACHINE");
    if (length >= 0)
        return DJ_OK;
    *out = NULL;
    return dj_fail_memory(context, "a path", 0);
}

// Creates the folders of the file, as far as they are missing.
static int make_folders(dj_context *context, const char *path)
{
    char *text = strdup(path);
    int err = text ? DJ_OK : dj_fail_memory(context, "a path", 0);
    for (char *at = text ? strchr(text + 1, '/') : NULL; !err && at; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(text, 0777) != 0 && errno != EEXIST)
            err = dj_fail(context, DJ_ERR_IO, "%s: cannot create the folder: %s", text, strerror(errno));
        *at = '/';
    }
    free(text);
    return err;
}

static void write_costs(FILE *out, const dj_machine_costs *costs)
{
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_json_uint(&json, "deja_machine", VERSION);
    dj_json_text(&json, "processor", costs->processor);
    dj_json_real(&json, "access_ns", costs->access_ns);
    dj_json_begin_list(&json, "points");
    for (size_t i = 0; i < costs->point_count; i++) {
        const dj_cost_point *point = &costs->points[i];
        dj_json_begin_row(&json, NULL);
        dj_json_uint(&json, "bytes", point->bytes);
        dj_json_real(&json, "latency_ns", point->latency_ns);
        dj_json_real(&json, "random_ns", point->random_ns);
        dj_json_real(&json, "update_ns", point->update_ns);
        dj_json_real(&json, "read_ns", point->read_ns);
        dj_json_real(&json, "write_ns", point->write_ns);
        dj_json_end_object(&json);
    }
    dj_json_end_list(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}

int dj_costs_save(dj_context *context, const char *path, const dj_machine_costs *costs)
{
    dj_target target;
    int err = make_folders(context, path);
    if (!err)
        err = dj_target_open(context, path, &target);
    if (err)
        return err;
    FILE *file = fdopen(dup(target.fd), "w");
    if (file)
        write_costs(file, costs);
    bool good = file && !ferror(file);
    good = file && fclose(file) == 0 && good;
    int fault = good ? dj_target_close(&target) : errno;
    dj_target_discard(&target);
    return fault ? dj_fail(context, DJ_ERR_IO, "%s: cannot write: %s", path, strerror(fault)) : DJ_OK;
}

typedef struct costs_file {
    uint64_t version;
    char *processor;
    dj_machine_costs *costs;
    double access_ns;
} costs_file;

static const dj_json_field point_fields[] = {
    {"bytes", DJ_JSON_UINT, true, offsetof(dj_cost_point, bytes), NULL},
    {"latency_ns", DJ_JSON_REAL, true, offsetof(dj_cost_point, latency_ns), NULL},
    {"random_ns", DJ_JSON_REAL, true, offsetof(dj_cost_point, random_ns), NULL},
    {"update_ns", DJ_JSON_REAL, true, offsetof(dj_cost_point, update_ns), NULL},
    {"read_ns", DJ_JSON_REAL, true, offsetof(dj_cost_point, read_ns), NULL},
    {"write_ns", DJ_JSON_REAL, true, offsetof(dj_cost_point, write_ns), NULL},
    {NULL, DJ_JSON_UINT, false, 0, NULL},
};

static bool is_cost(double ns)
{
    return ns > 0 && ns <= slowest_ns;
}

static int read_point(dj_json_reader *reader, void *to)
{
    dj_machine_costs *costs = to;
    if (costs->point_count == DJ_COST_POINTS_MOST)
        return dj_json_fail(reader, "more than %d points", DJ_COST_POINTS_MOST);
    dj_cost_point *point = &costs->points[costs->point_count++];
    int err = dj_json_read_object(reader, point_fields, point, NULL);
    const uint64_t before = costs->point_count > 1 ? point[-1].bytes : 0;
    if (!err && !(point->bytes > before && is_cost(point->latency_ns) && is_cost(point->random_ns) &&
                  is_cost(point->update_ns) && is_cost(point->read_ns) && is_cost(point->write_ns)))
        err = dj_json_fail(
            reader, "an access takes no time, or more than a millisecond, or the points are not in order");
    return err;
}

static int read_points(dj_json_reader *reader, void *value)
{
    costs_file *file = (costs_file *)(void *)((char *)value - offsetof(costs_file, costs));
    return dj_json_read_list(reader, read_point, file->costs);
}

static const dj_json_field file_fields[] = {
    {"deja_machine", DJ_JSON_UINT, true, offsetof(costs_file, version), NULL},
    {"processor", DJ_JSON_TEXT, true, offsetof(costs_file, processor), NULL},
    {"access_ns", DJ_JSON_REAL, true, offsetof(costs_file, access_ns), NULL},
    {"points", DJ_JSON_CALL, true, offsetof(costs_file, costs), read_points},
    {NULL, DJ_JSON_UINT, false, 0, NULL},
};

static int read_costs(dj_json_reader *reader, dj_machine_costs *out)
{
    costs_file file = {.costs = out};
    int err = dj_json_read_object(reader, file_fields, &file, NULL);
    if (!err)
        err = dj_json_expect_end(reader);
    if (!err && file.version != VERSION)
        err = dj_json_fail(reader,
                           "version %llu of the costs of a machine; measure again with 'deja info "
                           "machine --calibrate'",
                           (unsigned long long)file.version);
    if (!err && (out->point_count < 2 || !is_cost(file.access_ns)))
        err = dj_json_fail(reader, "the costs of a machine are incomplete; measure again with 'deja info "
                                   "machine --calibrate'");
    if (!err)
        snprintf(out->processor, sizeof out->processor, "%s", file.processor);
    out->access_ns = file.access_ns;
    free(file.processor);
    return err;
}

int dj_costs_load(dj_context *context, const char *path, dj_machine_costs *out)
{
    FILE *file = NULL;
    dj_json_reader *reader = NULL;
    *out = (dj_machine_costs){.measured = true};
    int err = dj_file_open(context, path, "the costs of a machine", &file);
    if (err)
        return err;
    err = dj_json_reader_create(context, file, path, &reader);
    if (!err)
        err = read_costs(reader, out);
    dj_json_reader_destroy(reader);
    fclose(file);
    return err;
}

static int assume(dj_context *context, dj_machine_costs *out)
{
    dj_cache caches[DJ_CACHES_MAX];
    uint64_t bytes[DJ_CACHES_MAX];
    size_t count = 0;
    int err = dj_machine_caches(context, NULL, caches, &count);
    if (!err)
        dj_costs_assume(bytes, dj_data_caches(caches, count, bytes), out);
    return err;
}

// Says what the file is, and what to do.
static int load(dj_context *context, const char *path, dj_machine_costs *out)
{
    int err = dj_costs_load(context, path, out);
    char why[1024];
    snprintf(why, sizeof why, "%s", dj_context_message(context));
    if (err == DJ_ERR_INPUT && !strstr(why, "--calibrate"))
        err = dj_fail(context, err,
                      "%s; the file has the costs of this machine: measure them again with 'deja info "
                      "machine --calibrate', or remove it",
                      why);
    return err;
}

int dj_costs_find(dj_context *context, dj_machine_costs *out)
{
    char processor[DJ_COST_NAME] = "", *path = NULL;
    const bool named = set_variable("DEJA_MACHINE") != NULL;
    struct stat about;
    int err = DJ_OK;
    if (!named && !set_variable("HOME") && !set_variable("XDG_CONFIG_HOME"))
        return assume(context, out);
    err = dj_costs_path(context, &path);
    const bool known = !err && stat(path, &about) == 0;
    if (!err && !known && dj_is_wrong_path(errno)) {
        free(path);
        return assume(context, out);
    }
    if (known && !S_ISREG(about.st_mode)) // a pipe would be waited for
        err = dj_fail(context, DJ_ERR_IO, "%s: the costs of this machine must be in a regular file", path);
    if (!err)
        err = load(context, path, out);
    if (!err)
        err = dj_machine_processor(context, processor, sizeof processor);
    free(path);
    return err || strcmp(processor, out->processor) == 0 ? err : assume(context, out);
}
