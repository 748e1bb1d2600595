#!/bin/sh
# gpu_check_parts.sh SOURCE_DIR: does `gpu_check --full` stop after a part, go on where it stopped, join what there is, and
# begin anew with other sources? The programs of its bundle are stand-ins that write one row each.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; cat "$folder/said"; exit 1; }
mkdir "$folder/parts" "$folder/bundle"
cat > "$folder/parts/lanesort_cuda_bench" <<'PROGRAM'
#!/bin/sh
[ "$2" = --json ] || exit 4
printf '{\n  "schema": 1,\n  "environment": {\n    "device": "none"\n  },\n  "notes": [],\n  "rows": [\n    {\n      "op": "%s"\n    }\n  ]\n}\n' "$1" > "$3"
PROGRAM
printf '#!/bin/sh\nexit 0\n' > "$folder/parts/cuda_gpu_test"
chmod +x "$folder"/parts/*
pack() {
  echo "$1" > "$folder/parts/sources"
  tar -C "$folder/parts" -cf - . | xz > "$folder/bundle/parts.tar.xz"
}
cp "$(command -v xz)" "$folder/bundle/xz"
full() { LANESORT_PART_SECONDS=$1 "$2/tools/gpu_check" --full "$folder/bundle" "$folder/out" > "$folder/said" 2>&1; }
rows() { grep -c '"op"' "$folder/out/results.json"; }

pack first
for call in 1 2 3; do
  status=0
  full 0 "$1" || status=$?
  [ $status -eq 75 ] || fail "call $call ended with $status, though parts were left"
done
[ "$(rows)" -eq 2 ] || fail "the tests and two benches were run, and there are $(rows) rows"
full 9999 "$1" || fail "the last call failed"
[ "$(rows)" -eq 7 ] || fail "seven benches were run, and there are $(rows) rows"
full 9999 "$1" || fail "a call with nothing to do failed"
grep -q '"sources": "first"' "$folder/out/results.json" || fail "no hash of the sources"
python3 -m json.tool "$folder/out/results.json" > /dev/null || fail "not JSON"

printf '#!/bin/sh\nexit 1\n' > "$folder/parts/cuda_gpu_test"
pack second
if full 9999 "$1"; then fail "a test failed, and the whole did not"; fi
grep -q '"sources": "second"' "$folder/out/results.json" || fail "the parts of other sources were kept"
grep -q '"exit": 1' "$folder/out/results.json" || fail "the failure is not among the checks"
