#!/usr/bin/env bash
# get-nvim.sh SUITE PREFIX: the Neovim of a Debian suite, with its own libc, as PREFIX/bin/nvim.
#
# Needs apt-get and dpkg-deb and a Debian mirror in the machine's sources; no root. Nothing of the system is
# touched. The paths are baked in: a moved PREFIX is made anew from the .debs kept in PREFIX.cache, offline.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tools/apt.sh
. "$here/apt.sh"

suite=${1:?usage: get-nvim.sh SUITE PREFIX}
mkdir -p "$(dirname "${2:?usage: get-nvim.sh SUITE PREFIX}")"
prefix=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cache=$prefix.cache

made() { [ -x "$prefix/bin/nvim" ] && [ "$(cat "$prefix/made-for" 2>/dev/null)" = "$suite $prefix" ]; }
! made || exit 0
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
  die "only apt fetches a Neovim: install 0.10 or newer (macOS: brew install neovim) and say make NVIM=/path/to/nvim"
fi
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
! made || exit 0 # another make was quicker

echo "Fetching Neovim ($suite) ..." >&2
# patchelf comes along and runs under the fetched loader: it needs nothing of this machine either
debs "$suite" "$cache" neovim patchelf ||
  die "no Neovim to be had from this machine's packages: install Neovim 0.10 or newer and say make NVIM=/path/to/nvim"

new=$prefix.new.$$
trap 'rm -rf "$new"' EXIT
rm -rf "$new"
# Every suite unpacks into one layout: the older ones ship /lib beside /usr/lib.
mkdir -p "$new/bin" "$new"/root/usr/{lib,lib64,bin,sbin}
for dir in lib lib64 bin sbin; do ln -s "usr/$dir" "$new/root/$dir"; done
unneeded='^(perl|perl-base|debconf|debianutils|dpkg|adduser|passwd|base-files|tar|coreutils|libc-bin|libc-gconv-modules-extra)_'
while read -r deb; do
  [[ $deb =~ $unneeded ]] && continue
  dpkg-deb --fsys-tarfile "$cache/archives/$deb" |
    tar -x -C "$new/root" --keep-directory-symlink --no-same-owner \
      --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale' \
      --exclude='./usr/share/gcc' --exclude='./usr/share/gdb' --exclude='*/gconv'
done <"$cache/closure"

nvim=$new/root/usr/bin/nvim
arch=$(basename "$(dirname "$(find "$new/root/usr/lib" -name libc.so.6 | head -n 1)")")
loader=$(find "$new/root/usr/lib" "$new/root/usr/lib64" -name 'ld-linux*.so.*' | head -n 1)
{ [ -x "$nvim" ] && [ -n "$loader" ]; } || die "the packages of $suite hold no Neovim and loader"
patchelf() { "$loader" --library-path "$new/root/usr/lib/$arch" "$new/root/usr/bin/patchelf" "$@"; }

# The loader and the libraries go into the program itself: no wrapper and no LD_LIBRARY_PATH that would leak into
# what Neovim starts, and /proc/self/exe (v:progpath, from which a terminal's Neovim starts its server) is nvim.
# RPATH, not RUNPATH: it also serves what the libraries need.
baked=$prefix/root${loader#"$new/root"}
patchelf --set-interpreter "$baked" --force-rpath --set-rpath "$prefix/root/usr/lib/$arch" "$nvim"
# Neovim looks into its compiled-in folders first, then beside itself. Names of the same length that do not exist
# keep a system-wide Neovim of another version out.
sed -i -e 's#/usr/share/nvim#/usr/-hare/nvim#g' -e "s#/usr/lib/$arch/nvim#/usr/-ib/$arch/nvim#g" "$nvim"
[ ! -d "$new/root/usr/lib/$arch/nvim" ] || ln -s "$arch/nvim" "$new/root/usr/lib/nvim"
ln -s ../root/usr/bin/nvim "$new/bin/nvim"
echo "$suite $prefix" >"$new/made-for"

rm -rf "$prefix"
mv "$new" "$prefix"
trap - EXIT
"$prefix/bin/nvim" --version | head -n 1 >&2
