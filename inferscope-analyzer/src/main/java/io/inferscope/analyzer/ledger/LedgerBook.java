package io.inferscope.analyzer.ledger;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.blame.BlameAmounts.Phase;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Judged;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.Phases;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All ledgers of an analysis (devices, thread, phases), and the one that is judged. */
public final class LedgerBook {
    private final Stretch window;
    private final Phases phases;
    private final int subjectThread;
    private final DeviceBlame blame;
    private final ThreadBlame threadBlame;
    private final List<Ledger> ledgers = new ArrayList<>();
    private final List<Ledger> phaseLedgers = new ArrayList<>();
    private @Nullable Ledger threadLedger;
    private final Judged judged;

    /**
     * The judged time of a service.
     *
     * @param ledger of the threads that served its requests
     * @param stretch the time of the requests
     */
    public record Served(Ledger ledger, Stretch stretch) {}

    /**
     * Fills all ledgers.
     *
     * @param devices the devices at work
     * @param headline the device that the headline is about, if there is one
     * @param subjectThread the track of the thread that is judged or launches most, -1 when none is known
     * @param served the judged time if the program is a service, which replaces the thread's
     */
    public LedgerBook(
            Stretch window,
            Phases phases,
            int subjectThread,
            List<DeviceActivity> devices,
            Optional<DeviceActivity> headline,
            DeviceBlame blame,
            ThreadBlame threadBlame,
            Optional<Served> served) {
        this.window = window;
        this.phases = phases;
        this.subjectThread = subjectThread;
        this.blame = blame;
        this.threadBlame = threadBlame;
        this.judged = headline.isPresent()
                ? ofDevices(headline.get(), devices)
                : served.map(this::ofService).orElseGet(this::ofThread);
    }

    /** The handler's own ledgers follow that of all threads that served. */
    private Judged ofService(Served served) {
        ofThread();
        ledgers.add(0, served.ledger());
        return new Judged(LedgerPart.REQUESTS, served.ledger().subject(), served.stretch());
    }

    private Judged ofDevices(DeviceActivity headline, List<DeviceActivity> devices) {
        blame.byPhase().ifPresent(idle -> addPhaseLedgers(headline, idle));
        addDeviceLedgers(headline);
        addSteadyLedgers();
        devices.stream().filter(d -> d != headline).forEach(this::addDeviceLedgers);
        addThreadLedger();
        return isOneShortOperation(headline)
                ? judged(subject(headline), LedgerPart.WINDOW, window)
                : judged(subject(headline), LedgerPart.SPAN, new Stretch(headline.firstNs(), headline.lastNs()));
    }

    /** Whether a device has one short operation only. Its span is always busy and explains no idle time (ADR 0009). */
    private boolean isOneShortOperation(DeviceActivity device) {
        return device.operationCount() == 1 && 2 * (device.lastNs() - device.firstNs()) < window.durationNs();
    }

    private Judged ofThread() {
        addThreadLedger();
        if (ledgers.isEmpty()) {
            ledgers.add(new Ledger.Builder()
                    .add(LedgerClass.UNATTRIBUTED, window.durationNs())
                    .build(Report.PROGRAM_SUBJECT, LedgerPart.WINDOW, window.durationNs()));
        }
        for (int i = 0; i < phases.phases().size(); i++) {
            phaseLedgers.add(threadBlame.ledgerOfPhase(i));
        }
        addSteadyLedgers();
        return judged(ledgers.get(0).subject(), LedgerPart.WINDOW, window);
    }

    private Judged judged(String subject, LedgerPart otherwise, Stretch stretch) {
        return phases.steadyState()
                .map(steady -> new Judged(LedgerPart.STEADY_STATE, subject, steady))
                .orElseGet(() -> new Judged(otherwise, subject, stretch));
    }

    private void addDeviceLedgers(DeviceActivity device) {
        IdleBlame idle = blame.of(device);
        Stretch span = new Stretch(device.firstNs(), device.lastNs());
        Ledger.Builder spanTime = idle.ledger(Phase.SPAN).addAll(busy(device, span));
        Ledger.Builder whole = new Ledger.Builder()
                .addAll(idle.ledger(Phase.HEAD))
                .addAll(spanTime)
                .addAll(idle.ledger(Phase.TAIL));
        String subject = subject(device);
        Ledger ofSpan = spanTime.build(subject, LedgerPart.SPAN, span.durationNs());
        Ledger ofWindow = whole.build(subject, LedgerPart.WINDOW, window.durationNs());
        ledgers.addAll(isOneShortOperation(device) ? List.of(ofWindow, ofSpan) : List.of(ofSpan, ofWindow));
        ledgers.add(idle.ledger(Phase.HEAD)
                .build(subject, LedgerPart.HEAD, Math.max(0, span.startNs() - window.startNs())));
        ledgers.add(
                idle.ledger(Phase.TAIL).build(subject, LedgerPart.TAIL, Math.max(0, window.endNs() - span.endNs())));
    }

    private void addPhaseLedgers(DeviceActivity device, IdleBlame idle) {
        for (int i = 0; i < phases.phases().size(); i++) {
            Phases.Phase phase = phases.phases().get(i);
            phaseLedgers.add(idle.ofPhase(i)
                    .addAll(busy(device, phase.stretch()))
                    .build(subject(device), phase.kind().part(), phase.stretch().durationNs()));
        }
    }

    private static Ledger.Builder busy(DeviceActivity device, Stretch stretch) {
        Ledger.Builder time = new Ledger.Builder();
        for (LedgerClass busyClass : LedgerClass.values()) {
            if (busyClass.isDeviceBusy()) {
                time.add(busyClass, device.exposed(busyClass).totalWithinNs(stretch.startNs(), stretch.endNs()));
            }
        }
        return time;
    }

    /**
     * Puts the ledger of the steady state first, and the ledger of the time before it after those of the judged
     * subject.
     */
    private void addSteadyLedgers() {
        for (Ledger ledger : phaseLedgers) {
            if (ledger.part() == LedgerPart.STEADY_STATE) {
                ledgers.add(0, ledger);
            }
        }
        if (phases.phases().stream().anyMatch(phase -> phase.kind().isStartUp())) {
            ledgers.add(Ledger.sum(LedgerPart.START_UP, phaseLedgers.subList(0, phases.beforeSteadyState())));
        }
    }

    private void addThreadLedger() {
        if (subjectThread >= 0) {
            threadLedger = threadBlame.ledger();
            ledgers.add(threadLedger);
        }
    }

    private static String subject(DeviceActivity device) {
        return Report.DEVICE_SUBJECT + device.id();
    }

    /** Returns the part that the verdict is about. */
    public Judged judged() {
        return judged;
    }

    public Ledger judgedLedger() {
        return ledgers.get(0);
    }

    /** Returns every ledger, that of the judged part first. */
    public List<Ledger> ledgers() {
        return List.copyOf(ledgers);
    }

    /** Returns the ledger of each phase for the judged subject. */
    public List<Ledger> ofPhases() {
        return List.copyOf(phaseLedgers);
    }

    /** Returns the ledger of the host thread; empty when none is known. */
    public Optional<Ledger> ofHostThread() {
        return Optional.ofNullable(threadLedger);
    }
}
