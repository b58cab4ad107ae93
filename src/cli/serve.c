// SPDX-License-Identifier: MIT
#include "cli/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/http.h"

enum {
    CLIENTS = 32,
    REQUEST_MOST = 16 << 10,
    PATIENCE_MS = 10000, // for a request, and for each part of the page that a client takes
    LINGER_MS = 1000,    // for what a client still sends after the response
    TOKEN_BYTES = 16,
};

enum state { FREE, READING, WRITING, LINGERING };

typedef struct client {
    enum state state;
    int fd;
    uint64_t deadline; // milliseconds
    char request[REQUEST_MOST];
    size_t received;
    char head[640];
    size_t head_bytes, head_sent, body_bytes, body_sent;
} client;

struct dj_page_server {
    int fd;
    const char *page;
    size_t bytes;
    char path[2 * TOKEN_BYTES + 3];
    char url[DJ_SERVE_URL];
    dj_http_rules rules;
    client clients[CLIENTS];
};

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// Nobody who does not see the address can guess it.
static int make_path(dj_context *context, char *path)
{
    unsigned char random[TOKEN_BYTES];
    size_t filled = 0;
    while (filled < sizeof random) {
        const ssize_t got = getrandom(random + filled, sizeof random - filled, 0);
        if (got < 0 && errno != EINTR)
            return dj_fail(context, DJ_ERR_IO, "the system has no random numbers: %s", strerror(errno));
        filled += got > 0 ? (size_t)got : 0;
    }
    char *at = path;
    *at++ = '/';
    for (size_t i = 0; i < sizeof random; i++)
        at += sprintf(at, "%02x", random[i]);
    memcpy(at, "/", 2);
    return DJ_OK;
}

static int listen_here(dj_context *context, dj_page_server *server)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof here;
    server->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->fd < 0 || bind(server->fd, (struct sockaddr *)&here, sizeof here) != 0 ||
        listen(server->fd, CLIENTS) != 0 || getsockname(server->fd, (struct sockaddr *)&here, &bytes) != 0)
        return dj_fail(context, DJ_ERR_IO, "cannot serve the page on 127.0.0.1: %s", strerror(errno));
    server->rules = (dj_http_rules){server->path, ntohs(here.sin_port)};
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u%s", server->rules.port, server->path);
    return DJ_OK;
}

int dj_page_server_create(dj_context *context, const char *page, size_t bytes, dj_page_server **out)
{
    dj_page_server *server = calloc(1, sizeof *server);
    if (!server)
        return dj_fail_memory(context, "the server", sizeof *server);
    server->fd = -1;
    server->page = page;
    server->bytes = bytes;
    int err = make_path(context, server->path);
    if (!err)
        err = listen_here(context, server);
    if (err) {
        dj_page_server_destroy(server);
        return err;
    }
    *out = server;
    return DJ_OK;
}

static void drop(client *c)
{
    if (c->state != FREE)
        close(c->fd);
    c->state = FREE;
}

void dj_page_server_destroy(dj_page_server *server)
{
    if (!server)
        return;
    for (size_t i = 0; i < CLIENTS; i++)
        drop(&server->clients[i]);
    if (server->fd >= 0)
        close(server->fd);
    free(server);
}

const char *dj_page_server_url(const dj_page_server *server)
{
    return server->url;
}

// A free place. If there is none, the client that has been waiting longest loses its own; clients that are
// taking the page only if all are.
static client *make_room(dj_page_server *server)
{
    client *oldest = NULL;
    for (size_t i = 0; i < CLIENTS; i++) {
        client *c = &server->clients[i];
        if (c->state == FREE)
            return c;
        const bool busy = c->state == WRITING, other = oldest && oldest->state == WRITING;
        if (!oldest || (other && !busy) || (other == busy && c->deadline < oldest->deadline))
            oldest = c;
    }
    drop(oldest);
    return oldest;
}

