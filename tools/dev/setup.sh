# What tools/test and tools/quickstart share; they source it. Everything goes through the distribution's own package tool, and only
# when something is missing, so that both scripts work without a network and without root on a machine that has the packages.

say() { printf '== %s\n' "$*"; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

build_packages=(g++ cmake ninja-build ccache libmimalloc-dev libconcurrentqueue-dev zlib1g-dev libfmt-dev libcli11-dev libsimdjson-dev)

# missing_packages PACKAGE...: those of them that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || echo "$package"
  done
}

# need_packages LOG PACKAGE...: installs what is missing of them.
need_packages() {
  local log=$1 missing as_root=()
  shift
  if ! command -v dpkg-query apt-get >/dev/null; then
    say "no apt-get here; if configuring fails, it says what to install"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "these packages are missing and there is no sudo: run as root  apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
           apt-get install -y --no-install-recommends "${missing[@]}"; } </dev/null >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "could not install ${missing[*]}; the whole output is in $log"
  fi
}

# A compiler that eats memory shares the machine: at most one job for each 2 GB.
job_count() {
  local cpus memory_kb
  cpus=$(nproc)
  memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
  local by_memory=$((memory_kb / 2000000))
  ((by_memory >= 1)) || by_memory=1
  echo $((cpus < by_memory ? cpus : by_memory))
}

use_ccache() {
  command -v ccache >/dev/null || return 0
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_DIR=${CCACHE_DIR:-$1} CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-2G} CCACHE_SLOPPINESS=pch_defines,time_macros
}

# drop_foreign_cache BUILD SOURCE: forgets a build folder that was configured for another source folder (a copied or moved tree).
drop_foreign_cache() {
  local cache=$1/CMakeCache.txt
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$2" "$cache"; then
    rm -rf "$cache" "$1/CMakeFiles"
  fi
}

# quietly LOG COMMAND...: runs it with its output in a file, which is shown when it fails.
quietly() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 120 "$log" >&2
    fail "failed: $* (the whole output is in $log)"
  fi
}
