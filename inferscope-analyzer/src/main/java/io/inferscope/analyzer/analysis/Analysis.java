package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.Judged;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Everything computed from one timeline; what the trust gate and the rules read. Immutable towards them. */
public final class Analysis {
    private final Timeline timeline;
    private final Thresholds thresholds;
    private final List<DeviceActivity> devices;
    private final boolean otherAccelerator;
    private final Stretch window;
    private final ActivityClassifier classifier;
    private final Threads threads;
    private final Map<DeviceActivity, IdleBlame> blame = new LinkedHashMap<>();
    private final List<Ledger> ledgers = new ArrayList<>();
    private final Judged judged;
    private final int subjectThread;

    private Analysis(Timeline timeline, Thresholds thresholds) {
        this.timeline = timeline;
        this.thresholds = thresholds;
        this.devices = DeviceActivity.of(timeline);
        this.otherAccelerator = hasOtherAccelerator(timeline);
        this.window = Windows.of(timeline, devices);
        this.classifier = new ActivityClassifier(timeline, !devices.isEmpty() || otherAccelerator);
        this.threads = new Threads(timeline, classifier);
        for (DeviceActivity device : devices) {
            blame.put(device, new IdleBlame(timeline, device, window, threads::activity, classifier));
        }
        this.subjectThread = devices.isEmpty()
                ? threads.subject()
                : launchingThread(headline().orElseThrow());
        this.judged = addLedgers();
    }

    /** Computes everything. */
    public static Analysis of(Timeline timeline, Thresholds thresholds) {
        return new Analysis(timeline, thresholds);
    }

