package io.inferscope.collectors.doctor;

import io.inferscope.timeline.spool.CuptiDefects;
import io.inferscope.timeline.spool.CuptiDefects.Defect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A libcupti found on the machine.
 *
 * @param file where
 * @param version from its file's full name: {@code 2025.3.0}, or only {@code 13}
 * @param major its CUDA version
 */
public record CuptiLibrary(String file, String version, int major) {
    private static final Pattern NAME = Pattern.compile("libcupti(?:-[0-9a-f]+)?\\.so\\.(\\d{2})(?:\\.\\d+)*");

    /** Variable with the library to load. */
    public static final String NAMED = "INFERSCOPE_CUPTI";

    private static final Pattern PACKAGE =
            Pattern.compile("nvidia_cuda_cupti(?:_cu\\d+)?-(\\d{1,4})\\.(\\d{1,4})\\..*\\.dist-info");

    private static final Set<String> ALWAYS = Set.of("start", "any", "long");

    private static final Pattern FULL = Pattern.compile("libcupti\\.so\\.(\\d{4}(?:\\.\\d+)+)");

    /**
     * Oldest driver branch per CUDA version: CUDA Toolkit release notes, "CUDA Driver and Toolkit versions", minor
     * version compatibility.
     */
    private static final Map<Integer, Integer> OLDEST_DRIVER = Map.of(13, 580, 12, 525, 11, 450);

    /**
     * Finds all libraries that the command could load, in the agent's order: beside the CUDA runtime of the command's
     * own interpreter, then in the dynamic linker's folders, then in the CUDA toolkits.
     */
    public static List<CuptiLibrary> find(Machine machine, List<String> sites) {
        String named = machine.variable(NAMED);
        if (!named.isEmpty()) {
            Set<CuptiLibrary> found = new LinkedHashSet<>();
            add(found, machine, named);
            return List.copyOf(found);
        }
        return inFolders(machine, folders(machine, sites));
    }

    /** Finds those in some folders, in their order. */
    public static List<CuptiLibrary> inFolders(Machine machine, List<String> folders) {
        Set<CuptiLibrary> found = new LinkedHashSet<>();
        for (String folder : folders) {
            machine.list(folder).stream()
                    .sorted(Comparator.reverseOrder()) // the newer first
                    .forEach(name -> add(found, machine, folder + "/" + name));
        }
        return List.copyOf(found);
    }

    private static List<String> folders(Machine machine, List<String> sites) {
        List<String> folders = new ArrayList<>();
        for (String site : sites) {
            folders.add(site + "/nvidia/cu13/lib");
            folders.add(site + "/nvidia/cuda_cupti/lib");
            folders.add(site + "/torch/lib");
            folders.add(site + "/../..");
        }
        folders.addAll(Libraries.folders(machine));
        List<String> toolkits = new ArrayList<>(PythonInstallation.paths(machine.variable("CUDA_HOME")));
        machine.list("/usr/local").stream()
                .filter(name -> name.equals("cuda") || name.startsWith("cuda-"))
                .forEach(name -> toolkits.add("/usr/local/" + name));
        for (String toolkit : toolkits) {
            folders.add(toolkit + "/extras/CUPTI/lib64");
            folders.add(toolkit + "/lib64");
        }
        return folders.stream()
                .map(folder -> Path.of(folder).normalize().toString())
                .distinct()
                .toList();
    }

    private static void add(Set<CuptiLibrary> found, Machine machine, String file) {
        Matcher name = NAME.matcher(Program.baseName(file));
        if (name.matches() && machine.exists(file)) { // libcupti.so.2025.3.0 is where a link leads
            Matcher dated = FULL.matcher(Program.baseName(machine.real(file)));
            String version = dated.matches() ? dated.group(1) : name.group(1);
            found.add(new CuptiLibrary(file, version, Integer.parseInt(name.group(1))));
        }
    }

    /** Returns whether a driver is new enough; an unknown version counts as new enough. */
    boolean worksWith(NvidiaDriver driver) {
        return driver.branch() == 0 || driver.branch() >= oldestDriver();
    }

    /** Returns the oldest driver branch that this library works with, 0 for a CUDA version that is not known. */
    int oldestDriver() {
        return OLDEST_DRIVER.getOrDefault(major, 0);
    }

    /**
     * Returns the known defects that show in every recording, or in every long one. Only packages of Python say in their
     * own names of which CUDA they are; the same holds for the tables' versions from CUDA 13 on.
     */
    List<Defect> defects(Machine machine) {
        int packages = file.indexOf("/nvidia/");
        List<String> names = packages < 0 ? List.of() : machine.list(file.substring(0, packages));
        return names.stream()
                .map(PACKAGE::matcher)
                .filter(Matcher::matches)
                .filter(name -> Integer.parseInt(name.group(1)) == major)
                .flatMap(name ->
                        CuptiDefects.ALL.stream().filter(defect -> defect.isIn(major, Integer.parseInt(name.group(2)))))
                .filter(defect -> ALWAYS.contains(defect.when()))
                .toList();
    }

    String describe() {
        return file + " (CUDA " + major + (version.equals(Integer.toString(major)) ? "" : ", CUPTI " + version) + ")";
    }
}
