# shellcheck shell=bash
# Sourced by scripts/gpu-bundle and scripts/package: makes the tree that every package holds, the distribution with a Java runtime of
# its own.

# shellcheck source=scripts/inferscope
source "$root/scripts/inferscope" # for find_jdk, common_options and make_archive

# Sets `dist`: what the launcher builds and starts.
find_distribution() {
    local newest
    "$root/scripts/inferscope" --version >/dev/null || fail "the build failed"
    dist=$root/inferscope-cli/target/quick/inferscope
    newest=$root/inferscope-cli/target/inferscope
    if [ "$newest/.built" -nt "$dist/.built" ]; then dist=$newest; fi
}

# Makes the runtime $1 with the modules that the jars name, and those that they use by name alone. Not compressed: the package
# compresses better than jlink does (docs/adr/0011-packages-bring-a-runtime.md). It is for the machine of $jdk, or for aarch64 from the
# folder $2 of another JDK's jmods, which must have the version of $jdk.
make_runtime() {
    local modules target=$jdk strip=strip options=()
    if [ -n "${2-}" ]; then
        target=${2%/*} strip=aarch64-linux-gnu-strip options=(--module-path "$2")
    fi
    modules=$("$jdk/bin/jdeps" --ignore-missing-deps --print-module-deps --multi-release 17 -q --recursive \
        --class-path "$(printf '%s:' "$dist"/lib/*.jar)" "$dist"/lib/inferscope-*.jar)
    modules=,$modules,
    modules=${modules/,java.desktop,/,} # Named by JNA for windows of a desktop, of which there are none.
    modules=${modules%,}
    # Symbols of native libraries are left to strip: jlink would call the objcopy of this machine.
    "$jdk/bin/jlink" ${options[@]+"${options[@]}"} --add-modules "${modules#,},jdk.unsupported,java.management,jdk.zipfs" \
        --strip-java-debug-attributes --no-header-files --no-man-pages --output "$1"
    "$strip" --strip-unneeded "$1"/lib/*.so "$1"/lib/server/*.so
    grep -e '^IMPLEMENTOR=' -e '^JAVA_RUNTIME_VERSION=' -e '^OS_ARCH=' "$target/release" >>"$1/release" # By which archives are named.
}

# Sets `jdk` to the JDK that can link the jmods in the folder $1: their version's.
find_linker() {
    local feature
    jdk_tool=java
    [ -f "$1/java.base.jmod" ] || fail "there is no java.base.jmod in $1"
    if ! read_release "${1%/*}" || [ "$found_arch" != aarch64 ]; then fail "${1%/*} is no JDK for aarch64: no bin/java, or not in the file release"; fi
    feature=$found_major jdk_tool=jlink
    if [ "$jdk_major" != "$feature" ]; then
        unset INFERSCOPE_JAVA # Chosen for the other packages.
        jdk_feature=$feature
        find_jdk
    fi
}

# Removes from the jar $1 the entries that the other arguments name; zip ends with 12 when there are none of a kind.
prune() {
    local jar=$1
    shift
    [ -f "$jar" ] || return 0
    zip -q -X -d "$jar" "$@" >/dev/null || [ $? -eq 12 ]
}

# Copies the distribution to $1 for the architecture $2 (x86-64 or aarch64), without the libraries of other systems.
make_tree() {
    local tree=$1 arch=$2 other jar
    mkdir -p "$tree"
    cp -r "$dist/bin" "$dist/lib" "$dist/native" "$dist/python" "$dist/examples" "$dist/LICENSE" "$dist/.built" "$dist/.commit" "$dist/.version" "$tree"
    rm -rf "$tree/python/pyproject.toml" "$tree/python/setup.py"
    for other in x86-64 aarch64; do
        [ $other = "$arch" ] || rm -rf "$tree/native/linux-$other" "$tree/python/inferscope/native/linux-$other"
    done
    # Those of SQLite, JNA and the terminal lie in native/, unpacked, or are not used.
    for jar in "$tree"/lib/sqlite-jdbc-*.jar; do
        prune "$jar" 'org/sqlite/native/*'
    done
    for jar in "$tree"/lib/jna-*.jar; do
        prune "$jar" 'com/sun/jna/*/*.so' 'com/sun/jna/*/*.dll' 'com/sun/jna/*/*.jnilib' 'com/sun/jna/*/*.a'
    done
    for jar in "$tree"/lib/jline-native-*.jar; do
        prune "$jar" 'org/jline/nativ/Windows/*' 'org/jline/nativ/Mac/*' 'org/jline/nativ/FreeBSD/*' 'org/jline/nativ/Linux/*'
    done
    # Parquet names its shapes for columns of places on Earth, and computes nothing with them.
    for jar in "$tree"/lib/jts-core-*.jar; do
        prune "$jar" 'org/locationtech/jts/'{operation,triangulate,noding,geomgraph,coverage,simplify,precision,shape,awt,linearref}'/*'
    done
    mkdir "$tree/completions"
    "$dist/bin/inferscope" completion bash >"$tree/completions/inferscope"
    "$dist/bin/inferscope" completion zsh >"$tree/completions/_inferscope"
    "$dist/bin/inferscope" completion fish >"$tree/completions/inferscope.fish"
    find "$tree" -name __pycache__ -prune -exec rm -rf {} +
}

# Puts start-up archives beside the runtime of the tree $1, made by that runtime: the first start is as fast as later ones, and none is
# written at a user's. `trace` uses that of an analysis: one more would add 8 MB to save 0.1 s of minutes.
make_archives() {
    home=$1
    jdk_tool=java
    unset INFERSCOPE_JAVA # The tree's own.
    find_jdk
    hide_variables
    common_options
    for command in analyze run; do
        name_archive
        make_archive "$jdk/$archive_name"
        [ -s "$jdk/$archive_name" ] || fail "no start-up archive for $command"
        rm -f "$jdk/$archive_name.lock"
    done
}
