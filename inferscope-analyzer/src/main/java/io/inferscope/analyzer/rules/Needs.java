package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.timeline.TimelineInfo;

/** What a recording must contain for a rule to apply. */
public enum Needs implements HasStableId {
    /** Kernels, copies or sets of a device. */
    DEVICE_WORK("no device work is recorded"),
    /** Device work, each kernel by itself. */
    KERNELS("kernels are not recorded one by one"),
    /** Calls that launched device work. */
    LAUNCHES("no launch of device work is recorded"),
    /** Any host thread. */
    HOST_ACTIVITY("no host activity is recorded"),
    /** When threads run and wait. */
    THREAD_STATES("thread states are not recorded"),
    /** Steps in the judged part. */
    STEPS("no steps are found");

    private final String absence;

    Needs(String absence) {
        this.absence = absence;
    }

    /** Returns the sentence for a recording without it. */
    String absence() {
        return absence;
    }

    boolean isMetBy(Analysis analysis) {
        return switch (this) {
            case DEVICE_WORK -> !analysis.devices().isEmpty();
            case KERNELS ->
                !analysis.devices().isEmpty()
                        && !analysis.timeline().properties().containsKey(TimelineInfo.BLOCKS);
            case LAUNCHES ->
                analysis.devices().stream()
                        .flatMapToInt(DeviceActivity::launches)
                        .findAny()
                        .isPresent();
            case HOST_ACTIVITY -> analysis.threadLedger().isPresent();
            case THREAD_STATES -> analysis.threadStatesRecorded();
            case STEPS -> Steps.judged(analysis).size() > 0;
        };
    }
}