static void accept_clients(dj_page_server *server, uint64_t now)
{
    for (int i = 0; i < CLIENTS; i++) {
        const int fd = accept4(server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        client *c = make_room(server);
        c->state = READING;
        c->fd = fd;
        c->deadline = now + PATIENCE_MS;
        c->received = 0;
    }
}

static void respond(const dj_page_server *server, client *c, int status, bool head, uint64_t now)
{
    const bool page = status == 200;
    const char *reason = dj_http_reason(status);
    const int wrote = snprintf(
        c->head, sizeof c->head,
        "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n%s"
        "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\nContent-Security-Policy: frame-ancestors 'none'\r\n\r\n",
        status, reason, page ? "text/html" : "text/plain", page ? server->bytes : (size_t)0,
        status == 405 ? "Allow: GET, HEAD\r\n" : "");
    c->state = WRITING;
    c->head_bytes = (size_t)wrote;
    c->head_sent = c->body_sent = 0;
    c->body_bytes = page && !head ? server->bytes : 0;
    c->deadline = now + PATIENCE_MS;
}

static void read_request(const dj_page_server *server, client *c, uint64_t now)
{
    const ssize_t got = recv(c->fd, c->request + c->received, sizeof c->request - c->received, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        drop(c);
        return;
    }
    c->received += (size_t)got;
    const size_t end = dj_http_end(c->request, c->received);
    bool head = false;
    if (end > 0) {
        const int status = dj_http_judge(&server->rules, c->request, end, &head);
        respond(server, c, status, head, now);
    } else if (c->received == sizeof c->request) {
        respond(server, c, 431, false, now);
    }
}

// What remains of a text; false: the client has left.
static bool send_rest(client *c, const char *text, size_t bytes, size_t *sent, uint64_t now)
{
    while (*sent < bytes) {
        const ssize_t put = send(c->fd, text + *sent, bytes - *sent, MSG_NOSIGNAL);
        if (put < 0)
            return errno == EAGAIN || errno == EINTR;
        *sent += (size_t)put;
        c->deadline = now + PATIENCE_MS;
    }
    return true;
}

// Closing a connection that still receives would destroy the response on its way.
static void write_response(const dj_page_server *server, client *c, uint64_t now)
{
    const bool here =
        send_rest(c, c->head, c->head_bytes, &c->head_sent, now) &&
        (c->head_sent < c->head_bytes || send_rest(c, server->page, c->body_bytes, &c->body_sent, now));
    if (!here) {
        drop(c);
    } else if (c->head_sent == c->head_bytes && c->body_sent == c->body_bytes) {
        shutdown(c->fd, SHUT_WR);
        c->state = LINGERING;
        c->deadline = now + LINGER_MS;
    }
}

static void linger(client *c)
{
    const ssize_t got = recv(c->fd, c->request, sizeof c->request, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        drop(c);
}

static void serve_client(const dj_page_server *server, client *c, uint64_t now)
{
    if (c->state == READING)
        read_request(server, c, now);
    else if (c->state == WRITING)
        write_response(server, c, now);
    else if (c->state == LINGERING)
        linger(c);
}

static void drop_slow(const dj_page_server *server, client *c, uint64_t now)
{
    if (c->state == FREE || now < c->deadline)
        return;
    if (c->state == READING)
        respond(server, c, 408, false, now);
    else
        drop(c);
}

int dj_page_server_run(dj_page_server *server, dj_context *context)
{
    struct pollfd polled[CLIENTS + 1];
    while (!dj_context_stopped(context)) {
        polled[CLIENTS] = (struct pollfd){.fd = server->fd, .events = POLLIN};
        for (size_t i = 0; i < CLIENTS; i++) {
            const client *c = &server->clients[i];
            polled[i] = (struct pollfd){.fd = c->state == FREE ? -1 : c->fd,
                                        .events = c->state == WRITING ? POLLOUT : POLLIN};
        }
        // A signal between the test above and here is noticed after a moment.
        if (poll(polled, CLIENTS + 1, 250) < 0 && errno != EINTR)
            return dj_fail(context, DJ_ERR_IO, "cannot serve the page: %s", strerror(errno));
        const uint64_t now = now_ms();
        for (size_t i = 0; i < CLIENTS; i++) {
            if (server->clients[i].state != FREE && polled[i].fd >= 0 && polled[i].revents)
                serve_client(server, &server->clients[i], now);
            drop_slow(server, &server->clients[i], now);
        }
        accept_clients(server, now);
    }
    return DJ_OK;
}
