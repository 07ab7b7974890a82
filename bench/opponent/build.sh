#!/usr/bin/env bash
# Builds Pinocchio from pip as a timing opponent, with the newest clang there is, and prints the path of the library:
#
#   build.sh            target/opponent/libopponent.so: header-only, -march=native, the opponent that counts
#   build.sh shipped    target/opponent/libopponent-shipped.so: the library that `pip install pin` brings, called from C++
#
# Each takes three to seven minutes; nothing is done when source, flags, compiler, processor and packages are unchanged.
#
#   OPPONENT_VENV   virtual environment with `pin` and `cmeel-eigen` (default target/venv; made or completed if needed)
#   OPPONENT_CXX    compiler (default: Debian's newest clang++, which is installed if an older one or none is there)
#   OPPONENT_PAD    bytes that shift all code within its page (default 1792); relinking takes a second
#
# Why the padding: the second-order derivatives of a joint are one function of 15 KB, and where its hot loop meets page
# boundaries decides between 17 and 25 us (chain of 10, Zen 3, identical bytes). The default is the best we found.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=${OPPONENT_VENV:-$root/target/venv}
pad=${OPPONENT_PAD:-1792}
which=${1:-native}

say() { echo "opponent: $*" >&2; }

# The newest clang++ on the path; versioned names first, highest number first.
newest_clang() {
    { compgen -c clang++- | grep -E '^clang\+\+-[0-9]+$' | sort -t- -k2 -rn; command -v clang++; } | head -n 1 || true
}

# Debian's newest: an older one would make a weaker opponent.
install_clang() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    apt-get update -qq || true
    local package
    package=$(apt-cache pkgnames clang- | grep -E '^clang-[0-9]+$' | sort -t- -k2 -rn | head -n 1)
    [ -n "$package" ] || return 1
    command -v "clang++-${package#clang-}" >/dev/null && return
    say "installing $package"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >&2
}

cxx=${OPPONENT_CXX:-}
if [ -z "$cxx" ]; then
    install_clang || say "cannot install the newest clang; taking the newest there is"
    cxx=$(newest_clang)
    [ -n "$cxx" ] || { say "no clang++ found; install one, or set OPPONENT_CXX"; exit 1; }
fi

# `pin` does not depend on Eigen's headers; `cmeel-eigen` carries them.
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
prefix=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/cmeel.prefix
if [ ! -f "$prefix/include/pinocchio/fwd.hpp" ] || [ ! -d "$prefix/include/eigen3" ]; then
    say "installing pin and cmeel-eigen into $venv"
    "$venv/bin/pip" install --quiet pin cmeel-eigen >&2
fi

case $which in
native)
    name=opponent
    held=("$root/target/opponent/opponent.o.held") # constrained dynamics, in a file of their own
    speed=(-O3 -march=native -DNDEBUG -std=c++17)
    special=()
    libraries=()
    ;;
shipped)
    name=opponent-shipped
    held=()
    speed=(-O3 -DNDEBUG -std=c++17)
    special=(-DOPPONENT_SHIPPED -DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION)
    libraries=(-L"$prefix/lib" -lpinocchio_default -Wl,-rpath,"$prefix/lib" -Wl,-rpath-link,"$prefix/lib")
    ;;
*)
    say "there is no build \"$which\"; say nothing, or \"shipped\""
    exit 2
    ;;
esac
out=$root/target/opponent/lib$name.so
object=$root/target/opponent/$name.o

flags=(
    "${speed[@]}" "${special[@]}" -fPIC -fvisibility=hidden -fvisibility-inlines-hidden
    -fbracket-depth=1024 # boost::variant over Pinocchio's joints folds deeply
    -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 # Pinocchio's own, as its CMake files export them
    -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12
    -Wall -Wextra -Wno-deprecated-declarations # its constrained dynamics are called so
    "-DOPPONENT_FLAGS=\"${speed[*]}\""
)

# The predefined macros name the compiler's version and, through -march=native, the processor's features.
key=$({
    cat "$here"/{opponent.h,opponent.cpp,held.hpp,held.cpp}
    printf '%s\n' "${flags[@]}"
    "$cxx" "${speed[@]}" -x c++ -E -dM /dev/null
    "$venv/bin/pip" list --format=freeze --disable-pip-version-check | grep -E '^(pin|libpinocchio|cmeel-eigen|cmeel-boost)='
} | sha256sum | cut -d' ' -f1)

# fresh FILE KEY: FILE was made with this key.
fresh() { [ -f "$1" ] && [ "$(cat "$1.key" 2>/dev/null)" = "$2" ]; }

if ! fresh "$object" "$key"; then
    say "compiling the $which build with $cxx: several minutes"
    mkdir -p "$(dirname "$object")"
    compile() { "$cxx" "${flags[@]}" -isystem "$prefix/include" -isystem "$prefix/include/eigen3" -c "$here/$1" -o "$2"; }
    compile opponent.cpp "$object" &
    [ "$which" = shipped ] || compile held.cpp "$object.held"
    wait $!
    echo "$key" >"$object.key"
fi

# --no-undefined: in the header-only build, whatever would need Pinocchio's shipped library is an error here.
link_key="$key $pad $(sha256sum <"$here/peak.cpp")"
if ! fresh "$out" "$link_key"; then
    printf '.text\n.skip %d, 0x90\n.section .note.GNU-stack,"",@progbits\n' "$pad" |
        "$cxx" -x assembler -c - -o "$object.pad"
    "$cxx" -O3 -march=native -std=c++17 -Wall -Wextra -fPIC -c "$here/peak.cpp" -o "$object.peak"
    "$cxx" -shared -Wl,--no-undefined "$object.pad" "$object" "${held[@]}" "$object.peak" "${libraries[@]}" -o "$out.new"
    mv "$out.new" "$out"
    echo "$link_key" >"$out.key"
fi

# The shipped build is worth its name only if the algorithms really come from the library.
if [ "$which" = shipped ]; then
    imported=$(nm -DC --undefined-only "$out")
    for algorithm in rnea aba crba computeRNEADerivatives computeABADerivatives computeForwardKinematicsDerivatives; do
        grep -q "pinocchio::\(impl::\)\?$algorithm<" <<<"$imported" || { say "$algorithm is not the library's"; exit 1; }
    done
fi
echo "$out"
