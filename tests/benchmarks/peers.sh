#!/usr/bin/env bash
# One virtual environment below DIR for each peer of the benchmarks:  tests/benchmarks/peers.sh DIR [PYTHON]
set -euo pipefail
dir=${1:?usage: peers.sh DIR [PYTHON]}
python=${2:-python3.11}

environment() {
  local name=$1; shift
  [ -e "$dir/$name" ] || "$python" -m venv "$dir/$name"
  "$dir/$name/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

mkdir -p "$dir"
environment af agent-framework-core langgraph langgraph-checkpoint-sqlite
environment burr "apache-burr[tracking]"
