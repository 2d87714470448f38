/**
 * The variables that the environment filter lets through, by purpose. docs/doctor.md shows the same table, and a test
 * compares the two.
 *
 * Left out on purpose: EDITOR, VISUAL and PAGER (no child has a keyboard), LD_PRELOAD and NODE_OPTIONS (they reach into
 * every program), PWD and OLDPWD (children start elsewhere).
 */

export const allowedGroups: Readonly<Record<string, readonly string[]>> = {
  "user and system": namesIn(`
    PATH HOME USER LOGNAME SHELL HOSTNAME TMPDIR TEMP TMP TZ CI WSL_DISTRO_NAME WSL_INTEROP
    DEBIAN_FRONTEND OMP_HOME
  `),
  "language and terminal": namesIn(`
    LANG LANGUAGE TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR DISPLAY WAYLAND_DISPLAY XAUTHORITY
    DBUS_SESSION_BUS_ADDRESS
  `),
  Python: namesIn(`
    VIRTUAL_ENV PYTHONPATH PYTHONHOME PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING
    PYTHONUTF8 PYTHONWARNINGS PYTHONHASHSEED PYTHONPYCACHEPREFIX PYTHONNOUSERSITE PYTHONUSERBASE
    PYTHONFAULTHANDLER PYTHONBREAKPOINT PYENV_ROOT PYENV_VERSION IPYTHONDIR MPLBACKEND MPLCONFIGDIR
    DJANGO_SETTINGS_MODULE FLASK_APP PYTEST_ADDOPTS
  `),
  network: namesIn(`
    HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY http_proxy https_proxy all_proxy ftp_proxy
    no_proxy SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS
    GIT_SSL_CAINFO AWS_CA_BUNDLE NIX_SSL_CERT_FILE HTTPLIB2_CA_CERTS
    GRPC_DEFAULT_SSL_ROOTS_FILE_PATH SSH_AUTH_SOCK
  `),
  compilers: namesIn(`
    CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS PKG_CONFIG_PATH CPATH C_INCLUDE_PATH
    CPLUS_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH
    SDKROOT
  `),
  "languages and their tools": namesIn(`
    JAVA_HOME GRADLE_USER_HOME ANDROID_HOME GOPATH GOROOT GOBIN GOFLAGS GOPROXY GOPRIVATE GONOPROXY
    GONOSUMDB GOTOOLCHAIN GOCACHE GOMODCACHE
    CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUST_BACKTRACE NVM_DIR NVM_BIN NODE_ENV
    NODE_PATH NPM_CONFIG_PREFIX NPM_CONFIG_CACHE NPM_CONFIG_REGISTRY npm_config_registry PNPM_HOME
    BUN_INSTALL DENO_DIR VOLTA_HOME FNM_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR RBENV_ROOT GEM_HOME
    GEM_PATH PERL5LIB R_HOME R_LIBS R_LIBS_USER JULIA_DEPOT_PATH DOTNET_ROOT HOMEBREW_PREFIX
    HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES SPARK_HOME HADOOP_HOME
  `),
  "git and clusters": namesIn(`
    GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_CONFIG_GLOBAL
    GIT_SSH GIT_SSH_COMMAND GNUPGHOME KUBECONFIG AWS_PROFILE AWS_REGION
    AWS_DEFAULT_REGION
  `),
  computing: namesIn(`
    OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS NUMEXPR_NUM_THREADS VECLIB_MAXIMUM_THREADS
    NVIDIA_VISIBLE_DEVICES NVIDIA_DRIVER_CAPABILITIES HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES
    XLA_FLAGS JAX_PLATFORMS HF_HOME TORCH_HOME TOKENIZERS_PARALLELISM
  `),
  Windows: namesIn(`
    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES
    PROGRAMFILES(X86) USERPROFILE USERNAME HOMEDRIVE HOMEPATH NUMBER_OF_PROCESSORS
    PROCESSOR_ARCHITECTURE
  `),
};

function namesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Each with the purpose that it is listed under. */
export const allowedNames: ReadonlyMap<string, string> = new Map(
  Object.entries(allowedGroups).flatMap(([group, names]) => names.map((name) => [name, group] as const)),
);

export const allowedPrefixes = namesIn(
  "LC_ XDG_ PI_ CONDA_ MAMBA_ PIP_ UV_ JUPYTER_ CUDA_ DOCKER_ CMAKE_ CGO_ SLURM_ PG",
);

/** Where a file is: not a secret, even if the file has one. Passed when the value is a path. */
export const PATH_NAME = /_FILE$|^GOOGLE_APPLICATION_CREDENTIALS$/;

/**
 * Names with one of these words in them are secrets whatever allows them. Whole words, so that TOKENIZERS_PARALLELISM
 * is none; PI_PYTHON_GATEWAY_TOKEN, OPENAI_API_KEY, AWS_SECRET_ACCESS_KEY, PGPASSWORD and GITHUB_PAT are.
 */
export const SECRET_NAME =
  /(?:^|_)(?:(?:API|ACCESS|PRIVATE|SIGNING)?KEYS?|[A-Z0-9]*TOKENS?|CREDENTIALS?|CREDS?|PAT|COOKIES?)(?:_|$)|_(?:AUTH|PASS|PWD|PW)$|PASSW|PASSPHRASE|SECRET/i;

/** An address with a password or a token in it, as private package indexes are given: https://user:password@host/. */
export const SECRET_VALUE = /https?:\/\/[^\s/@]+@|\w:\/\/[^\s/@:]*:[^\s/@]+@/;

/** Behind a proxy that asks for a password nothing works without it: these may carry one. */
export const proxyNames: ReadonlySet<string> = new Set(
  allowedGroups["network"]?.filter((name) => /_proxy$/i.test(name)),
);
