# SPDX-License-Identifier: MIT
"""deja view --serve, spoken to over raw sockets: the page at its address and nothing else, for clients that are wrong,
hostile, slow or many; and its end by a signal. A template of a few bytes takes the place of the page.   serve.py DEJA"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

DEJA = os.path.abspath(sys.argv[1])
PATIENCE = 60
SCRATCH = tempfile.TemporaryDirectory(prefix="deja-serve-")
os.chdir(SCRATCH.name)
with open("template.html", "w") as template:
    template.write("<!doctype html><title><!--deja:title--></title><!--deja:data-->" + "<p>filler</p>" * 300000)
ENVIRONMENT = {**os.environ, "DEJA_VIEW_TEMPLATE": os.path.abspath("template.html"), "DISPLAY": "", "WAYLAND_DISPLAY": ""}
failures = 0


def check(truth, message):
    global failures
    if not truth:
        failures += 1
        print("FAILED:", message)
    return truth


def same(got, expected, what):
    check(got == expected, f"{what}: {got!r}, expected {expected!r}")


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([DEJA, "view", "--serve", *options, "profile.dejap"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)\n", line)
        if not found:
            print(f"FAILED: the address is {line!r}:", self.process.stderr.read().decode())
            sys.exit(1)
        self.port, self.path = int(found[1]), found[2]
        self.host = f"127.0.0.1:{self.port}"

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        return client

    def send(self, data):
        """Sends bytes; returns what comes back until the end."""
        with self.connect() as client:
            try:
                client.sendall(data)
                return b"".join(iter(lambda: client.recv(1 << 16), b""))
            except ConnectionResetError:
                return b"reset"

    def ask(self, method="GET", path=None, fields=None, version="HTTP/1.1"):
        fields = [f"Host: {self.host}"] if fields is None else fields
        lines = [f"{method} {self.path if path is None else path} {version}", *fields, "", ""]
        return self.send("\r\n".join(lines).encode("latin-1"))

    def works(self, what):
        check(self.ask() == PAGE_RESPONSE, f"the page is not served {what}")

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "never ended"
        self.process.stdout.close()
        return status, self.process.stderr.read().decode()


def status(response):
    found = re.match(rb"HTTP/1\.1 (\d+) ", response)
    return int(found[1]) if found else response[:60]


subprocess.run(f"'{DEJA}' gen zipf -k 300 -n 20000 -o trace.u64le && '{DEJA}' analyze -o profile.dejap trace.u64le && "
               f"'{DEJA}' view --no-open -o page.html profile.dejap", shell=True, check=True, env=ENVIRONMENT,
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
with open("page.html", "rb") as page:
    PAGE = page.read()
server = Server("--no-open")

# The page.
PAGE_RESPONSE = server.ask()
head, body = PAGE_RESPONSE.split(b"\r\n\r\n", 1)
same(status(PAGE_RESPONSE), 200, "status of the page")
check(body == PAGE, "what is served is what -o writes")
fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
same(fields["Content-Length"], str(len(PAGE)), "length")
same(fields["Content-Type"], "text/html; charset=utf-8", "type")
for name, value in (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                    ("Cross-Origin-Resource-Policy", "same-origin"), ("Content-Security-Policy", "frame-ancestors 'none'")):
    same(fields.get(name), value, name)
check("Access-Control-Allow-Origin" not in fields, "no other site may read it")
same(server.ask("HEAD"), head + b"\r\n\r\n", "HEAD")
same(status(server.ask(version="HTTP/1.0")), 200, "HTTP/1.0")
for host in (f"localhost:{server.port}", f"127.0.0.1:{server.port} ", f"\t127.0.0.1:{server.port}"):
    same(status(server.ask(fields=[f"Host: {host}"])), 200, f"Host {host!r}")
same(status(server.ask(fields=[f"hOsT: {server.host}", "Accept: */*", "Cookie: " + "x" * 5000])), 200, "other fields")

# Other paths, and addresses that are nearly right.
right = server.path
for path in ("/", "", "*", "/favicon.ico", right[:-1], right + "x", right + "?", right.upper() + "0", "/" + "0" * 32 + "/",
             right + "../", "//" + right, f"http://{server.host}{right}", "/../../etc/passwd", right.replace(right[1], "%61", 1),
             "/" + right[1:-2] + ("0" if right[-2] != "0" else "1") + "/"):
    response = server.ask(path=path)
    check(status(response) in (400, 404), f"path {path!r}: {status(response)}")
    check(b"<title>" not in response and right.encode() not in response, f"path {path!r} shows the page")

# Names of others (DNS rebinding), and none.
for host in ("example.com", f"example.com:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port + 1}", f"127.0.0.1.example.com:{server.port}",
             f"localhost.example.com:{server.port}", f"[::1]:{server.port}", f"0.0.0.0:{server.port}", "", f"LOCALHOST:{server.port}x",
             f"example.com:{server.port}, {server.host}"):
    response = server.ask(fields=[f"Host: {host}"])
    check(status(response) in (400, 421), f"Host {host!r}: {status(response)}")
    check(b"<title>" not in response, f"Host {host!r} shows the page")
same(status(server.ask(fields=[])), 400, "no Host")
same(status(server.ask(fields=[f"Host: {server.host}", "Host: example.com"])), 400, "two Hosts")
same(status(server.ask(fields=[f"X-Host: {server.host}"])), 400, "another field")

# Methods, and what is no request.
for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "GETT"):
    response = server.ask(method)
    same(status(response), 405, method)
    check(b"Allow: GET, HEAD\r\n" in response, f"{method}: Allow")
same(status(server.ask("POST", fields=[f"Host: {server.host}", "Content-Length: 5"])), 405, "a body")
for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET " + right.encode() + b"\r\n\r\n", b"GET / HTTP/2.0\r\nHost: x\r\n\r\n", b"\0" * 40 + b"\r\n\r\n",
             b"GET  " + right.encode() + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n",
             b"GET / HTTP/1.1\nHost: x\n\n\r\n\r\n", f"GET {right} HTTP/1.1\r\nHost : {server.host}\r\n\r\n".encode(),
             f"GET {right} HTTP/1.1\r\n: x\r\nHost: {server.host}\r\n\r\n".encode(), f"GET {right} HTTP/1.10\r\nHost: {server.host}\r\n\r\n".encode(),
             f"GET {right} HTTP/1.1\r\nHost: {server.host}\r\nbroken\r\n\r\n".encode(), f"GET {right}\0 HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()):
    check(status(server.send(data)) in (400, 404, 421), f"{data[:50]!r}: {status(server.send(data))}")
for size in (16 << 10, 1 << 20):
    response = server.send(b"GET / HTTP/1.1\r\nX: " + b"y" * size)
    check(status(response) == 431 or (size > 1 << 17 and response == b"reset"), f"{size} bytes of fields: {status(response)}")
server.works("after broken requests")

# A second request on the same connection is not answered.
twice = server.send(2 * f"GET {right} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
check(twice in (PAGE_RESPONSE, b"reset") or PAGE_RESPONSE.startswith(twice[:1000]), "requests in a row")

# A request in pieces, clients that say nothing, that leave, that take nothing, and too many.
with server.connect() as client:
    for byte in f"GET {right} HTTP/1.1\r\nHost: {server.host}\r\n\r\n":
        client.sendall(byte.encode())
    check(b"".join(iter(lambda: client.recv(1 << 16), b"")) == PAGE_RESPONSE, "byte by byte")
silent = [server.connect() for _ in range(100)]
for i in range(100):
    server.connect().close()
    if i % 10 == 0:
        server.works(f"beside 100 silent clients ({i})")
greedy = []
for _ in range(40):  # more than places
    client = server.connect()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.sendall(f"GET {right} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
    greedy.append(client)
server.works("beside 40 clients that take nothing")
start = time.monotonic()
slow = server.connect()
slow.sendall(b"GET / HT")
answer = b"".join(iter(lambda: slow.recv(1 << 16), b""))
check(status(answer) == 408, f"the answer to a slow client: {answer[:60]!r}")
check(5 <= time.monotonic() - start <= PATIENCE, f"a slow client is dropped after {time.monotonic() - start:.1f} s")
for client in (*silent, *greedy, slow):
    client.close()
server.works("afterwards")

# Only this machine.
with open(f"/proc/{server.process.pid}/net/tcp") as table:
    rows = [line.split() for line in table][1:]
same([row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{server.port:04X}")], [f"0100007F:{server.port:04X}"], "where it listens")
files = sorted(os.listdir())
ended, errors = server.end()
same(ended, 0, f"status after Ctrl-C ({errors})")
check("serving the page until Ctrl-C" in errors, f"messages: {errors}")
same(sorted(os.listdir()), files, "files")

second, third = Server("--no-open"), Server()
check(second.path != third.path and second.port != third.port, "every server has its own address")
ended, errors = second.end(signal.SIGTERM)
same(ended, 0, f"status after SIGTERM ({errors})")
client = third.connect()  # open connections do not matter
ended, errors = third.end()
same(ended, 0, f"status with a client ({errors})")
check("there is no display here" in errors, f"why no browser: {errors}")
refused = subprocess.run([DEJA, "view", "--serve", "-o", "x.html", "profile.dejap"], capture_output=True, env=ENVIRONMENT, check=False)
same((refused.returncode, b"leave out -o" in refused.stderr, os.path.exists("x.html")), (2, True, False), f"-o: {refused.stderr}")
missing = subprocess.run([DEJA, "view", "--serve", "none.dejap"], capture_output=True, env=ENVIRONMENT, check=False)
same((missing.returncode, missing.stdout), (3, b""), f"no such profile: {missing.stderr}")
if os.path.exists("/dev/full"):
    with open("/dev/full", "w") as full:
        unheard = subprocess.run([DEJA, "view", "--serve", "profile.dejap"], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False, timeout=PATIENCE)
    same(unheard.returncode, 4, f"an address that cannot be printed: {unheard.stderr}")
print(f"{failures} failed" if failures else "all passed")
sys.exit(failures > 0)
