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
    local modules unused target=$jdk strip=strip options=()
    if [ -n "${2-}" ]; then
        target=${2%/*} strip=aarch64-linux-gnu-strip options=(--module-path "$2")
    fi
    modules=$("$jdk/bin/jdeps" --ignore-missing-deps --print-module-deps --multi-release 17 -q --recursive \
        --class-path "$(printf '%s:' "$dist"/lib/*.jar)" "$dist"/lib/inferscope-*.jar)
    modules=,$modules,
    modules=${modules/,java.desktop,/,} # Named by JNA for windows of a desktop, of which there are none.
    modules=${modules%,}
    unused=$1.unused # In a folder that its maker removes.
    : >"$unused"
    [ -n "${2-}" ] || unused_classes >"$unused"
    # Symbols of native libraries are left to strip: jlink would call the objcopy of this machine.
    "$jdk/bin/jlink" ${options[@]+"${options[@]}"} --add-modules "${modules#,},jdk.unsupported,java.management,jdk.zipfs" \
        --exclude-resources="@$unused" --strip-java-debug-attributes --no-header-files --no-man-pages --output "$1"
    rm "$unused"
    "$strip" --strip-unneeded "$1"/lib/*.so "$1"/lib/server/*.so
    grep -e '^IMPLEMENTOR=' -e '^JAVA_RUNTIME_VERSION=' -e '^OS_ARCH=' "$target/release" >>"$1/release" # By which archives are named.
}

# Prints the classes of $jdk that no runtime needs, for jlink: java.sql requires java.xml, of which only the interfaces are used. Each package
# keeps a class, because the module names its packages.
unused_classes() {
    "$jdk/bin/jimage" list --include 'regex:/java.xml/com/sun/.*' "$jdk/lib/modules" |
        awk '$1 ~ /[.]class$/ { package = $1; sub("/[^/]*$", "", package); if (seen[package]++) print "/java.xml/" $1 }'
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

# Copies the distribution to $1 for the architecture $2 (x86-64 or aarch64), without what only other systems use.
make_tree() {
    local tree=$1 arch=$2 other
    mkdir -p "$tree"
    cp -r "$dist/bin" "$dist/lib" "$dist/native" "$dist/python" "$dist/examples" "$dist/LICENSE" "$dist/.built" "$dist/.commit" "$dist/.version" "$tree"
    rm -rf "$tree/python/pyproject.toml" "$tree/python/setup.py"
    for other in x86-64 aarch64; do
        [ $other = "$arch" ] || rm -rf "$tree/native/linux-$other" "$tree/python/inferscope/native/linux-$other"
    done
    python3 "$root/scripts/packaging/jars.py" "$tree"
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
        make_archive "$jdk/$archive_name" &
    done
    wait
    for command in analyze run; do
        name_archive
        [ -s "$jdk/$archive_name" ] || fail "no start-up archive for $command"
        rm -f "$jdk/$archive_name.lock"
    done
}
