#!/usr/bin/env bash
# Exports every example as a bundle, for a machine that has no clang.
#
#   bench/bundles.sh TILEWISE OUT
set -eu
tilewise=$1 out=$2
cd "$(dirname "$0")/.."
mkdir -p "$out"
for file in examples/*/*.cl; do
    name=$(basename "$file" .cl)
    kernel=$(grep -oE 'void [a-z0-9_]+_(naive|tiled)' "$file" | head -n 1 | cut -d' ' -f2)
    "$tilewise" export "$file::$kernel" --device sim:h200 -o "$out/$name" >/dev/null
done
# Macros decide the tile: each value is a bundle of its own.
"$tilewise" export examples/matmul/matmul.cl::matmul_naive --launch-name tile32 \
    --device sim:h200 -o "$out/matmul_tile32" >/dev/null
