package io.inferscope.collectors.symbols;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A file mapped by a process, from {@code /proc/PID/maps} (proc(5)).
 *
 * @param path its path in the process' own file system, without the kernel's remark that it was deleted
 * @param range the range of its first mapping, as the file's name under {@code map_files}
 * @param start where that mapping begins
 * @param offset file offset of that mapping
 * @param inode the file's inode, 0 = none
 * @param deleted whether the file was deleted, so the path no longer names it
 */
public record MappedFile(String path, String range, long start, long offset, long inode, boolean deleted) {
    private static final String DELETED = " (deleted)";

    /** Hand-written, like hashCode: a record's own is linked at its first call, which takes milliseconds. */
    @Override
    public boolean equals(Object other) {
        return other instanceof MappedFile that
                && start == that.start
                && offset == that.offset
                && inode == that.inode
                && deleted == that.deleted
                && path.equals(that.path)
                && range.equals(that.range);
    }

    @Override
    public int hashCode() {
        return path.hashCode() * 31 + Long.hashCode(start);
    }

    /**
     * Returns the files that process {@code pid} has mapped, each once, lowest address first.
     *
     * @throws IOException when they cannot be listed
     */
    public static List<MappedFile> of(int pid) throws IOException {
        String maps = new String(Files.readAllBytes(Path.of("/proc/" + pid + "/maps")), StandardCharsets.UTF_8);
        Map<String, MappedFile> files = new LinkedHashMap<>();
        for (int from = 0; from < maps.length(); ) {
            int end = maps.indexOf('\n', from);
            end = end < 0 ? maps.length() : end;
            int slash = maps.indexOf('/', from);
            if (slash >= 0 && slash < end) {
                String path = maps.substring(slash, end);
                if (!files.containsKey(path)) {
                    files.put(path, parse(maps.substring(from, slash), path));
                }
            }
            from = end + 1;
        }
        return List.copyOf(files.values());
    }

    static MappedFile parse(String head, String path) {
        String[] words = head.trim().split(" +", -1);
        int dash = words[0].indexOf('-');
        boolean deleted = path.endsWith(DELETED);
        return new MappedFile(
                deleted ? path.substring(0, path.length() - DELETED.length()) : path,
                words[0],
                Long.parseUnsignedLong(words[0].substring(0, dash), 16),
                Long.parseUnsignedLong(words[2], 16),
                Long.parseLong(words[4]),
                deleted);
    }

    /**
     * Returns a path by which the file can be opened after the process has ended, if there is one; else
     * {@code openable}.
     */
    Path lasting(Path openable) {
        try {
            Path own = Path.of(path);
            return Files.isSameFile(own, openable) ? own : openable;
        } catch (IOException | RuntimeException elsewhere) {
            return openable;
        }
    }

    /** Returns the path's last part. */
    public String base() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /**
     * Returns a path by which InferScope can open the file: under the process' root, which may be a container's; by its
     * own path, if the process has ended; or through the mapping itself, if the path now names another file.
     */
    public Path openable(int pid) {
        for (String root : List.of("/proc/" + pid + "/root", "")) {
            Path named = Path.of(root + path);
            if (!deleted && isThere(named)) {
                return named;
            }
        }
        return Path.of("/proc/" + pid + "/map_files/" + range);
    }

    private boolean isThere(Path named) {
        try {
            return Files.getAttribute(named, "unix:ino").equals(inode);
        } catch (IOException | RuntimeException notThere) {
            return false;
        }
    }

    /** Returns whether the file can be opened by its own path, and so probably after the process has ended as well. */
    boolean isLasting(Path openable) {
        return !openable.equals(lasting(openable)) || openable.toString().equals(path);
    }
}
