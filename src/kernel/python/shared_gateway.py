"""The configuration of the shared gateway: `python -m kernel_gateway --config=<this file>`.

It makes the server private (loopback, a token, no foreign origins) and gives it a keeper (gateway_keeper.py, beside this file).
What it needs to know comes as one line of JSON on stdin; what became of it goes as one line to stdout. The rest is log.
"""

import atexit
import errno
import json
import os
import resource
import secrets
import shutil
import sys
import threading

MOST_DESCRIPTORS = 65_536
MOST_LOG_BYTES = 1_000_000


class BoundedLog:
    """Everything that the server and its kernels write to stdout and stderr, of which the last megabyte or two are kept.

    Kernels inherit the descriptors, so a log that only the server's own messages are counted for could grow for ever.
    """

    def __init__(self, path):
        self.path = path
        self.file = self.open()
        reader, writer = os.pipe()
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        os.close(writer)
        self.thread = threading.Thread(target=self.copy, args=(reader,), daemon=True)
        self.thread.start()

    def open(self):
        return os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def copy(self, reader):
        while chunk := os.read(reader, 65_536):
            try:
                if os.fstat(self.file).st_size + len(chunk) > MOST_LOG_BYTES:
                    os.replace(self.path, f"{self.path}.1")
                    os.close(self.file)
                    self.file = self.open()
                os.write(self.file, chunk)
            except OSError:
                # A full disk, or a directory that was removed: a log is no reason to stop.
                continue

    def finish(self):
        """Log the last words, too: the thread ends when the other end of the pipe is closed."""
        with open(os.devnull, "w") as nowhere:
            sys.stdout.flush()
            sys.stderr.flush()
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        self.thread.join(timeout=1)


def raise_descriptor_limit():
    """Servers leak descriptors with kernels that start and end, and the usual limit is a low one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def own_kernelspecs(arguments):
    """`python3` is this interpreter, whatever a user has installed under that name."""
    from ipykernel.kernelspec import RESOURCES, get_kernel_dict
    from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec, KernelSpecManager

    class OwnKernelSpecs(KernelSpecManager):
        def get_kernel_spec(self, kernel_name):
            if kernel_name == NATIVE_KERNEL_NAME:
                spec = KernelSpec(resource_dir=str(RESOURCES), **get_kernel_dict())
                spec.argv = [*spec.argv, *arguments]
                return spec
            return super().get_kernel_spec(kernel_name)

    return OwnKernelSpecs


def kernels_with_sockets(directory):
    """Kernels that only the user can reach: their sockets are in a private directory. Names of sockets have to be short."""
    from kernel_gateway.services.kernels.manager import KernelGatewayIOLoopKernelManager

    class KernelManager(KernelGatewayIOLoopKernelManager):
        def _ip_default(self):
            return os.path.join(directory, secrets.token_hex(6))

    return KernelManager


def configure(config, options, answer):
    # Where PYTHONSAFEPATH is set, the directory of this file is not searched.
    sys.path.insert(0, options["run"])
    import gateway_keeper

    sys.path.remove(options["run"])
    gateway_keeper.options = options
    gateway_keeper.answer = answer
    owner = os.path.join(options["run"], "owner.json")
    gateway_keeper.write_private(owner, json.dumps(gateway_keeper.identity()))
    # Until here the environment kept Jupyter away from the user's configuration; kernels get what omp chose for them.
    os.environ.clear()
    os.environ.update({name: value for name, value in options["env"].items() if not name.startswith("KG_")})

    from kernel_gateway.gatewayapp import KernelGatewayApp

    # For connection files and the like; not to be had by configuration.
    KernelGatewayApp.instance().runtime_dir = options["run"]
    app = config.KernelGatewayApp
    app.ip = "127.0.0.1"
    app.port = 0
    app.auth_token = options["token"]
    app.allow_origin = ""
    app.api = gateway_keeper.__name__
    app.kernel_spec_manager_class = own_kernelspecs(options["kernelArguments"])
    app.env_process_whitelist = list(os.environ)
    # A peer on this machine that is gone has closed its socket; one that is stopped for a while must not lose its kernel.
    app.ws_ping_interval = 0
    if options.get("sockets"):
        gateway_keeper.KernelManager = kernels_with_sockets(options["sockets"])
        config.MultiKernelManager.kernel_manager_class = f"{gateway_keeper.__name__}.KernelManager"
        config.KernelManager.transport = "ipc"
    config.JupyterWebsocketPersonality.list_kernels = True
    config.ZMQChannelsWebsocketConnection.limit_rate = False


def start(config):
    options = json.loads(sys.stdin.readline())
    answer = os.dup(1)
    try:
        for directory in filter(None, (options["run"], options.get("sockets"))):
            atexit.register(shutil.rmtree, directory, ignore_errors=True)
        raise_descriptor_limit()
        atexit.register(BoundedLog(os.path.join(options["directory"], "gateway.log")).finish)
        configure(config, options, answer)
    except BaseException as error:
        number = error.errno if isinstance(error, OSError) else None
        code = errno.errorcode.get(number, "GATEWAY_CONFIGURATION")
        message = {"error": f"{type(error).__name__}: {error}", "code": code}
        os.write(answer, (json.dumps(message) + "\n").encode())
        for directory in filter(None, (options["run"], options.get("sockets"))):
            shutil.rmtree(directory, ignore_errors=True)
        raise


try:
    start(get_config())  # noqa: F821  given by traitlets
except BaseException:
    # Jupyter would continue without its configuration: a server that is open to everyone.
    os._exit(1)
