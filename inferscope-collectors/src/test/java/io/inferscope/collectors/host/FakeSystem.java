package io.inferscope.collectors.host;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A machine that consists of the files a test writes down. */
final class FakeSystem implements OperatingSystem {
    private final Map<String, String> files = new TreeMap<>();
    private final List<String> open = new ArrayList<>();
    long nowNs = 1_000_000_000L;

    /** Puts a file; null takes it away. */
    FakeSystem file(String path, @Nullable String content) {
        if (content == null) {
            files.remove(path);
        } else {
            files.put(path, content);
        }
        return this;
    }

    @Override
    public int open(String path) {
        if (!files.containsKey(path)) {
            return NO_SUCH_PROCESS;
        }
        open.add(path);
        return open.size() - 1;
    }

    @Override
    public int read(int descriptor, byte[] buffer) {
        return read(descriptor, 0, buffer, buffer.length);
    }

    @Override
    public int read(int descriptor, long offset, byte[] buffer, int length) {
        byte[] content = files.getOrDefault(open.get(descriptor), "").getBytes(ISO_8859_1);
        int count = (int) Math.max(0, Math.min(length, content.length - offset));
        System.arraycopy(content, (int) Math.min(offset, content.length), buffer, 0, count);
        return count;
    }

    @Override
    public long tickNs() {
        return 4_000_000;
    }

    @Override
    public void close(int descriptor) {}

    @Override
    public @Nullable String readLink(String path) {
        return files.get(path);
    }

    @Override
    public String @Nullable [] list(String directory) {
        TreeSet<String> names = new TreeSet<>();
        for (String path : files.keySet()) {
            if (path.startsWith(directory + "/")) {
                names.add(path.substring(directory.length() + 1).split("/", 2)[0]);
            }
        }
        return names.isEmpty() ? null : names.toArray(String[]::new);
    }

    @Override
    public void sleep(long ns) {}

    @Override
    public void wake() {}

    @Override
    public long monotonicNs() {
        return nowNs;
    }

    @Override
    public long bootAheadNs() {
        return 0;
    }

    @Override
    public long threadCpuNs() {
        return 0;
    }

    @Override
    public long processCpuNs() {
        return 0;
    }
}
