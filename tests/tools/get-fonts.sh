#!/usr/bin/env bash
# get-fonts.sh: fetch the fonts that pictures are drawn with, from Debian's packages of them, to .cache/fonts.
#
# On a machine without apt-get, put the files named below there by hand: JetBrains Mono 2.304 and DejaVu 2.37.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/tools/apt.sh
. tests/tools/apt.sh

fonts=.cache/fonts
wanted=(JetBrainsMonoNL-{Regular,Bold,Italic,BoldItalic}.ttf DejaVuSans{Mono,}.ttf)
made() { for name in "${wanted[@]}"; do [ -s "$fonts/$name" ] || return 1; done; }
! made || exit 0
mkdir -p "$fonts"
exec 9>"$fonts.lock"
! command -v flock >/dev/null || flock 9
! made || exit 0 # another make was quicker

echo "Fetching fonts ..." >&2
cache=$PWD/.cache/fonts.debs
debs trixie "$cache" fonts-jetbrains-mono fonts-dejavu-core ||
  die "no fonts to be had from this machine's packages: put ${wanted[*]} into $fonts"
while read -r deb; do dpkg-deb -x "$cache/archives/$deb" "$fonts.new"; done <"$cache/closure"
for name in "${wanted[@]}"; do find "$fonts.new" -name "$name" -exec mv {} "$fonts/" \;; done
rm -rf "$fonts.new"
made || die "the packages of fonts hold not all of ${wanted[*]}"
