package io.inferscope.collectors.run;

import io.inferscope.collectors.os.ChildProcess;
import io.inferscope.collectors.os.GroupWitness;
import io.inferscope.collectors.os.Inheritance;
import io.inferscope.collectors.os.NativeFolder;
import io.inferscope.collectors.os.SignalHandlers;
import io.inferscope.collectors.os.SpawnException;
import io.inferscope.collectors.os.Terminal;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes signals on to the command, each one once.
 *
 * <p>A terminal's keys reach the whole foreground process group including the command, so InferScope only ignores them.
 * A signal that a process sent is passed on, unless it was sent to the whole group ({@link GroupWitness}).
 *
 * <p>Without the library that reports the sender, SIGINT counts as Ctrl-C if and only if InferScope's group is the
 * terminal's foreground group.
 */
final class SignalRelay {
    private static final int SIGHUP = 1;
    private static final int SIGINT = 2;
    private static final int SIGWINCH = 28;

    private static final int SIGTERM = 15;

    /** Signals by which users and supervisors ask a program to end. */
    private static final Set<Integer> ENDING = Set.of(SIGHUP, SIGINT, SIGTERM);

    /**
     * A program that ends within this time after such a signal ended by it; twice the 30 s that Kubernetes, and
     * gunicorn's workers, get for it by default.
     */
    private static final long GRACE_NS = 60_000_000_000L;

    /** What the kernel sends to a terminal's foreground group: keys, a new size, its loss. */
    private static final Set<Integer> OF_TERMINALS = Set.of(SIGHUP, SIGINT, SIGWINCH);

    private static final String LIBRARY = "libinferscope-relay.so";

    /**
     * HUP, INT, USR1, USR2, ALRM, TERM, VTALRM, PROF, WINCH, IO, PWR: those that can be caught and need neither the JVM
     * (QUIT, by which tools attach to it) nor job control.
     */
    private static final int[] HANDLED = {SIGHUP, SIGINT, 10, 12, 14, 15, 26, 27, SIGWINCH, 29, 30};

    /** The JVM leaves the others ignored if they were. */
    private static final String ALWAYS_HANDLED = "USR1";

    private final Supplier<Terminal> terminal;
    private final IntConsumer abort;
    private final Inheritance inheritance;
    private final boolean hadTerminal;
    private @Nullable IntConsumer child;
    private @Nullable GroupWitness witness;
    private boolean interrupted;
    private boolean ended;
    private boolean endedByInterrupt;
    private int lastEnding;
    private long lastEndingNs;

    /** A signal that waits for what the witness says. */
    private record Arrival(int signal, boolean fromKernel, long atNs, boolean afterEnd) {}

    private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();

    /**
     * Makes a relay.
     *
     * @param terminal returns the terminal's state when a signal arrives
     * @param abort called with the signal's number when one arrives before the command's start or after its end, unless
     *     it was ignored when InferScope began
     * @param inheritance says which were. A command that ignores such a signal ignores it under InferScope too, and one
     *     that handles it, as most servers do, gets it
     */
    SignalRelay(Supplier<Terminal> terminal, IntConsumer abort, Inheritance inheritance) {
        this.terminal = terminal;
        this.abort = signal -> {
            if (!inheritance.ignores(signal)) {
                abort.accept(signal);
            }
        };
        this.inheritance = inheritance;
        hadTerminal = terminal.get().exists();
    }

    /** Receives signals from now on. {@code home} is InferScope's own folder. */
    SignalRelay install(Path home) {
        if (SignalHandlers.listen(NativeFolder.of(home).resolve(LIBRARY), HANDLED, this::queue)) {
            Thread thread = new Thread(this::relay, "signal-relay");
            thread.setDaemon(true);
            thread.start();
            return this;
        }
        for (String name : List.of(ALWAYS_HANDLED, "INT", "TERM", "HUP")) {
            SignalHandlers.handle(name, this::receive);
            if (inheritance.ignored() != 0) {
                SignalHandlers.copy(ALWAYS_HANDLED, name);
            }
        }
        return this;
    }

    /** Starts the command. A signal during the start is passed on after it. */
    synchronized ChildProcess start(Start start) throws SpawnException {
        ChildProcess process = start.start();
        child = process::signal;
        witness = GroupWitness.start();
        return process;
    }

    interface Start {
        ChildProcess start() throws SpawnException;
    }

    /** Sets the receiver of signals. */
    synchronized void started(IntConsumer signalChild) {
        child = signalChild;
    }

    /** Notes the end of the command: later signals are for InferScope. */
    synchronized void ended(ChildProcess.End end) {
        ended = true;
        endedByInterrupt = end.shellCode() == 128 + SIGINT && !interrupted;
    }

    /** Returns the name of the signal by which the user or a supervisor ended the command, empty if none did. */
    synchronized String endedBy() {
        String name = lastEnding == SIGINT ? "SIGINT" : lastEnding == SIGTERM ? "SIGTERM" : "SIGHUP";
        return lastEnding == 0 || System.nanoTime() - lastEndingNs > GRACE_NS ? "" : name;
    }

    private synchronized void queue(int signal, boolean fromKernel) {
        if (ENDING.contains(signal) && child != null && !ended) {
            lastEnding = signal;
            lastEndingNs = System.nanoTime();
        }
        arrivals.add(new Arrival(signal, fromKernel, System.nanoTime(), ended));
    }

    private void relay() {
        try {
            while (true) {
                Arrival arrival = arrivals.take();
                GroupWitness asked = arrival.fromKernel() ? null : witness();
                receive(arrival, asked != null && asked.saw(arrival.signal(), arrival.atNs()));
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable GroupWitness witness() {
        return witness;
    }

    /** A signal of the group that ended the command is none for InferScope, even if it is heard of after the end. */
    private synchronized void receive(Arrival arrival, boolean byGroup) {
        boolean hasReached = byGroup || (ended && !arrival.afterEnd());
        if (!hasReached) {
            receive(arrival.signal(), arrival.fromKernel());
        } else {
            interrupted |= arrival.signal() == SIGINT && !arrival.afterEnd();
        }
    }

    /** Receives a signal whose sender is unknown. */
    void receive(int signal) {
        Terminal now = terminal.get();
        boolean key = signal == SIGINT && now.foreground();
        boolean hungUp = signal == SIGHUP && hadTerminal && !now.exists();
        receive(signal, key || hungUp);
    }

    /**
     * Receives a signal. {@code fromKernel}: its sender is the kernel. The signals of a terminal have then reached the
     * command too; those of timers, which survive an exec, have not.
     */
    synchronized void receive(int signal, boolean fromKernel) {
        if (signal == SIGWINCH && (ended || child == null)) {
            return; // By default it does nothing.
        }
        if (ended) {
            if (signal == SIGINT && endedByInterrupt) {
                endedByInterrupt = false; // The Ctrl-C that ended the command arrived late.
            } else {
                abort.accept(signal);
            }
            return;
        }
        interrupted |= signal == SIGINT;
        if (child == null) {
            abort.accept(signal);
        } else if (!(fromKernel && OF_TERMINALS.contains(signal))) {
            child.accept(signal);
        }
    }
}
