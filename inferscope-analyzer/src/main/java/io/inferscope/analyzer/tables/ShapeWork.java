package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.MatrixUnits;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.tables.ShapeGroups.Group;
import io.inferscope.analyzer.work.MatrixKernels;
import io.inferscope.analyzer.work.Work;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Assigns the time of device operations to operators with recorded inputs.
 *
 * <pre>
 *   thread   [aten::linear                  ]
 *              [aten::addmm         ]           the innermost operator with known work owns the kernel;
 *                       [launch]                without one, the innermost one with recorded inputs
 *   device                   ####
 * </pre>
 *
 * Without devices the operators do the work themselves: the innermost ones with known work count, with their host time.
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
    private final BitSet namesSeen = new BitSet();
    private final NamePredicate tf32;

    private ShapeWork(Analysis analysis, Stretch part) {
        this.analysis = analysis;
        this.part = part;
        this.timeline = analysis.timeline();
        this.groups = new ShapeGroups(timeline);
        this.unitsOfName = new MatrixUnits[timeline.nameCount()];
        this.tf32 = new NamePredicate(timeline, MatrixKernels::isTf32);
    }

    /** Returns the operators by their inputs, with the times of operations that start in a part of the window. */
    static ShapeGroups of(Analysis analysis, Stretch part) {
        ShapeWork work = new ShapeWork(analysis, part);
        if (analysis.devices().isEmpty()) {
            work.addHostWork();
        } else {
            for (int device = 0; device < analysis.devices().size(); device++) {
                work.addDevice(device);
            }
        }
        return work.groups;
    }

    private void addDevice(int place) {
        DeviceActivity device = analysis.devices().get(place);
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
                group.addCall(place, device.isGraphReplay(i) ? 0 : timeline.durationNs(owner));
            }
            add(group, place, device.row(i));
        }
    }

    private boolean isInPart(int row) {
        return part.holds(timeline.startNs(row));
    }

    private void add(Group group, int device, int row) {
        long ns = timeline.durationNs(row);
        RowKind kind = timeline.kind(row);
        if (kind == RowKind.KERNEL) {
            int name = timeline.nameId(row);
            if (!namesSeen.get(name)) { // Most names show nothing, which is null, too.
                namesSeen.set(name);
                unitsOfName[name] = MatrixKernels.of(timeline.text(name));
            }
            MatrixUnits units = unitsOfName[name];
            group.addKernel(device, ns, units, units == MatrixUnits.USED && tf32.testRow(row));
        } else {
            group.addCopy(device, ns, kind != RowKind.MEMCPY_D2D && kind != RowKind.MEMSET);
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

    /**
     * Adds operators by host time. An operator counts unless an operator inside it does its work: for a product, only
     * another product does; for others, any operator.
     */
    private void addHostWork() {
        int[] rows = analysis.rows(RowKind.OPERATOR);
        BitSet counts = new BitSet();
        for (int row : rows) { // Groups are created in the order of time.
            if (isInPart(row)) {
                groups.of(row);
            }
        }
        BitSet aroundWork = new BitSet();
        BitSet aroundProducts = new BitSet();
        int next = rows.length - 1;
        // Backwards, so that children come before their parents.
        for (int row = next < 0 ? -1 : rows[next]; row >= 0; row--) {
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
