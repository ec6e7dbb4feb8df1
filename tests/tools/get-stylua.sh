#!/usr/bin/env bash
# get-stylua.sh: the formatter of the Lua half as .cache/stylua-VERSION/stylua, from its npm package, which carries
# the program ready-made. Without npm or a network there is none: the check then says so and goes on.
set -euo pipefail
dir=.cache/stylua-2.5.2
[ ! -x $dir/stylua ] || exit 0
command -v npm >/dev/null || exit 0
mkdir -p $dir
# node does not look at the system's certificates by itself
system=/etc/ssl/certs/ca-certificates.crt
[ ! -r $system ] || export NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-$system}
npm install --silent --no-audit --no-fund --fetch-retries=0 --prefix $dir \
  "@johnnymorganz/stylua-bin@${dir#*-}" >$dir/log 2>&1 || exit 0
program=$(find $dir/node_modules -type f -name stylua -perm -u+x | head -n 1)
[ -z "$program" ] || ln -sfn "${program#"$dir/"}" $dir/stylua
