package io.inferscope.timeline.importer;

import io.inferscope.timeline.RowKind;
import java.util.Locale;
import java.util.regex.Pattern;

/** Parses the direction of a copy from the various spellings. */
public final class CopyNames {
    private static final Pattern SEPARATORS = Pattern.compile("[^a-z0-9]");
    private static final Pattern H2D = Pattern.compile("htod|h2d|host(to)?device");
    private static final Pattern D2H = Pattern.compile("dtoh|d2h|device(to)?host");
    private static final Pattern P2P = Pattern.compile("ptop|p2p|peer");
    private static final Pattern D2D = Pattern.compile("dtod|d2d|device(to)?device");

    private CopyNames() {}

    /** Returns the kind of a copy with this name, {@link RowKind#MEMCPY_OTHER} if it contains no direction. */
    public static RowKind of(String name) {
        String letters = SEPARATORS.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("");
        if (H2D.matcher(letters).find()) {
            return RowKind.MEMCPY_H2D;
        }
        if (D2H.matcher(letters).find()) {
            return RowKind.MEMCPY_D2H;
        }
        if (P2P.matcher(letters).find()) {
            return RowKind.MEMCPY_P2P;
        }
        return D2D.matcher(letters).find() ? RowKind.MEMCPY_D2D : RowKind.MEMCPY_OTHER;
    }
}
