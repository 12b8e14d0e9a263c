package io.inferscope.analyzer.ledger;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.activity.MissingOperations;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.blame.DividedTime;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.blame.PhaseStepCursor;
import io.inferscope.analyzer.blame.StepTime;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.Phases;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Idle time by cause: of every device over the window; of the headline device also by phase and by step. */
public final class DeviceBlame {
    /** How many gaps of a device are named. */
    private static final int NAMED_GAPS = 10;

    private final Optional<DeviceActivity> headline;
    private final Map<DeviceActivity, IdleBlame> blame = new LinkedHashMap<>();
    private final Optional<IdleBlame> byPhase;
    private final Lazy<List<BlameFigures>> figures = new Lazy<>(this::collect);

    /**
     * Walks the gaps of every device.
     *
     * @param steps takes the headline device's idle time in steps
     */
    public DeviceBlame(
            Timeline timeline,
            Stretch window,
            Threads threads,
            ActivityClassifier classifier,
            MissingOperations missing,
            Phases phases,
            StepTime steps,
            List<DeviceActivity> devices,
            Optional<DeviceActivity> headline) {
        this.headline = headline;
        for (DeviceActivity device : devices) {
            boolean divided = device == headline.orElse(null);
            DividedTime time = new DividedTime(
                    classifier, divided ? PhaseStepCursor.by(phases) : PhaseStepCursor.none(), divided ? steps : null);
            blame.put(device, new IdleBlame(timeline, device, window, threads, classifier, missing, time, NAMED_GAPS));
        }
        this.byPhase = phases.phases().isEmpty() ? Optional.empty() : headline.map(this::of);
    }

    public IdleBlame of(DeviceActivity device) {
        IdleBlame found = blame.get(device);
        if (found == null) {
            throw new IllegalArgumentException("not a device of this analysis: " + device.id());
        }
        return found;
    }

    /** Returns the headline device's idle blame, divided by phases; empty without a device or phases. */
    public Optional<IdleBlame> byPhase() {
        return byPhase;
    }

    /** Returns idle time by cause and place over all devices, the headline device first, largest first. */
    public List<BlameFigures> figures() {
        return figures.get();
    }

    private List<BlameFigures> collect() {
        List<BlameFigures> all = new ArrayList<>();
        headline.ifPresent(d -> all.addAll(of(d).figures()));
        blame.keySet().stream().filter(d -> d != headline.orElse(null)).forEach(d -> all.addAll(of(d).figures()));
        return List.copyOf(all);
    }

    /** Returns the same of the steady state, or of the span of every device. */
    public List<BlameFigures> figures(boolean steadyState) {
        LedgerPart part = steadyState ? LedgerPart.STEADY_STATE : LedgerPart.SPAN;
        List<BlameFigures> all = byPhase.map(IdleBlame::phaseFigures).orElseGet(this::figures);
        return all.stream().filter(b -> b.phase() == part).toList();
    }
}
