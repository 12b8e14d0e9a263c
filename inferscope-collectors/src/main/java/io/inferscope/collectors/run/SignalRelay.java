package io.inferscope.collectors.run;

import io.inferscope.collectors.os.ChildProcess;
import io.inferscope.collectors.os.SignalHandlers;
import io.inferscope.collectors.os.SpawnException;
import io.inferscope.collectors.os.Terminal;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes signals on to the command, each one once.
 *
 * <p>A terminal's keys reach the whole foreground process group, the command included: then InferScope only has to survive. A signal
 * sent to InferScope alone is passed on. The JVM does not say who sent a signal, so SIGINT counts as Ctrl-C exactly when InferScope's
 * group is the terminal's foreground group. What stays ambiguous: {@code kill -INT} of a foreground InferScope from elsewhere is taken for Ctrl-C (use
 * TERM), and a TERM or HUP sent to the whole group reaches the command twice.
 */
final class SignalRelay {
    private static final int SIGHUP = 1;
    private static final int SIGINT = 2;

    private final Supplier<Terminal> terminal;
    private final IntConsumer abort;
    private final boolean hadTerminal;
    private @Nullable IntConsumer child;
    private boolean interrupted;
    private boolean ended;
    private boolean endedByInterrupt;

    /**
     * Makes a relay.
     *
     * @param terminal returns the terminal's state when a signal arrives
     * @param abort called with the signal's number when one arrives before the command's start or after its end
     */
    SignalRelay(Supplier<Terminal> terminal, IntConsumer abort) {
        this.terminal = terminal;
        this.abort = abort;
        hadTerminal = terminal.get().exists();
    }

    /** Receives signals from now on. */
    SignalRelay install() {
        for (String name : List.of("INT", "TERM", "HUP", "USR1")) {
            SignalHandlers.handle(name, this::receive);
        }
        return this;
    }

    /** Starts the command; a signal that arrives meanwhile waits until there is somebody to pass it to. */
    synchronized ChildProcess start(Start start) throws SpawnException {
        ChildProcess process = start.start();
        child = process::signal;
        return process;
    }

    /** Starts a process. */
    interface Start {
        /** Returns the new process. */
        ChildProcess start() throws SpawnException;
    }

    /** Names whom to pass signals to. */
    synchronized void started(IntConsumer signalChild) {
        child = signalChild;
    }

    /** Says that the command has ended: from now on a signal is meant for InferScope. */
    synchronized void ended(ChildProcess.End end) {
        ended = true;
        endedByInterrupt = end.shellCode() == 128 + SIGINT && !interrupted;
    }

    synchronized void receive(int signal) {
        if (ended) {
            if (signal == SIGINT && endedByInterrupt) {
                endedByInterrupt = false; // The Ctrl-C that ended the command, only heard of later.
            } else {
                abort.accept(signal);
            }
            return;
        }
        interrupted |= signal == SIGINT;
        if (child == null) {
            abort.accept(signal);
        } else {
            pass(child, signal);
        }
    }

    private void pass(IntConsumer target, int signal) {
        Terminal now = terminal.get();
        boolean reachedGroup = signal == SIGINT && now.foreground();
        boolean hungUp = signal == SIGHUP && hadTerminal && !now.exists();
        if (!reachedGroup && !hungUp) {
            target.accept(signal);
        }
    }
}
