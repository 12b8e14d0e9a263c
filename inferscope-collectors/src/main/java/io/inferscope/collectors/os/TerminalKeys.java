package io.inferscope.collectors.os;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * Reads keys of the terminal at standard input immediately and without echo, until closed. Ctrl-C and the like remain
 * signals. Reading returns -1 if no key was pressed for a fifth of a second, so that the reader can end.
 */
public final class TerminalKeys extends InputStream {
    /**
     * {@code TCGETS} and {@code TCSETS} of ioctl_tty(2), with the kernel's {@code struct termios} of
     * asm-generic/termbits.h.
     */
    private static final long TCGETS = 0x5401;

    private static final long TCSETS = 0x5402;
    private static final int STRUCT_BYTES = 36;
    private static final int LOCAL_FLAGS = 12;
    private static final int CONTROL_CHARACTERS = 17;
    private static final int VTIME = CONTROL_CHARACTERS + 5;
    private static final int VMIN = CONTROL_CHARACTERS + 6;
    private static final int ICANON = 2;
    private static final int ECHO = 8;
    private static final byte TENTHS = 2;
    private static final int INPUT = 0;

    private final byte[] before;
    private final InputStream input = new FileInputStream(FileDescriptor.in);

    private TerminalKeys(byte[] before) {
        this.before = before;
    }

    /** Starts reading keys; empty if standard input is not a terminal, or this is a background job. */
    public static Optional<TerminalKeys> take() {
        try (Memory mode = new Memory(STRUCT_BYTES)) {
            // SIGTTOU stops a background job that sets a terminal's mode.
            if (!Terminal.now().foreground() || LibC.ioctl(INPUT, TCGETS, Pointer.nativeValue(mode)) != 0) {
                return Optional.empty();
            }
            byte[] before = mode.getByteArray(0, STRUCT_BYTES);
            mode.setInt(LOCAL_FLAGS, mode.getInt(LOCAL_FLAGS) & ~(ICANON | ECHO));
            mode.setByte(VMIN, (byte) 0);
            mode.setByte(VTIME, TENTHS);
            return LibC.ioctl(INPUT, TCSETS, Pointer.nativeValue(mode)) == 0
                    ? Optional.of(new TerminalKeys(before))
                    : Optional.empty();
        } catch (RuntimeException | LinkageError noLibrary) {
            return Optional.empty();
        }
    }

    @Override
    public int read() throws IOException {
        return input.read();
    }

    @Override
    public int read(byte[] keys, int offset, int length) throws IOException {
        return input.read(keys, offset, length);
    }

    /** Restores the terminal's mode. Standard input stays open. */
    @Override
    public void close() {
        try (Memory mode = new Memory(STRUCT_BYTES)) {
            mode.write(0, before, 0, STRUCT_BYTES);
            LibC.ioctl(INPUT, TCSETS, Pointer.nativeValue(mode));
        }
    }
}
