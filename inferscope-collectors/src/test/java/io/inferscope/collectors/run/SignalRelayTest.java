package io.inferscope.collectors.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.ChildProcess;
import io.inferscope.collectors.os.Inheritance;
import io.inferscope.collectors.os.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SignalRelayTest {
    private static final int HUP = 1;
    private static final int INT = 2;
    private static final int TERM = 15;
    private static final int WINCH = 28;
    private static final Terminal NONE = new Terminal(false, false, false);
    private static final Terminal FOREGROUND = new Terminal(true, false, true);
    private static final Terminal BACKGROUND = new Terminal(true, false, false);

    private final List<Integer> toChild = new ArrayList<>();
    private final List<Integer> aborts = new ArrayList<>();
    private Terminal terminal = NONE;

    @Test
    void withoutATerminalEverySignalIsPassedOn() {
        SignalRelay relay = running(NONE);
        relay.receive(INT);
        relay.receive(TERM);
        relay.receive(HUP);
        assertThat(toChild).containsExactly(INT, TERM, HUP);
    }

    @Test
    void ctrlCHasReachedTheForegroundGroupAlready() {
        SignalRelay relay = running(FOREGROUND);
        relay.receive(INT);
        assertThat(toChild).isEmpty();
        relay.receive(TERM);
        assertThat(toChild).containsExactly(TERM);
    }

    /** {@code alarm 60; exec inferscope run ...}: the timer goes on in InferScope's process alone. */
    @Test
    void anAlarmOfATimerThatWasSetBeforeIsPassedOn() {
        SignalRelay relay = running(FOREGROUND);
        relay.receive(14, true);
        relay.receive(INT, true);
        relay.receive(WINCH, true);
        assertThat(toChild).containsExactly(14);
    }

    @Test
    void interruptOfABackgroundJobIsPassedOn() {
        running(BACKGROUND).receive(INT);
        assertThat(toChild).containsExactly(INT);
    }

    @Test
    void hangUpOfTheTerminalReachesTheGroupByItself() {
        SignalRelay relay = running(FOREGROUND);
        relay.receive(HUP);
        terminal = NONE;
        relay.receive(HUP);
        assertThat(toChild).as("the first was sent with the terminal alive").containsExactly(HUP);
    }

    /** {@code ssh -t host inferscope run ...}: the kernel tells the leader of the session alone. */
    @Test
    void theLossOfTheTerminalIsPassedOnByTheLeaderOfTheSession() {
        SignalRelay relay = running(new Terminal(true, true, true));
        relay.receive(HUP, true);
        relay.receive(INT, true);
        terminal = NONE;
        relay.receive(HUP);
        assertThat(toChild).containsExactly(HUP, HUP);
    }

    @Test
    void signalsAfterTheEndAreForInferScope() {
        SignalRelay relay = running(NONE);
        relay.ended(new ChildProcess.End(0, false));
        relay.receive(INT);
        assertThat(toChild).isEmpty();
        assertThat(aborts).containsExactly(INT);
    }

    @Test
    void theCtrlCThatEndedTheCommandDoesNotAbortTheReport() {
        SignalRelay relay = running(FOREGROUND);
        relay.ended(new ChildProcess.End(INT, true));
        relay.receive(INT);
        assertThat(aborts).as("heard of only after the end").isEmpty();
        relay.receive(INT);
        assertThat(aborts).containsExactly(INT);
    }

    @Test
    void aSecondCtrlCAbortsWhenTheFirstWasHeardInTime() {
        SignalRelay relay = running(FOREGROUND);
        relay.receive(INT);
        relay.ended(new ChildProcess.End(INT, true));
        relay.receive(INT);
        assertThat(aborts).containsExactly(INT);
    }

    @Test
    void beforeTheStartThereIsNothingToPassOn() {
        new SignalRelay(() -> terminal, aborts::add, Inheritance.NONE).receive(TERM);
        assertThat(aborts).containsExactly(TERM);
    }

    @Test
    void whereTheSenderIsKnownOnlyKeysOfTheTerminalAreKeptBack() {
        SignalRelay relay = running(FOREGROUND);
        relay.receive(INT, true);
        assertThat(toChild).isEmpty();
        relay.receive(INT, false);
        relay.receive(HUP, false);
        assertThat(toChild).containsExactly(INT, HUP);
    }

    @Test
    void aSignalThatWasIgnoredNeverAborts() {
        SignalRelay relay =
                new SignalRelay(() -> terminal, aborts::add, new Inheritance(Set.of(), 1 << (INT - 1), 0, 1));
        relay.receive(INT, false);
        relay.receive(WINCH, true);
        assertThat(aborts).isEmpty();
        relay.receive(TERM, false);
        assertThat(aborts).containsExactly(TERM);
    }

    private SignalRelay running(Terminal now) {
        terminal = now;
        SignalRelay relay = new SignalRelay(() -> terminal, aborts::add, Inheritance.NONE);
        relay.started(toChild::add);
        return relay;
    }
}
