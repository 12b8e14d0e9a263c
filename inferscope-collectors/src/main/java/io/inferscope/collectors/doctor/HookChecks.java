package io.inferscope.collectors.doctor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which hooks of the Python probe find their targets in the command's packages, by reading those packages' sources.
 *
 * @param table python/inferscope/hooks/hooks.tsv: module, path in it, what is recorded, versions with which it ran
 */
record HookChecks(Machine machine, @Nullable PythonInstallation python, String table) {
    private static final String ID = "hooks";

    /** One hook: its target, and the versions with which it recorded something. */
    private record Row(String module, String path, String records, List<String> versions) {
        String library() {
            return module.split("\\.", 2)[0];
        }
    }

    /** The hooks of one library. */
    private static final class Tally {
        private final Set<String> found = new LinkedHashSet<>();
        private final Set<String> missing = new LinkedHashSet<>();
        private int targets;
        private int undecided;
        private int proven;
    }

    /** Lists, by library, how many hooks apply and what none of them will record. */
    CollectorCheck applicable() {
        if (python == null) {
            return CollectorCheck.absent(ID, "the command is not a Python program, or there is no python3");
        }
        List<Row> rows = rows();
        Set<String> tried = rows.stream()
                .filter(row -> !row.versions().isEmpty())
                .map(Row::library)
                .collect(Collectors.toSet());
        Map<String, Tally> tallies = new LinkedHashMap<>();
        for (Row row : rows) {
            String folder = tried.contains(row.library()) ? folder(row.library()) : "";
            if (!folder.isEmpty()) {
                count(row, folder, tallies.computeIfAbsent(row.library(), library -> new Tally()));
            }
        }
        List<String> told = new ArrayList<>();
        boolean whole = true;
        for (Map.Entry<String, Tally> entry : tallies.entrySet()) {
            Tally tally = entry.getValue();
            tally.missing.removeAll(tally.found);
            whole &= tally.missing.isEmpty();
            told.add((entry.getKey() + " " + version(entry.getKey())).strip() + ": " + tally.targets + " targets, "
                    + tally.proven + " ran with this version"
                    + (tally.undecided == 0 ? "" : ", " + tally.undecided + " not shown by the sources")
                    + (tally.missing.isEmpty() ? "" : ", none for " + String.join(", ", tally.missing)));
        }
        if (told.isEmpty()) {
            return CollectorCheck.absent(ID, "no engine with hooks is installed for " + python.executable());
        }
        String text = String.join("; ", told);
        return whole ? CollectorCheck.works(ID, text) : CollectorCheck.limited(ID, text, "");
    }

    private List<Row> rows() {
        return table.lines()
                .skip(1)
                .map(line -> line.split("\t", -1))
                .filter(cells -> cells.length == 4)
                .map(cells -> new Row(
                        cells[0], cells[1], cells[2], cells[3].isEmpty() ? List.of() : List.of(cells[3].split(" "))))
                .toList();
    }

    /** Returns the folder of packages that has a library, empty when none has. */
    private String folder(String library) {
        return python == null
                ? ""
                : python.sites().stream()
                        .filter(site -> machine.isFolder(site + "/" + library))
                        .findFirst()
                        .orElse("");
    }

    private void count(Row row, String folder, Tally tally) {
        Boolean present = hasTarget(
                folder + "/" + row.module().replace('.', '/'), row.path().split("\\."));
        if (present == null) {
            tally.undecided++;
            tally.found.add(row.records());
        } else if (present) {
            tally.targets++;
            tally.found.add(row.records());
            tally.proven += row.versions().contains(version(row.library())) ? 1 : 0;
        } else {
            tally.missing.add(row.records());
        }
    }

    /**
     * Whether a module defines a function or, in a class of it, a method; null where its source does not show that: it
     * is compiled, or takes the name from another module, or the class has a base.
     */
    private @Nullable Boolean hasTarget(String file, String... path) {
        boolean source = machine.exists(file + ".py");
        String text = machine.text(source ? file + ".py" : file + "/__init__.py");
        if (text.isEmpty()) {
            String name = Program.baseName(file) + ".";
            boolean compiled = machine.list(file.substring(0, file.lastIndexOf('/'))).stream()
                    .anyMatch(other -> other.startsWith(name) && other.endsWith(".so"));
            return (compiled || source || machine.exists(file + "/__init__.py")) ? null : Boolean.FALSE;
        }
        int from = 0;
        boolean inherits = text.contains("import *");
        for (String part : path) {
            Matcher defined = Pattern.compile("\\b(?:class|def) " + Pattern.quote(part) + "\\b(\\([^)\\s]+\\))?")
                    .matcher(text);
            if (!defined.find(from)) {
                boolean named = Pattern.compile("\\b" + Pattern.quote(part) + "\\b")
                        .matcher(text)
                        .find(from);
                return (inherits || named) ? null : Boolean.FALSE;
            }
            inherits |= defined.group().startsWith("class") && defined.group(1) != null;
            from = defined.end();
        }
        return true;
    }

    /** Returns the version of a library, without what follows it for a build. */
    private String version(String library) {
        return python == null ? "" : python.version(library).split("\\+|\\.post", 2)[0];
    }
}
