package io.inferscope.collectors.run;

import io.inferscope.collectors.os.OperatingSystem;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The fields of {@code /proc/PID/status} (proc(5)) that decide who may examine a process. */
final class StatusFile {
    private static final int BUFFER_BYTES = 8192;
    private static final int HEX = 16;

    private final Map<String, String> fields = new HashMap<>();

    private StatusFile() {}

    /** Reads the file; without fields if it cannot be read. */
    static StatusFile of(OperatingSystem system, String process) {
        StatusFile status = new StatusFile();
        for (String line : text(system, "/proc/" + process + "/status").split("\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                status.fields.put(
                        line.substring(0, colon), line.substring(colon + 1).strip());
            }
        }
        return status;
    }

    /** Returns the text of a small file, empty when it cannot be read. */
    static String text(OperatingSystem system, String path) {
        int descriptor = system.open(path);
        if (descriptor < 0) {
            return "";
        }
        byte[] buffer = new byte[BUFFER_BYTES];
        int length = system.read(descriptor, buffer);
        system.close(descriptor);
        return new String(buffer, 0, Math.max(0, length), StandardCharsets.UTF_8);
    }

    boolean isEmpty() {
        return fields.isEmpty();
    }

    boolean has(String field) {
        return fields.containsKey(field);
    }

    String text(String field) {
        return fields.getOrDefault(field, "");
    }

    /** Returns the ids of a line such as {@code Uid: real effective saved filesystem}. */
    List<String> ids(String field) {
        return List.of(text(field).split("\\s+", -1));
    }

    /** Returns the effective id: the second. */
    String effective(String field) {
        List<String> ids = ids(field);
        return ids.size() > 1 ? ids.get(1) : "";
    }

    /** Returns a line such as {@code CapEff} or {@code SigCgt}: a mask in hexadecimal, 0 when it is missing. */
    long mask(String field) {
        try {
            return Long.parseUnsignedLong(text(field), HEX);
        } catch (NumberFormatException missing) {
            return 0;
        }
    }
}
