package io.inferscope.collectors.os;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.IntConsumer;

/**
 * Handlers for signals sent to this process. {@code sun.misc.Signal} is used by reflection, because javac's warning
 * about it cannot be suppressed.
 */
public final class SignalHandlers {
    private static final int SIGACTION_BYTES = 512; // glibc and musl 152.
    private static final int MESSAGE_BYTES = 8;

    /** Is told a signal's number and whether the kernel sent it, for a key or the end of a terminal, not a process. */
    public interface Listener {
        void receive(int signal, boolean byKernel);
    }

    private SignalHandlers() {}

    /**
     * Calls {@code handler} with the signal's number, on a separate thread, whenever the signal arrives. A signal that
     * was ignored when this process began stays ignored, see {@link #copy}. Returns false if the JVM does not allow it.
     */
    public static boolean handle(String name, IntConsumer handler) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            int number = number(name);
            Object proxy = Proxy.newProxyInstance(
                    SignalHandlers.class.getClassLoader(), new Class<?>[] {handlerType}, (self, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            handler.accept(number);
                            return null;
                        }
                        return switch (method.getName()) {
                            case "hashCode" -> System.identityHashCode(self);
                            case "equals" -> self == arguments[0];
                            default -> "handler of SIG" + name;
                        };
                    });
            signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, proxy);
            return true;
        } catch (ReflectiveOperationException | IllegalArgumentException notAllowed) {
            return false;
        }
    }

    /**
     * Calls {@code listener}, on a thread of its own, whenever one of these signals arrives, even if it was ignored when
     * this process began. Returns false, and handles none, if the library native/relay/relay.c cannot be loaded.
     */
    public static boolean listen(Path library, int[] signals, Listener listener) {
        try {
            Function install = NativeLibrary.getInstance(
                            library.toAbsolutePath().toString())
                    .getFunction("inferscope_relay");
            Pipe pipe = new Pipe();
            LibC.fcntl(pipe.writeEnd(), LibC.F_SETFL, LibC.O_WRONLY_NONBLOCK); // A handler never waits.
            Thread thread = new Thread(() -> deliver(pipe, listener), "signals");
            thread.setDaemon(true);
            thread.start();
            return install.invokeInt(new Object[] {pipe.writeEnd(), signals, signals.length}) == 0;
        } catch (SpawnException | LinkageError | OutOfMemoryError notPossible) {
            return false;
        }
    }

    private static void deliver(Pipe pipe, Listener listener) {
        byte[] message = new byte[MESSAGE_BYTES];
        long count;
        do {
            count = LibC.read(pipe.readEnd(), message, MESSAGE_BYTES);
            if (count == MESSAGE_BYTES) {
                ByteBuffer numbers = ByteBuffer.wrap(message).order(ByteOrder.nativeOrder());
                listener.receive(numbers.getInt(), numbers.getInt() != 0);
            }
        } while (count == MESSAGE_BYTES || (count < 0 && Native.getLastError() == LibC.EINTR));
    }

    /** Returns the number of a signal by its name without SIG, 0 if there is none. */
    static int number(String name) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            return (Integer) signalType.getMethod("getNumber").invoke(signal);
        } catch (ReflectiveOperationException noSignal) {
            return 0;
        }
    }

    /**
     * Handles a signal as another one is handled: for one for which {@link #handle} was called, but that the JVM goes on
     * to ignore because it was ignored when the process began.
     */
    public static void copy(String handled, String name) {
        LibC.sigaction(number(name), action(number(handled)), Pointer.NULL);
    }

    /** Returns the {@code struct sigaction} of a signal. */
    static Memory action(int signal) {
        Memory action = new Memory(SIGACTION_BYTES);
        LibC.sigaction(signal, Pointer.NULL, action);
        return action;
    }
}