    private static boolean hasOtherAccelerator(Timeline timeline) {
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.OTHER) {
                return true;
            }
        }
        return false;
    }

    private Judged addLedgers() {
        Optional<DeviceActivity> headline = headline();
        if (headline.isPresent()) {
            addDeviceLedgers(headline.get());
            devices.stream().filter(d -> d != headline.get()).forEach(this::addDeviceLedgers);
            addThreadLedger();
            return new Judged(
                    "span",
                    subject(headline.get()),
                    new Stretch(headline.get().firstNs(), headline.get().lastNs()));
        }
        addThreadLedger();
        if (ledgers.isEmpty()) {
            ledgers.add(new Ledger.Builder()
                    .add(LedgerClass.UNATTRIBUTED, window.durationNs())
                    .build("program", "window", window.durationNs()));
        }
        return new Judged("window", ledgers.get(0).subject(), window);
    }

    private void addDeviceLedgers(DeviceActivity device) {
        IdleBlame idle = blameOf(device);
        Stretch span = new Stretch(device.firstNs(), device.lastNs());
        Ledger.Builder spanTime = new Ledger.Builder().addAll(idle.ledger("span"));
        for (LedgerClass busyClass : LedgerClass.values()) {
            if (busyClass.isDeviceBusy()) {
                spanTime.add(busyClass, device.exposed(busyClass).totalNs());
            }
        }
        Ledger.Builder whole = new Ledger.Builder()
                .addAll(idle.ledger("head"))
                .addAll(spanTime)
                .addAll(idle.ledger("tail"));
        String subject = subject(device);
        ledgers.add(spanTime.build(subject, "span", span.durationNs()));
        ledgers.add(whole.build(subject, "window", window.durationNs()));
        ledgers.add(idle.ledger("head").build(subject, "head", Math.max(0, span.startNs() - window.startNs())));
        ledgers.add(idle.ledger("tail").build(subject, "tail", Math.max(0, window.endNs() - span.endNs())));
    }

    private void addThreadLedger() {
        if (subjectThread < 0) {
            return;
        }
        Ledger.Builder time = new Ledger.Builder();
        threads.activity(subjectThread)
                .cover(
                        window.startNs(),
                        window.endNs(),
                        (ns, row, ledgerClass, state, basis) -> time.add(ledgerClass, ns, basis));
        ledgers.add(time.build(Threads.label(timeline, subjectThread), "window", window.durationNs()));
    }

    private static String subject(DeviceActivity device) {
        return "device " + device.id();
    }

    /** Returns the thread that launched most of a device's operations, -1 when no launch was recorded. */
    private int launchingThread(DeviceActivity device) {
        Map<Integer, Integer> counts = new LinkedHashMap<>();
        for (int i = 0; i < device.operationCount(); i++) {
            if (device.launch(i) >= 0) {
                counts.merge(timeline.track(device.launch(i)), 1, Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .max(Map.Entry.<Integer, Integer>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .map(Map.Entry::getKey)
                .orElse(-1);
    }

    /** Returns the timeline. */
    public Timeline timeline() {
        return timeline;
    }

    /** Returns a limit by its key. */
    public double threshold(String key) {
        return thresholds.get(key);
    }

    /** Returns what is explained. */
    public Stretch window() {
        return window;
    }

    /** Returns the devices that did any work. */
    public List<DeviceActivity> devices() {
        return devices;
    }

    /** Returns the device that the headline speaks of: the one with most compute time. */
    public Optional<DeviceActivity> headline() {
        return devices.stream()
                .max(Comparator.<DeviceActivity>comparingLong(d -> d.compute().totalNs())
                        .thenComparing(d -> -devices.indexOf(d)));
    }

    /** Returns whether the trace has rows of an accelerator that this version does not know. */
    public boolean hasOtherAccelerator() {
        return otherAccelerator;
    }

    /** Returns the idle blame of a device. */
    public IdleBlame blameOf(DeviceActivity device) {
        IdleBlame found = blame.get(device);
        if (found == null) {
            throw new IllegalArgumentException("not a device of this analysis: " + device.id());
        }
        return found;
    }

    /** Returns idle time by cause and place over all devices, the headline device first, largest first. */
    public List<BlameFigures> blameFigures() {
        List<BlameFigures> all = new ArrayList<>();
        headline().ifPresent(d -> all.addAll(blameOf(d).figures()));
        devices.stream()
                .filter(d -> d != headline().orElse(null))
                .forEach(d -> all.addAll(blameOf(d).figures()));
        return all;
    }

    /** Returns the part that the verdict is about. */
    public Judged judged() {
        return judged;
    }

    /** Returns the ledger of the judged part. */
    public Ledger ledger() {
        return ledgers.get(0);
    }

    /** Returns every ledger, that of the judged part first. */
    public List<Ledger> ledgers() {
        return List.copyOf(ledgers);
    }

    /** Returns a ledger of the judged subject by its part; empty when there is none. */
    public Optional<Ledger> ledger(String part) {
        return ledgers.stream()
                .filter(l -> l.part().equals(part) && l.subject().equals(ledger().subject()))
                .findFirst();
    }

    /** Returns the ledger of the host thread: the one judged, or the one that launches most; empty when none is known. */
    public Optional<Ledger> threadLedger() {
        return subjectThread < 0 ? Optional.empty() : Optional.of(ledgers.get(ledgers.size() - 1));
    }

    /** Returns the host threads. */
    public Threads threads() {
        return threads;
    }

    /** Returns whether InferScope recorded the program itself: only then its processes or its threads' CPU time are known. */
    public boolean isRun() {
        for (int row = 0; row < timeline.rowCount(); row++) {
            boolean counted = timeline.kind(row) == RowKind.THREAD_STATE
                    && timeline.attribute(row, Attribute.ON_CPU_NS) != Attribute.ABSENT;
            if (timeline.kind(row) == RowKind.PROCESS || counted) {
                return true;
            }
        }
        return false;
    }

    /** Returns the classifier of host rows. */
    ActivityClassifier classifier() {
        return classifier;
    }

    /** Returns the track of the thread that is judged or that launches most, -1 when none is known. */
    public int subjectThread() {
        return subjectThread;
    }

    /** Returns {@code file:line} of the innermost user frame around a row, empty when none was recorded. */
    public String where(int row) {
        return classifier.where(row);
    }

    /** Returns the class of a host row's own time. */
    public LedgerClass classify(int row) {
        return classifier.classify(row);
    }

    /** Returns whether stacks were sampled that hold Python frames, but no frame of native code that those call. */
    public boolean pythonStacksWithoutNativeFrames() {
        return classifier.pythonStacksWithoutNativeFrames();
    }

    /** Returns whether Python functions were recorded with their stacks, which makes Python look slower than it is. */
    public boolean pythonStacksRecorded() {
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.PYTHON_FUNCTION) {
                return true;
            }
        }
        return false;
    }
}
