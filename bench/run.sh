#!/usr/bin/env bash
# dtau against Pinocchio: installs what is missing, builds both sides, compares their results, times them in turns, and
# writes bench/results/latest.json and BENCHMARKS.md.
#
#   bench/run.sh                     everything: about a quarter of an hour once the opponent is built
#   bench/run.sh --quick             fewer trees, fewer passes: about two minutes
#   bench/run.sh --only 'hyq|panda'  only comparisons whose "robot quantity mode" matches; results go to target/bench
#   bench/run.sh --strict            fails if a floor is missed
#   bench/run.sh --page              writes BENCHMARKS.md again from bench/results/latest.json; measures nothing, needs Rust alone
#
# The opponent is compiled once (bench/opponent/build.sh: twice three to seven minutes) and kept under target/.
#
#   OPPONENT_VENV   Python environment to use instead of target/venv
#   BENCH_CORE      the core to run on (default: the last one)
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n\033[1m== %s\033[0m\n' "$*" >&2; }

quick=() only=() strict=() json=bench/results/latest.json markdown=BENCHMARKS.md
work=target/bench
mkdir -p "$work" bench/results
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=(--quick) ;;
    --strict) strict=(--strict) ;;
    --page)
        cargo run --quiet -p dtau-bench --bin head-to-head -- page "$json" --markdown "$markdown" \
            --instructions bench/results/instructions.json
        exit
        ;;
    --only)
        only=(--only "${2:?--only needs a pattern}")
        json=$work/latest.json markdown=$work/BENCHMARKS.md
        shift
        ;;
    -h | --help)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' bench/run.sh
        exit
        ;;
    *)
        echo "run.sh: unknown option $1; see --help" >&2
        exit 2
        ;;
    esac
    shift
done

say "packages"
if [ -n "${OPPONENT_VENV:-}" ]; then
    python=$OPPONENT_VENV/bin/python
else
    python=$(parity/setup.sh)
    export OPPONENT_VENV=$PWD/target/venv
fi
if ! "$python" -c 'import pybullet_data' 2>/dev/null || ! cmp -s bench/requirements.txt "$OPPONENT_VENV/bench.txt"; then
    "$python" -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt >&2
    cp bench/requirements.txt "$OPPONENT_VENV/bench.txt"
fi
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
version() { "$python" -m pip list --format=freeze --disable-pip-version-check | sed -n "s/^$1==//p"; }

say "the opponent"
opponent=$(bench/opponent/build.sh)
shipped=$(bench/opponent/build.sh shipped)

say "dtau"
# With the crates of the wheel, so that the library is built once for both.
cargo build --release -p dtau-bench -p dtau-cli -p dtau-py --features dtau-cli/batches --lib --bins

if [ -f pyproject.toml ]; then
    "$python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps . >&2 ||
        echo "run.sh: the Python package does not build; going on without it" >&2
fi

bench=${CARGO_TARGET_DIR:-target}/release/head-to-head
core=${BENCH_CORE:-$(($(nproc) - 1))}
# Generated code is compiled by the opponent's compiler.
cc=$({ echo clang-0; compgen -c clang- | grep -E '^clang-[0-9]+$' || true; } | sort -t- -k2 -n | tail -n 1) # not `head`: it would break the pipe
cc=${cc%-0}
export DTAU_CACHE=$PWD/$work/generated
robots=(--example-robot-data "$site/cmeel.prefix/share/example-robot-data/robots" --pybullet "$site/pybullet_data")
sides=(--opponent "$opponent" --shipped "$shipped" "${robots[@]}" "${quick[@]}" "${only[@]}")

say "one state a call, and batches, on core $core"
taskset -c "$core" "$bench" measure "${sides[@]}" --modes single,batch,generated,generated-batch --compiler "$cc" --out "$work/pinned.json"

say "two threads, on all cores"
"$bench" measure "${sides[@]}" --modes threads --out "$work/threads.json"

say "from Python, on core $core"
"$bench" robots "${robots[@]}" >"$work/robots.txt"
taskset -c "$core" "$python" bench/python_bench.py --robots "$work/robots.txt" "${quick[@]}" "${only[@]}" --out "$work/python.json"

say "report"
counts=()
[ -f bench/results/instructions.json ] && counts=(--instructions bench/results/instructions.json) # made by bench/counts.sh
changes=$(git status --porcelain --untracked-files=no 2>/dev/null | grep -vE 'BENCHMARKS.md|bench/results/' | head -n 1 || true)
"$bench" report "$work"/{pinned,threads,python}.json --json "$json" --markdown "$markdown" "${strict[@]}" \
    --fact "date=$(date -u +%Y-%m-%d)" \
    --fact "commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)${changes:+, with changes}" \
    --fact "dtau=$(rustc --version), cargo build --release, no flags" \
    --fact "packages=pin $(version pin), example-robot-data $(version example-robot-data), pybullet $(version pybullet), numpy $(version numpy)" \
    "${counts[@]}" \
    --fact "run=$(echo bench/run.sh "${quick[@]}" "${only[@]}")"
echo "written: $json, $markdown" >&2
