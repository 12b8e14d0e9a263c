package io.inferscope.collectors.python;

import io.inferscope.collectors.symbols.AddressSpace;
import io.inferscope.collectors.symbols.BuildId;
import io.inferscope.collectors.symbols.MappedFile;
import io.inferscope.collectors.symbols.SymbolTables;
import io.inferscope.scope.spool.SpoolRecord;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The files whose code native frames of each process name: notes {@code module.NAME.path} and {@code
 * module.NAME.build_id}. Frames have the file's name only, so files of one name share a note.
 */
final class NativeModules {
    /** Most files of a process that are noted: a hostile program could map any number. */
    private static final int MAX_FILES = 512;

    private final Consumer<SpoolRecord> writer;
    private final SymbolTables tables;

    /** By process: paths that were seen. Used by the sampling thread alone. */
    private final Map<Integer, Set<String>> seen = new HashMap<>();

    /** By process and name of a file: build ids by path, empty for none. Guarded by itself. */
    private final Map<Integer, Map<String, Map<String, String>>> noted = new HashMap<>();

    NativeModules(Consumer<SpoolRecord> writer, SymbolTables tables) {
        this.writer = writer;
        this.tables = tables;
    }

    /** Notes that a frame of a process names a file. Its build id is read by another thread. */
    void use(int pid, AddressSpace space, String path) {
        if (!path.startsWith("/")) {
            return;
        }
        Set<String> paths = seen.computeIfAbsent(pid, p -> new HashSet<>());
        if (paths.size() >= MAX_FILES || !paths.add(path)) {
            return;
        }
        String shown = NativeStacks.file(path);
        String name = shown.substring(shown.lastIndexOf('/') + 1);
        note(pid, name, path, "");
        MappedFile file = space.mapped(path);
        if (file != null) {
            tables.execute(() -> {
                String buildId = buildId(file, pid);
                if (!buildId.isEmpty()) {
                    note(pid, name, path, buildId);
                }
            });
        }
    }

    private static String buildId(MappedFile file, int pid) {
        try {
            return BuildId.of(file.openable(pid));
        } catch (IOException | RuntimeException unreadable) {
            return "";
        }
    }

    private void note(int pid, String name, String path, String buildId) {
        synchronized (noted) {
            Map<String, String> files =
                    noted.computeIfAbsent(pid, p -> new HashMap<>()).computeIfAbsent(name, n -> new LinkedHashMap<>());
            files.put(path, buildId);
            String key = "module." + name;
            writer.accept(new SpoolRecord.Note(key + ".path", String.join(", ", files.keySet()), pid));
            String ids = files.values().stream().filter(id -> !id.isEmpty()).collect(Collectors.joining(", "));
            if (!ids.isEmpty()) {
                writer.accept(new SpoolRecord.Note(key + ".build_id", ids, pid));
            }
        }
    }

    /** Forgets a process that has ended. */
    void ended(int pid) {
        seen.remove(pid);
        synchronized (noted) {
            noted.remove(pid);
        }
    }
}
