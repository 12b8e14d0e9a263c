package io.inferscope.collectors.os;

import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/**
 * Handlers for signals sent to this process. {@code sun.misc.Signal} is used by reflection, because javac's warning
 * about it cannot be suppressed.
 */
public final class SignalHandlers {
    private SignalHandlers() {}

    /**
     * Calls {@code handler} with the signal's number, on a separate thread, whenever the signal arrives. A signal that
     * was ignored when this process began stays ignored. Returns false if the JVM does not allow it.
     */
    public static boolean handle(String name, IntConsumer handler) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            int number = (Integer) signalType.getMethod("getNumber").invoke(signal);
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
}
