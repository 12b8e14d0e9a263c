package io.inferscope.collectors.symbols;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The functions of files, by inode and path, shared by processes. Reading those of a large library takes half a second
 * of CPU time, so another thread reads them; until then they are unknown.
 */
public final class SymbolTables {
    private static final int MAX_TABLES = 512;
    private static final SymbolTable NONE = new SymbolTable.Builder().build(List.of());

    private final Map<String, SymbolTable> tables = new ConcurrentHashMap<>();
    private final Map<String, Boolean> asked = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Executor reader;

    /** Apart from the tables: addresses of a large file take seconds. */
    private final Executor lineReader;

    /** Reads tables on a thread of its own. */
    public SymbolTables() {
        this(thread("inferscope-symbols"), thread("inferscope-lines"));
    }

    SymbolTables(Executor reader, Executor lineReader) {
        this.reader = reader;
        this.lineReader = lineReader;
    }

    private static Executor thread(String name) {
        return Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Runs work on another thread than the sampler's. */
    public void execute(Runnable work) {
        waiting.incrementAndGet();
        reader.execute(() -> {
            try {
                work.run();
            } finally {
                waiting.decrementAndGet();
            }
        });
    }

    /** Returns whether all work is done that was to be done so far. */
    public boolean isIdle() {
        return waiting.get() == 0;
    }

    /** Returns the functions of a file, empty if it cannot be read; null while it is being read. */
    @Nullable
    SymbolTable get(MappedFile file, int pid) {
        String key = file.inode() + " " + file.path();
        SymbolTable known = tables.get(key);
        if (known == null && asked.size() >= MAX_TABLES && !asked.containsKey(key)) {
            asked.clear();
            tables.clear();
        }
        if (known == null && asked.putIfAbsent(key, true) == null) {
            Path path = file.openable(pid);
            execute(() -> tables.put(key, read(path, file)));
            known = tables.get(key);
        }
        return known;
    }

    private SymbolTable read(Path path, MappedFile file) {
        try {
            SymbolTable table = ElfFile.functions(path);
            if (table.describesLines()) {
                table.setLines(new SourceLines(file.lasting(path), lineReader));
            }
            return table;
        } catch (IOException | RuntimeException unreadable) {
            return NONE;
        }
    }
}
