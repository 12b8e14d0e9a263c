package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.ByName;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.tables.ShapeGroups.Group;
import io.inferscope.analyzer.work.MatrixUnits;
import io.inferscope.analyzer.work.Work;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Gives the time of device operations to operators with recorded inputs.
 *
 * <pre>
 *   thread   [aten::linear                  ]
 *              [aten::addmm         ]           the innermost operator whose work is known owns the kernel;
 *                       [launch]                where none is known, the innermost one with recorded inputs
 *   device                   ####
 * </pre>
 *
 * Without devices the operators do the work themselves: then the innermost ones whose work is known count, by their host time.
 */
final class ShapeWork {
    private final Analysis analysis;
    private final Stretch part;
    private final Timeline timeline;
    private final ShapeGroups groups;
    private final BitSet counted = new BitSet();
    /** By operator of a captured launch: the graph launch for which it was counted last. */
    private final Map<Integer, Integer> countedReplay = new HashMap<>();

    private final MatrixUnits[] unitsOfName;
    private final ByName tf32;

    private ShapeWork(Analysis analysis, Stretch part) {
        this.analysis = analysis;
        this.part = part;
        this.timeline = analysis.timeline();
        this.groups = new ShapeGroups(timeline);
        this.unitsOfName = new MatrixUnits[timeline.nameCount()];
        this.tf32 = new ByName(timeline, MatrixUnits::isTf32);
    }

    /** Returns the operators by their inputs, with the times of what starts in a part of the window. */
    static ShapeGroups of(Analysis analysis, Stretch part) {
        ShapeWork work = new ShapeWork(analysis, part);
        if (analysis.devices().isEmpty()) {
            work.addHostWork();
        } else {
            analysis.devices().forEach(work::addDevice);
        }
        return work.groups;
    }

    private void addDevice(DeviceActivity device) {
        GraphReplays graphs = GraphReplays.of(analysis, device);
        for (int i = 0; i < device.operationCount(); i++) {
            if (!isInPart(device.row(i))) {
                continue;
            }
            int owner = owner(graphs.callOf(i));
            Group group = owner < 0 ? null : groups.of(owner);
            if (group == null) {
                continue;
            }
            if (isFirstOf(owner, device, i)) {
                group.addCall(device.isGraphReplay(i) ? 0 : timeline.durationNs(owner));
            }
            add(group, device.row(i));
        }
    }

    private boolean isInPart(int row) {
        return timeline.startNs(row) >= part.startNs() && timeline.startNs(row) < part.endNs();
    }

    private void add(Group group, int row) {
        long ns = timeline.durationNs(row);
        RowKind kind = timeline.kind(row);
        if (kind == RowKind.KERNEL) {
            int name = timeline.nameId(row);
            if (unitsOfName[name] == null) {
                unitsOfName[name] = MatrixUnits.of(timeline.text(name));
            }
            MatrixUnits units = unitsOfName[name];
            group.addKernel(ns, units, units == MatrixUnits.USED && tf32.testRow(row));
        } else {
            group.addCopy(ns, kind != RowKind.MEMCPY_D2D && kind != RowKind.MEMSET);
        }
    }

    private boolean isFirstOf(int owner, DeviceActivity device, int operation) {
        if (device.isGraphReplay(operation)) {
            Integer last = countedReplay.put(owner, device.launch(operation));
            return last == null || last != device.launch(operation);
        }
        boolean first = !counted.get(owner);
        counted.set(owner);
        return first;
    }

    private int owner(int launch) {
        int innermost = -1;
        int row = launch < 0 ? -1 : timeline.enclosing(launch, RowKind.OPERATOR);
        for (; row >= 0; row = timeline.enclosing(row, RowKind.OPERATOR)) {
            Group group = groups.of(row);
            if (group != null && group.work() != null) {
                return row;
            }
            innermost = innermost < 0 && group != null ? row : innermost;
        }
        return innermost;
    }

    /** Parents come before their children; an operator counts unless one inside does its work: a product for a product, anything for the rest. */
    private void addHostWork() {
        int[] rows = analysis.rows(RowKind.OPERATOR);
        BitSet counts = new BitSet();
        for (int row : rows) { // Groups stand in the order of time.
            if (isInPart(row)) {
                groups.of(row);
            }
        }
        BitSet aroundWork = new BitSet();
        BitSet aroundProducts = new BitSet();
        int next = rows.length - 1;
        for (int row = next < 0 ? -1 : rows[next]; row >= 0; row--) { // What is inside comes before what is around it.
            boolean operator = next >= 0 && rows[next] == row;
            next -= operator ? 1 : 0;
            Group group = operator && isInPart(row) ? groups.of(row) : null;
            Work work = group == null ? null : group.work();
            if (work != null && !aroundProducts.get(row) && (work.kind().isMatrix() || !aroundWork.get(row))) {
                counts.set(row);
            }
            int parent = timeline.parent(row);
            if (parent >= 0) {
                aroundWork.set(parent, aroundWork.get(parent) || aroundWork.get(row) || work != null);
                boolean product = work != null && work.kind().isMatrix();
                aroundProducts.set(parent, aroundProducts.get(parent) || aroundProducts.get(row) || product);
            }
        }
        for (int row : rows) {
            Group group = counts.get(row) ? groups.of(row) : null;
            if (group != null) {
                group.addCall(timeline.durationNs(row));
            }
        }
    }
}
