#!/usr/bin/env bash
# Measures every example pair on one device and keeps each run as JSON.
#
#   bench/measure.sh TILEWISE BUNDLES OUT [DEVICE] [BUDGET]
#
# TILEWISE  the binary
# BUNDLES   a folder of bundles, as `bench/bundles.sh` writes them, so that the
#           machine with the device needs no clang
# OUT       a new folder for the runs
# DEVICE    as after --device (default: cl:0)
# BUDGET    seconds per measurement (default: 1)
set -u
tilewise=$1 bundles=$2 out=$3 device=${4:-cl:0} budget=${5:-1}
mkdir -p "$out"

# pair NAME BUNDLE UNSTAGED STAGED [FLAGS...]
pair() {
    local name=$1 bundle=$2 unstaged=$3 staged=$4
    shift 4
    timeout 120 "$tilewise" advise "$bundles/$bundle::$unstaged" --against "::$staged" \
        --device "$device" --budget "$budget" --export-json "$out/$name.json" "$@" \
        >"$out/$name.txt" 2>"$out/$name.err"
    local code=$?
    printf '%-18s %s\n' "$name" "$(grep '^verdict' "$out/$name.txt" || echo "exit $code: $(tail -n 3 "$out/$name.err" | tr '\n' ' ')")"
}

pair blur blur blur_naive blur_tiled
for r in 1 4 8 16 32 64; do
    pair "fir_r$r" fir fir_naive fir_tiled --arg "R=$r"
done
for r in 1 2 3 5 7; do
    for local in 16x16 32x8; do
        pair "conv2d_r${r}_$local" conv2d conv2d_naive conv2d_tiled --arg "R=$r" --local "$local"
    done
done
pair matmul_16 matmul matmul_naive matmul_tiled
pair matmul_32 matmul_tile32 matmul_naive matmul_tiled --launch-name tile32
pair transpose transpose transpose_naive transpose_tiled
pair transpose_padded transpose transpose_naive transpose_padded
pair nbody nbody nbody_naive nbody_tiled
for name in conv2d_zero conv2d_wrap conv2d_fixed jacobi stencil3d pairwise kmeans lut rowsum map; do
    pair "$name" "$name" "${name}_naive" "${name}_tiled"
done
pair gaussian_rows gaussian gaussian_rows_naive gaussian_rows_tiled
pair gaussian_columns gaussian gaussian_columns_naive gaussian_columns_tiled
