#!/bin/sh
# freshness.sh SOURCE_DIR [webgpu]: have the sources moved on since the committed measurements by CUDA, or by WebGPU? Then,
# and where there are none yet, this test skips itself and says so.
cd "$1" || exit 1
now=$(tools/gpu_check --sources ${2:+"$2"}) || { echo "no git here, so nobody can say"; exit 77; }
engine=${2:-cuda}
measured=
for results in bench/results/*/"$engine"*.json; do
  [ -e "$results" ] || continue
  measured=yes
  grep -q '"sources"' "$results" || { echo "$results names no sources"; exit 1; }
  grep -q "\"sources\": \"$now\"" "$results" || { echo "$results was measured with other sources than these ($now): measure again by tools/gpu_check"; exit 77; }
done
[ -n "$measured" ] || { echo "nothing is measured by $engine yet: no bench/results/*/$engine*.json; tools/gpu_check makes it on a machine with a GPU"; exit 77; }
