package io.inferscope.collectors.os;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/**
 * Handlers for signals sent to this process. {@code sun.misc.Signal} is used by reflection, because javac's warning
 * about it cannot be suppressed.
 */
public final class SignalHandlers {
    private static final int SIGACTION_BYTES = 512; // glibc and musl 152.

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
