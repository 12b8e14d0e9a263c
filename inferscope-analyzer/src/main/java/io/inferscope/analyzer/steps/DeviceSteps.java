package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Maps the steps of a thread to a device's time, because the operations of a step may run after the step on the thread.
 *
 * <pre>
 *   thread   [step 1][step 2][step 3]
 *   device     ---1111111--2222222222-33333333
 *   steps     1111111111111222222222223333333333
 * </pre>
 *
 * <p>On the device, a step ends with the last operation that any thread launched during the step, and begins at the end
 * of the previous step. A step without launches ends as on the thread.
 */
final class DeviceSteps {
    /** Least share of operations with a recorded launch; with fewer, steps keep the thread's time. */
    private static final double LAUNCHED = 0.5;

    private final Timeline timeline;
    private final DeviceActivity device;
    private final List<Step> steps;
    private final long[] startsNs;
    private final long[] endsNs;
    private long beforeNs = Long.MIN_VALUE;

    private DeviceSteps(Timeline timeline, DeviceActivity device, List<Step> steps) {
        this.timeline = timeline;
        this.device = device;
        this.steps = steps;
        this.startsNs = steps.stream().mapToLong(Step::startNs).toArray();
        this.endsNs = new long[startsNs.length];
        Arrays.fill(endsNs, Long.MIN_VALUE);
    }

    static Loop of(Timeline timeline, DeviceActivity device, Loop loop) {
        DeviceSteps moved = new DeviceSteps(timeline, device, loop.steps());
        return moved.findEnds() ? new Loop(loop.source(), loop.track(), moved.moved()) : loop;
    }

    /** Finds when the work that each step launched ends; returns whether enough launches are recorded. */
    private boolean findEnds() {
        device.launched().forEach(i -> add(timeline.startNs(device.launch(i)), timeline.endNs(device.row(i))));
        return device.launched().count() >= LAUNCHED * device.operationCount();
    }

    private void add(long launchNs, long endNs) {
        int found = Arrays.binarySearch(startsNs, launchNs);
        int step = found < 0 ? -found - 2 : found;
        if (step < 0) {
            beforeNs = Math.max(beforeNs, endNs);
        } else if (launchNs < steps.get(step).endNs()) {
            endsNs[step] = Math.max(endsNs[step], endNs);
        }
    }

    private List<Step> moved() {
        List<Step> moved = new ArrayList<>(steps.size());
        long cursorNs = Math.min(beforeNs, endsNs[0]);
        for (int i = 0; i < endsNs.length; i++) {
            Step step = steps.get(i);
            boolean follows = i > 0 && step.startNs() == steps.get(i - 1).endNs();
            long startNs = follows ? cursorNs : Math.max(cursorNs, step.startNs());
            cursorNs = Math.max(startNs, endsNs[i] == Long.MIN_VALUE ? step.endNs() : endsNs[i]);
            moved.add(new Step(step.name(), step.kind(), startNs, cursorNs, step.phase()));
        }
        return moved;
    }
}
