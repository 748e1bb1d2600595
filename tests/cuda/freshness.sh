#!/bin/sh
# Have the sources moved on since the committed measurements? Then this test skips itself, and says so.
cd "$1" || exit 1
now=$(tools/gpu_check --sources) || { echo "no git here, so nobody can say"; exit 77; }
for results in bench/results/*/*.json; do
  case $(basename "$results") in cuda*) ;; *) continue ;; esac
  grep -q '"sources"' "$results" || { echo "$results names no sources"; exit 1; }
  grep -q "\"sources\": \"$now\"" "$results" || { echo "$results was measured with other sources than these ($now): measure again by tools/gpu_check"; exit 77; }
done
