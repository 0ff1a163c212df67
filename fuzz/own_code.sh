#!/bin/sh
# Cargo's RUSTC_WRAPPER: coverage of tilewise's own crates alone. What a fuzzer
# reaches within the readers of TOML, JSON and SPIR-V that they stand on grows for
# hours, guides it to nothing of ours, and is those projects' to fuzz.
case " $* " in
*" --crate-name tilewise_"*) exec "$@" ;;
esac
for argument do
    shift
    case $argument in
    *sancov* | *sanitizer-coverage*) ;;
    *) set -- "$@" "$argument" ;;
    esac
done
exec "$@"
