package io.inferscope.collectors.os;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The relation of this process to its controlling terminal, by {@code /proc/self/stat} (proc(5), fields 1 and 5 to 8).
 *
 * @param exists whether there is a controlling terminal
 * @param leads whether this process leads its session: of all processes, the kernel tells it of the terminal's loss
 * @param foreground whether this process' group is the terminal's foreground group, which receives its keys
 */
public record Terminal(boolean exists, boolean leads, boolean foreground) {
    /** {@code TIOCGWINSZ} of ioctl_tty(2); it fills a {@code struct winsize} of four 16-bit numbers. */
    private static final long TIOCGWINSZ = 0x5413;

    private static final int SIZE_BYTES = 8;
    private static final int GROUP = 2;
    private static final int SESSION = 3;
    private static final int TERMINAL = 4;
    private static final int FOREGROUND_GROUP = 5;

    /**
     * The size of a terminal in characters.
     *
     * @param rows at least 1
     * @param columns at least 1
     */
    public record Size(int rows, int columns) {}

    /** Returns the size of the terminal at a descriptor; 24 by 80 if there is none or it is unknown. */
    public static Size size(int descriptor) {
        try (Memory size = new Memory(SIZE_BYTES)) {
            size.clear();
            boolean told = LibC.ioctl(descriptor, TIOCGWINSZ, Pointer.nativeValue(size)) == 0;
            int rows = told ? size.getShort(0) & 0xffff : 0;
            int columns = told ? size.getShort(2) & 0xffff : 0;
            return rows == 0 || columns == 0 ? new Size(24, 80) : new Size(rows, columns);
        } catch (RuntimeException | LinkageError noLibrary) {
            return new Size(24, 80);
        }
    }

    /** Returns the present state; no terminal if it cannot be read. */
    public static Terminal now() {
        try {
            return of(Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1));
        } catch (IOException | RuntimeException unknown) {
            return new Terminal(false, false, false);
        }
    }

    static Terminal of(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).strip().split(" ", -1);
        boolean exists = !fields[TERMINAL].equals("0") && !fields[FOREGROUND_GROUP].equals("-1");
        boolean leads = fields[SESSION].equals(stat.substring(0, stat.indexOf(' ')));
        return new Terminal(exists, leads, exists && fields[GROUP].equals(fields[FOREGROUND_GROUP]));
    }
}
