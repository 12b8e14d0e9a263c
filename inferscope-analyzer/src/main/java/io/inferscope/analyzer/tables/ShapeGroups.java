package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.model.MatrixUnits;
import io.inferscope.analyzer.work.Operands;
import io.inferscope.analyzer.work.Work;
import io.inferscope.analyzer.work.WorkFormulas;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operators of a timeline grouped by name and by the shapes, types and values of their inputs: a hash table by four
 * name ids. There may be as many operators as rows, but only a few hundred groups. The work of a group is computed
 * once.
 */
public final class ShapeGroups {
    /** Operators with the same name and inputs. */
    static final class Group {
        private final int name;
        private final int dims;
        private final int types;
        private final int values;
        private final @Nullable Work work;
        private @Nullable Group next;
        private long count;
        private long hostNs;
        private long deviceNs;
        private long usedNs;
        private long unusedNs;
        private boolean tf32;
        private boolean crossesBus;
        /** Calls and device time, alternating, by the device's index in the analysis. */
        private long[] ofDevice = {};

        private Group(Timeline timeline, int name, int dims, int types, int values, @Nullable Group next) {
            this.name = name;
            this.dims = dims;
            this.types = types;
            this.values = values;
            this.next = next;
            this.work = WorkFormulas.of(
                    timeline.text(name),
                    Operands.of(timeline.text(dims), text(timeline, types), text(timeline, values)));
        }

        private static String text(Timeline timeline, int name) {
            return name < 0 ? "" : timeline.text(name);
        }

        private boolean is(int name, int dims, int types, int values) {
            return this.name == name && this.dims == dims && this.types == types && this.values == values;
        }

        int name() {
            return name;
        }

        int dims() {
            return dims;
        }

        /** Returns the name id of the types, -1 when they are not recorded. */
        int types() {
            return types;
        }

        /** Returns the work of one call, null when no formula is known. */
        @Nullable
        Work work() {
            return work;
        }

        long count() {
            return count;
        }

        long hostNs() {
            return hostNs;
        }

        long deviceNs() {
            return deviceNs;
        }

        /**
         * Returns whether its operations include a copy between host and device. The device's memory does not limit
         * such a copy.
         */
        boolean crossesBus() {
            return crossesBus;
        }

        /** Returns whether float32 products were computed in TF32. */
        boolean usesTf32() {
            return tf32;
        }

        /** Returns whether most of its kernel time used matrix units, as far as kernel names show it. */
        @Nullable
        MatrixUnits matrixUnits() {
            if (usedNs == 0 && unusedNs == 0) {
                return null;
            }
            return usedNs >= unusedNs ? MatrixUnits.USED : MatrixUnits.UNUSED;
        }

        /** Returns the calls whose first operation ran on a device. */
        long count(int device) {
            return 2 * device < ofDevice.length ? ofDevice[2 * device] : 0;
        }

        /** Returns the time of the operations on a device. */
        long deviceNs(int device) {
            return 2 * device < ofDevice.length ? ofDevice[2 * device + 1] : 0;
        }

        /** Adds a call that ran on the host. */
        void addCall(long ns) {
            count++;
            hostNs += ns;
        }

        void addCall(int device, long ns) {
            addCall(ns);
            reach(device);
            ofDevice[2 * device]++;
        }

        void addKernel(int device, long ns, MatrixUnits units, boolean isTf32) {
            addOperation(device, ns);
            usedNs += units == MatrixUnits.USED ? ns : 0;
            unusedNs += units == MatrixUnits.UNUSED ? ns : 0;
            tf32 |= isTf32;
        }

        void addCopy(int device, long ns, boolean overBus) {
            addOperation(device, ns);
            crossesBus |= overBus;
        }

        private void addOperation(int device, long ns) {
            deviceNs += ns;
            reach(device);
            ofDevice[2 * device + 1] += ns;
        }

        private void reach(int device) {
            if (ofDevice.length < 2 * device + 2) {
                ofDevice = Arrays.copyOf(ofDevice, 2 * device + 2);
            }
        }
    }

    private final Timeline timeline;
    private final List<Group> groups = new ArrayList<>();
    private @Nullable Group[] table = new @Nullable Group[256];

    ShapeGroups(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Returns the groups in the order in which they were met. */
    List<Group> all() {
        return groups;
    }

    /** Returns the group of an operator row, null when it has no recorded inputs. */
    @Nullable
    Group of(int row) {
        long dims = timeline.attribute(row, Attribute.INPUT_DIMS);
        if (dims == Attribute.ABSENT) {
            return null;
        }
        int name = timeline.nameId(row);
        int types = (int) Math.max(-1, timeline.attribute(row, Attribute.INPUT_TYPES));
        int values = (int) Math.max(-1, timeline.attribute(row, Attribute.CONCRETE_INPUTS));
        int slot = slot(name, (int) dims, types, values);
        for (Group group = table[slot]; group != null; group = group.next) {
            if (group.is(name, (int) dims, types, values)) {
                return group;
            }
        }
        Group group = new Group(timeline, name, (int) dims, types, values, table[slot]);
        table[slot] = group;
        groups.add(group);
        if (groups.size() > table.length) {
            grow();
        }
        return group;
    }

    private int slot(int name, int dims, int types, int values) {
        int hash = ((name * 31 + dims) * 31 + types) * 31 + values;
        return (hash * 0x9E3779B9) >>> 1 & (table.length - 1);
    }

    private void grow() {
        table = new @Nullable Group[table.length * 4];
        for (Group group : groups) {
            int slot = slot(group.name, group.dims, group.types, group.values);
            group.next = table[slot];
            table[slot] = group;
        }
    }
}
