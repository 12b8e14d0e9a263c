package io.inferscope.collectors.run;

import io.inferscope.collectors.os.BorrowedThread;
import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.symbols.ElfFile;
import io.inferscope.collectors.symbols.MappedFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a running program can be made to load a library.
 *
 * @param dlopen the address of that function in the program
 * @param dlsym the same
 * @param code memory for code: the rest of the last page of a library's code, which holds zeros and belongs to no segment of the file
 */
record LoaderSite(long dlopen, long dlsym, long code) {
    private static final Set<String> FUNCTIONS = Set.of("dlopen", "dlsym");
    private static final String CODE = " r-xp ";

    /** The C library, and what had these functions before glibc 2.34; musl. */
    private static final List<String> LIBRARIES = List.of("libc.so", "libc-2.", "libdl.so", "libdl-2.", "ld-musl-");

    /**
     * Looks into a process.
     *
     * @return null where it has no such place: it is linked statically, or its libraries leave no room
     * @throws IOException when it cannot be looked at
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
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"), StandardCharsets.UTF_8)) {
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
            int tail = batch.add(end - BorrowedThread.CODE_BYTES, BorrowedThread.CODE_BYTES);
            boolean empty = memory.read(pid, batch) == 0 && batch.isRead(tail) && isZero(batch);
            String path = line.substring(slash);
            for (MappedFile file : files) {
                if (empty && file.path().equals(path) && isUnused(file, pid, offset, end - start)) {
                    return end - BorrowedThread.CODE_BYTES;
                }
            }
        }
        return 0;
    }

    private static boolean isZero(MemoryBatch batch) {
        for (int i = 0; i < BorrowedThread.CODE_BYTES; i += 8) {
            if (batch.getLong(i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUnused(MappedFile file, int pid, long offset, long length) {
        try {
            ElfFile elf = ElfFile.read(file.openable(pid), Set.of(), "");
            return elf.usedUntil(offset, length) <= offset + length - BorrowedThread.CODE_BYTES;
        } catch (IOException none) {
            return false;
        }
    }
}
