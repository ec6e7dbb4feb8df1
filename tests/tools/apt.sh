# shellcheck shell=bash
# apt.sh, to be sourced: fetch files of a Debian suite without root and without touching the system.
#
#   private_apt SUITE CACHE         sets the array `apt`: a private apt-get with lists and archives in CACHE
#   debs SUITE CACHE PACKAGE...     the whole closure of the packages as .deb files: $CACHE/archives/NAME for
#                                   every NAME in $CACHE/closure. Once there, no network is needed again.

die() {
  echo "acp_nvim: $*" >&2
  exit 1
}

# The machine's own mirror: as its apt knows it, or, before the first `apt-get update`, as its sources name it.
debian_mirror() {
  [ -z "${DEBIAN_MIRROR:-}" ] || { echo "$DEBIAN_MIRROR"; return; }
  local uri='[^ ]+(/debian/?|/debian\.list)'
  # shellcheck disable=SC2016 # for apt to fill in
  { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^ *#' | tr -s ' \t' '\n'
  } | grep -xE "$uri" | head -n 1 || true
}

private_apt() {
  local suite=$1 cache=$2 mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
  mirror=$(debian_mirror)
  [ -n "$mirror" ] && [ -r "$keyring" ] || return 1
  mkdir -p "$cache"/{lists/partial,archives/partial,etc}
  : >"$cache/etc/status"
  echo "deb [signed-by=$keyring] $mirror $suite main" >"$cache/etc/sources.list"
  # An EMPTY dpkg status makes the solver name the whole closure, libc and loader included.
  # The system's apt.conf.d (proxy, certificates) stays in force.
  apt=(apt-get -qq
    -o Dir::Etc::sourcelist="$cache/etc/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
    -o Dir::State="$cache" -o Dir::State::lists="$cache/lists" -o Dir::State::status="$cache/etc/status"
    -o Dir::Cache="$cache" -o Dir::Cache::archives="$cache/archives"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=true -o APT::Keep-Downloaded-Packages=true
    -o APT::Update::Post-Invoke= -o APT::Update::Post-Invoke-Success= -o DPkg::Post-Invoke=
    -o APT::Install-Recommends=false -o APT::Install-Suggests=false
    -o Acquire::Languages=none -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false
    -o Acquire::Retries=3)
}

debs() {
  local suite=$1 cache=$2 name
  shift 2
  ! complete "$cache" || return 0
  private_apt "$suite" "$cache" || return 1
  "${apt[@]}" update || return 1
  # --print-uris leaves out what is in the archives already: name the closure against an empty folder.
  "${apt[@]}" -o Dir::Cache::archives="$cache/etc" install -y --print-uris "$@" >"$cache/uris" || return 1
  "${apt[@]}" install -y --download-only "$@" >/dev/null || return 1
  while read -r _ name _; do echo "$name"; done <"$cache/uris" >"$cache/closure"
  rm -rf "$cache/lists" # 50 MB that only `update` needs
  complete "$cache"
}

complete() {
  local name
  [ -s "$1/closure" ] || return 1
  while read -r name; do [ -s "$1/archives/$name" ] || return 1; done <"$1/closure"
}
