#!/usr/bin/env bash
# real.sh [arguments of pytest]: real agents, installed into .cache/agents, play whole stories through the plugin.
#
# While they do there is no network but loopback, where the machine allows that; else it is said.
#   ACP_REAL_AGENTS="agentao kimicode"   these instead of all
#   ACP_RECORD=tests/scenarios           keep the wire of each story there
set -euo pipefail
cd "$(dirname "$0")/../.."
python=.venv/bin/python
export ACP_REAL_AGENTS=${ACP_REAL_AGENTS:-all}
# shellcheck disable=SC2086 # a list
if [ "$ACP_REAL_AGENTS" = all ]; then "$python" tests/tools/agents.py; else "$python" tests/tools/agents.py $ACP_REAL_AGENTS; fi
if unshare -rn sh -c 'ip link set lo up' 2>/dev/null; then
  exec unshare -rn sh -c 'ip link set lo up; exec "$@"' sh "$python" -m pytest tests/real "$@"
fi
echo "test-agents: no network namespace is allowed here (unshare -rn): the agents could reach the network" >&2
exec "$python" -m pytest tests/real "$@"
