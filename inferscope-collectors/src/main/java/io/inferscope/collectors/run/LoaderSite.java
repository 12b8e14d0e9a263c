package io.inferscope.collectors.run;

import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.RemoteLibraryCall;
import io.inferscope.collectors.symbols.ElfFile;
import io.inferscope.collectors.symbols.MappedFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The addresses needed to make a running program load a library.
 *
 * @param dlopen the address of that function in the program
 * @param dlsym the same
 * @param code memory for code: the rest of the last page of a library's code, which is zero and belongs to no segment
 *     of the file
 */
record LoaderSite(long dlopen, long dlsym, long code) {
    private static final Set<String> FUNCTIONS = Set.of("dlopen", "dlsym");
    private static final String CODE = " r-xp ";

    /** The C library; libdl, which had these functions before glibc 2.34; musl. */
    private static final List<String> LIBRARIES = List.of("libc.so", "libc-2.", "libdl.so", "libdl-2.", "ld-musl-");

    /**
     * Examines a process.
     *
     * @return null if there is none: the program is linked statically, or its libraries leave no room
     * @throws IOException if it cannot be examined
     */
    static @Nullable LoaderSite of(int pid) throws IOException {
        List<MappedFile> files = MappedFile.of(pid);
        for (MappedFile file : files) {
            if (LIBRARIES.stream().anyMatch(file.base()::startsWith)) {
                ElfFile elf = ElfFile.read(file.openable(pid), FUNCTIONS, "");
                long dlopen = elf.symbol("dlopen");
                long dlsym = elf.symbol("dlsym");
                if (dlopen != 0 && dlsym != 0) {
                    long bias = elf.bias(file.start(), file.offset());
                    long code = room(pid, files);
                    return code == 0 ? null : new LoaderSite(dlopen + bias, dlsym + bias, code);
                }
            }
        }
        return null;
    }

    private static long room(int pid, List<MappedFile> files) throws IOException {
        LinuxMemory memory = new LinuxMemory();
        MemoryBatch batch = new MemoryBatch();
        // Decoded like in MappedFile: paths are bytes in any encoding.
        String maps = new String(Files.readAllBytes(Path.of("/proc/" + pid + "/maps")), StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>(List.of(maps.split("\n", -1)));
        // Libraries lie below those loaded before them. The first ones stay; a later one may be unloaded while its code
        // runs.
        Collections.reverse(lines);
        for (String line : lines) {
            int slash = line.indexOf('/');
            int code = line.indexOf(CODE);
            if (slash < 0 || code < 0) {
                continue;
            }
            int dash = line.indexOf('-');
            long start = Long.parseUnsignedLong(line.substring(0, dash), 16);
            long end = Long.parseUnsignedLong(line.substring(dash + 1, code), 16);
            long offset =
                    Long.parseUnsignedLong(line.substring(code + CODE.length()).split(" ", 2)[0], 16);
            batch.clear();
            int tail = batch.add(end - RemoteLibraryCall.CODE_BYTES, RemoteLibraryCall.CODE_BYTES);
            boolean empty = memory.read(pid, batch) == 0 && batch.isRead(tail) && isZero(batch);
            String path = line.substring(slash);
            for (MappedFile file : files) {
                if (empty && file.path().equals(path) && isUnused(file, pid, offset, end - start)) {
                    return end - RemoteLibraryCall.CODE_BYTES;
                }
            }
        }
        return 0;
    }

    private static boolean isZero(MemoryBatch batch) {
        for (int i = 0; i < RemoteLibraryCall.CODE_BYTES; i += 8) {
            if (batch.getLong(i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUnused(MappedFile file, int pid, long offset, long length) {
        try {
            ElfFile elf = ElfFile.read(file.openable(pid), Set.of(), "");
            return elf.usedUntil(offset, length) <= offset + length - RemoteLibraryCall.CODE_BYTES;
        } catch (IOException none) {
            return false;
        }
    }
}
