package io.inferscope.collectors.doctor;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The hooks of launches that {@code run --gpu-detail launches} and {@code auto} preload:
 * docs/adr/0018-hooks-of-launches-are-preloaded.md.
 */
public final class LaunchHooks {
    /** The library, beside the CUDA agent. */
    public static final String LIBRARY = "libinferscope-launches.so";

    private static final String ID = "launch-hooks";
    private static final String PRELOAD = "LD_PRELOAD";

    /** The loaders of glibc, whose versioned symbols the hooks need; another C library reports a preloaded file that it cannot use. */
    private static final List<String> LOADERS = List.of("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1");

    /** Names of the driver's functions that launch, copy, fill or wait, among the library's texts, and what of a name is its form. */
    private static final Pattern FUNCTION =
            Pattern.compile("(?<=\\x00)cu\\w{0,20}(?:Launch|Memcpy|Memset|Synchronize)\\w{0,40}(?=\\x00)");

    private static final Pattern FORM = Pattern.compile("(_v\\d)?(_ptsz|_ptds)?$");

    private final Machine machine;
    private final NvidiaDriver driver;

    LaunchHooks(Machine machine, NvidiaDriver driver) {
        this.machine = machine;
        this.driver = driver;
    }

    /**
     * Returns why the library cannot be preloaded on a machine, empty if it can. The loader separates files by blanks
     * and colons.
     *
     * @param library its path
     * @param exists whether there is a file
     */
    public static String obstacle(String library, Predicate<String> exists) {
        if (library.matches(".*[ :].*")) {
            return "the path " + library + " has a blank or colon";
        }
        if (LOADERS.stream().noneMatch(exists)) {
            return "this machine's C library is not glibc";
        }
        return exists.test(library) ? "" : "this installation has no hooks for this processor";
    }

    /** Checks which functions of the driver hooks would replace in a program. */
    CollectorCheck applicable(String agent, Program program) {
        if (!driver.isAnything()) {
            return CollectorCheck.absent(ID, "no NVIDIA GPU here");
        }
        String library = agent.substring(0, agent.lastIndexOf('/') + 1) + LIBRARY;
        String obstacle = obstacle(library, machine::exists);
        String file = program.interpreter().isEmpty() ? program.file() : program.interpreter();
        if (obstacle.isEmpty() && !file.isEmpty() && !machine.isLoaded(file)) {
            obstacle = file + " is linked statically, so the loader preloads nothing";
        }
        if (!obstacle.isEmpty()) {
            return CollectorCheck.limited(ID, obstacle, "record with --gpu-detail full, which needs no hooks");
        }
        Set<String> names = FUNCTION.matcher(machine.text(library))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> there = machine.exported(driver.library(), names);
        if (there.isEmpty()) {
            return CollectorCheck.limited(ID, "which functions the driver's libcuda.so.1 has is not known", "");
        }
        Set<String> missing = forms(names);
        missing.removeAll(forms(there));
        String found = launching(there) + " of " + driver.library()
                + "; not in programs that are linked to it or ask dlvsym for them";
        String before = machine.variable(PRELOAD);
        if (!before.isEmpty()) {
            return CollectorCheck.limited(
                    ID,
                    found + "; " + PRELOAD + " names " + before + ", and its dlsym, if it has one, comes first",
                    "unset it");
        }
        return missing.isEmpty()
                ? CollectorCheck.works(ID, found)
                : CollectorCheck.limited(ID, found + "; this driver has no " + String.join(", ", missing), "");
    }

    /** Names what launches, and how many functions copy, fill or wait. */
    private static String launching(Set<String> functions) {
        Set<String> all = forms(functions);
        String launches = all.stream().filter(name -> name.contains("Launch")).collect(Collectors.joining(", "));
        return launches + ", " + count(all, "Memcpy") + " that copy, " + count(all, "Memset") + " that fill, "
                + count(all, "Synchronize") + " that wait";
    }

    private static long count(Set<String> names, String word) {
        return names.stream().filter(name -> name.contains(word)).count();
    }

    private static Set<String> forms(Set<String> functions) {
        return functions.stream()
                .map(name -> FORM.matcher(name).replaceFirst(""))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
