"""Lets the shared gateway look after itself, so that it depends on no running omp.

It publishes itself in gateway.json, ends kernels whose omp is gone, and ends when it has not been used for a while. Users are files
in `users/`, each with a process id, its start time and the ids of its kernels.
"""

import asyncio
import contextlib
import datetime
import errno
import json
import os
import random
import socket
import sys
import threading
import time

from jupyter_client.connect import LocalPortCache
from kernel_gateway.jupyter_websocket import JupyterWebsocketPersonality
from tornado.iostream import IOStream

SHUTDOWN_SECONDS = 10
LOWEST_PORT = 10_000
# A kernel has no owner until its omp knows that it works, and no connection until it answers: on a busy machine that takes a while.
UNNAMED_GRACES = 10

options = {}
answer = -1


def process_facts(pid):
    """State and start time; None where there is no such process, or no /proc."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return fields[0], fields[19]


def is_running(pid, started):
    """Whether this very process runs: ids are reused, and a zombie is not a user."""
    facts = process_facts(pid)
    if facts is not None:
        return facts[0] not in "ZX" and (started is None or facts[1] == started)
    if sys.platform == "linux":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def identity():
    facts = process_facts(os.getpid())
    return {"pid": os.getpid(), **({} if facts is None else {"started": facts[1]})}


def write_private(path, text):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def never_wait_to_send():
    """A small message would wait up to 40 ms for the acknowledgement of the one before.

    Set once on a socket it does not last: tornado switches it off again at the end of every request, the upgrade included.
    """
    set_nodelay = IOStream.set_nodelay
    IOStream.set_nodelay = lambda stream, value: set_nodelay(stream, True)


def choose_ports_of_its_own():
    """A kernel's ports are chosen seconds before it binds them, and the system would choose among those that it also gives to every
    connection: with many kernels and clients one of them is taken meanwhile, and the kernel dies. Lower ones are never given away.
    """
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as limits:
            first_given = int(limits.read().split()[0])
    except (OSError, ValueError):
        return
    if first_given < 2 * LOWEST_PORT:
        return

    def find_available_port(cache, ip):
        for _ in range(1000):
            port = random.randrange(LOWEST_PORT, first_given)
            with socket.socket() as probe:
                try:
                    probe.bind((ip, port))
                except OSError:
                    continue
            if port not in cache.currently_used_ports:
                cache.currently_used_ports.add(port)
                return port
        return any_port(cache, ip)

    any_port = LocalPortCache.find_available_port
    LocalPortCache.find_available_port = find_available_port


class Keeper:
    def __init__(self, app):
        self.app = app
        self.kernels = app.kernel_manager
        self.grace = options["graceMs"] / 1000
        self.tick = min(max(self.grace / 5, 0.05), 2)
        self.directory = options["directory"]
        self.users = os.path.join(self.directory, "users")
        self.file = os.path.join(self.directory, "gateway.json")
        listening = next(iter(app.http_server._sockets.values()))
        never_wait_to_send()
        choose_ports_of_its_own()
        self.record = json.dumps(
            {
                "version": options["version"],
                **identity(),
                "host": options["host"],
                "url": f"http://127.0.0.1:{listening.getsockname()[1]}",
                "token": options["token"],
                "python": options["python"],
                "startedAt": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "run": options["run"],
            }
        )
        self.used_at = time.monotonic()
        self.alone_since = {}
        self.ending = set()

    def publish(self):
        """Of several gateways that start at the same time exactly one publishes its record."""
        aside = os.path.join(self.directory, f"gateway.json.{os.getpid()}")
        try:
            write_private(aside, self.record)
            os.link(aside, self.file)
            return True
        except FileExistsError:
            return False
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(aside)

    def is_published(self):
        try:
            with open(self.file, encoding="utf-8") as file:
                return file.read() == self.record
        except FileNotFoundError:
            return False

    def unpublish(self):
        if self.is_published():
            os.unlink(self.file)

    def look_at_users(self):
        """The kernels of each living user, and those of dead ones, whose files are removed."""
        living, left = {}, set()
        try:
            names = [name for name in os.listdir(self.users) if name.endswith(".json")]
        except FileNotFoundError:
            names = []
        for name in names:
            path = os.path.join(self.users, name)
            try:
                with open(path, encoding="utf-8") as file:
                    user = json.load(file)
                kernels = set(user.get("kernels", []))
                if is_running(user["pid"], user.get("started")):
                    living[name] = kernels
                    continue
                left |= kernels
            except FileNotFoundError:
                continue
            except (ValueError, KeyError, TypeError, AttributeError):
                # Not written by omp.
                pass
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        return living, left

    async def run(self):
        try:
            if not self.publish():
                return self.give_up("another gateway was faster", "EEXIST")
        except OSError as error:
            issue = f"cannot write {self.file}: {error.strerror}"
            return self.give_up(issue, errno.errorcode.get(error.errno, "EIO"))
        reply({"ready": True})
        while True:
            await asyncio.sleep(self.tick)
            try:
                if self.is_over():
                    return self.end()
            except Exception:
                # No descriptors left, for one: to take that for "no users" would end the kernels of people who work.
                self.app.log.exception("the users cannot be looked at")

    def is_over(self):
        now = time.monotonic()
        living, left = self.look_at_users()
        self.end_kernels(owned=set().union(*living.values()), left=left, now=now)
        # Without its record the users belong to another gateway, except those that still have a kernel here.
        is_published = self.is_published()
        if living and (is_published or self.kernels.list_kernel_ids()):
            self.used_at = now
        if now - self.used_at < self.grace:
            if is_published:
                os.utime(self.file)
            return False
        # A user that registers from now on finds no record; one that did just before is seen by the second look.
        self.unpublish()
        if self.look_at_users()[0] and self.publish():
            self.used_at = now
            return False
        return True

    def end_kernels(self, owned, left, now):
        """Kernels of an omp that is gone end at once; unclaimed ones when no client was connected for a while."""
        running = set(self.kernels.list_kernel_ids())
        for kernel in running - self.ending:
            # Missing while the kernel is still being started.
            connections = self.kernels._kernel_connections.get(kernel)
            is_left = kernel in left
            if kernel in owned or connections is None or (connections > 0 and not is_left):
                self.alone_since.pop(kernel, None)
            elif is_left or now - self.alone_since.setdefault(kernel, now) >= self.grace * UNNAMED_GRACES:
                self.ending.add(kernel)
                asyncio.ensure_future(self.end_kernel(kernel))
        self.alone_since = {kernel: at for kernel, at in self.alone_since.items() if kernel in running}
        self.ending &= running

    async def end_kernel(self, kernel):
        self.app.log.info("kernel %s has no owner any more", kernel)
        try:
            await self.kernels.shutdown_kernel(kernel, now=True)
        except Exception:
            self.ending.discard(kernel)
            self.app.log.exception("kernel %s cannot be ended", kernel)

    def give_up(self, issue, code):
        reply({"error": issue, "code": code})
        self.end()

    def end(self):
        # A kernel that cannot be ended ends by itself when its parent is gone.
        guard = threading.Timer(SHUTDOWN_SECONDS, os._exit, args=(1,))
        guard.daemon = True
        guard.start()
        self.app.stop()


def reply(message):
    """The one line for the omp that started the gateway; it may be gone, and then others will use the gateway."""
    with contextlib.suppress(OSError):
        os.write(answer, (json.dumps(message) + "\n").encode())
    os.close(answer)


class SharedPersonality(JupyterWebsocketPersonality):
    """The server's own hook for what it offers: here the usual, with a keeper."""

    keeper = None

    async def init_configurables(self):
        await super().init_configurables()
        self.keeper = Keeper(self.parent)
        self.watching = asyncio.ensure_future(self.keeper.run())

    async def shutdown(self):
        if self.keeper is not None:
            self.watching.cancel()
            with contextlib.suppress(OSError):
                self.keeper.unpublish()
        await super().shutdown()


def create_personality(*args, **kwargs):
    return SharedPersonality(*args, **kwargs)
