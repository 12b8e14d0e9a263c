package io.inferscope.collectors.run;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The environment of the observed program: the user's own, byte for byte, with the few entries that recorders need. */
public final class ChildEnvironment {
    private final List<byte[]> base;
    private final Map<String, Optional<byte[]>> changes = new LinkedHashMap<>();

    /** Begins with entries {@code NAME=value}. */
    public ChildEnvironment(List<byte[]> base) {
        this.base = base;
    }

    /** Sets a variable; an existing one keeps its place. */
    public ChildEnvironment set(String name, byte[] value) {
        changes.put(name, Optional.of(value));
        return this;
    }

    /** Removes a variable. */
    public ChildEnvironment unset(String name) {
        changes.put(name, Optional.empty());
        return this;
    }

    /** Puts {@code front} before the value of a variable, with a colon between them when it has one. */
    public ChildEnvironment prepend(String name, byte[] front) {
        byte[] old = value(name);
        if (old.length == 0) {
            return set(name, front);
        }
        return set(name, concat(front, ":".getBytes(StandardCharsets.US_ASCII), old));
    }

    /** Returns the bytes of a variable, none when it is not set. */
    byte[] value(String name) {
        Optional<byte[]> change = changes.get(name);
        if (change != null) {
            return change.orElse(new byte[0]);
        }
        byte[] start = (name + "=").getBytes(StandardCharsets.UTF_8);
        for (byte[] entry : base) {
            if (startsWith(entry, start)) {
                return java.util.Arrays.copyOfRange(entry, start.length, entry.length);
            }
        }
        return new byte[0];
    }

    /** Returns a variable as text, empty when it is not set. */
    public String text(String name, Charset charset) {
        return new String(value(name), charset);
    }

    /** Returns the text of a variable, null when it is not set. */
    @Nullable
    String variable(String name) {
        Optional<byte[]> change = changes.get(name);
        byte[] start = (name + "=").getBytes(StandardCharsets.UTF_8);
        boolean set = change != null ? change.isPresent() : base.stream().anyMatch(entry -> startsWith(entry, start));
        return set ? text(name, NativeText.charset()) : null;
    }

    /** Returns all entries, in the order they had; new ones come last. */
    public List<byte[]> entries() {
        Map<String, Optional<byte[]>> left = new LinkedHashMap<>(changes);
        List<byte[]> entries = new ArrayList<>();
        for (byte[] entry : base) {
            String name = name(entry);
            if (changes.containsKey(name)) {
                Optional<byte[]> change = left.remove(name);
                if (change != null && change.isPresent()) {
                    entries.add(entry(name, change.get()));
                }
            } else {
                entries.add(entry);
            }
        }
        left.forEach((name, value) -> value.ifPresent(bytes -> entries.add(entry(name, bytes))));
        return entries;
    }

    private static String name(byte[] entry) {
        String text = new String(entry, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('=');
        return end < 0 ? text : text.substring(0, end);
    }

    private static byte[] entry(String name, byte[] value) {
        return concat((name + "=").getBytes(StandardCharsets.UTF_8), value);
    }

    private static byte[] concat(byte[]... parts) {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static boolean startsWith(byte[] text, byte[] start) {
        return text.length >= start.length && java.util.Arrays.equals(text, 0, start.length, start, 0, start.length);
    }
}
