#!/usr/bin/env bash
# Builds target/opponent/libopponent.so: Pinocchio from pip, header-only, with the newest clang there is.
# Takes three to six minutes; does nothing when source, flags, compiler, processor and packages are unchanged.
#
#   OPPONENT_VENV   virtual environment with `pin` and `cmeel-eigen` (default target/venv; made or completed if needed)
#   OPPONENT_CXX    compiler (default: the newest clang++; Debian's newest is installed if there is none)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=${OPPONENT_VENV:-$root/target/venv}
out=$root/target/opponent/libopponent.so

say() { echo "opponent: $*" >&2; }

# The newest clang++ on the path; versioned names first, highest number first.
newest_clang() {
    { compgen -c clang++- | grep -E '^clang\+\+-[0-9]+$' | sort -t- -k2 -rn; command -v clang++; } | head -n 1 || true
}

install_clang() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    apt-get update -qq
    local package
    package=$(apt-cache pkgnames clang- | grep -E '^clang-[0-9]+$' | sort -t- -k2 -rn | head -n 1)
    say "installing $package"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >&2
}

cxx=${OPPONENT_CXX:-$(newest_clang)}
if [ -z "$cxx" ]; then
    install_clang || { say "no clang++ found; install one, or set OPPONENT_CXX"; exit 1; }
    cxx=$(newest_clang)
fi

# `pin` does not depend on Eigen's headers; `cmeel-eigen` carries them.
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
prefix=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/cmeel.prefix
if [ ! -f "$prefix/include/pinocchio/fwd.hpp" ] || [ ! -d "$prefix/include/eigen3" ]; then
    say "installing pin and cmeel-eigen into $venv"
    "$venv/bin/pip" install --quiet pin cmeel-eigen >&2
fi

speed=(-O3 -march=native -DNDEBUG -std=c++17)
flags=(
    "${speed[@]}" -shared -fPIC -fvisibility=hidden -fvisibility-inlines-hidden
    -fbracket-depth=1024 # boost::variant over Pinocchio's joints folds deeply
    -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 # Pinocchio's own, as its CMake files export them
    -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12
    -Wall -Wextra -Wl,--no-undefined # whatever would need the shipped library is an error
    "-DOPPONENT_FLAGS=\"${speed[*]}\""
)

# The predefined macros name the compiler's version and, through -march=native, the processor's features.
key=$({
    cat "$here/opponent.h" "$here/opponent.cpp"
    printf '%s\n' "${flags[@]}"
    "$cxx" "${speed[@]}" -x c++ -E -dM /dev/null
    "$venv/bin/pip" list --format=freeze --disable-pip-version-check | grep -E '^(pin|libpinocchio|cmeel-eigen|cmeel-boost)='
} | sha256sum | cut -d' ' -f1)

if [ -f "$out" ] && [ "$(cat "$out.key" 2>/dev/null)" = "$key" ]; then
    say "up to date"
else
    say "compiling with $cxx"
    mkdir -p "$(dirname "$out")"
    "$cxx" "${flags[@]}" -isystem "$prefix/include" -isystem "$prefix/include/eigen3" "$here/opponent.cpp" -o "$out.new"
    mv "$out.new" "$out"
    echo "$key" >"$out.key"
fi
echo "$out"
