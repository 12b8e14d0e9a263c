package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.WorkTables.ModuleFigures;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The tree of {@code nn.Module}s that PyTorch's profiler records with Python stacks, with the device time launched in
 * each. Modules of one class with one parent, such as the layers of a model, share a line.
 */
final class ModuleTable {
    /** How the profiler names a call of a module: its class and the number of the instance. */
    private static final String PREFIX = "nn.Module: ";

    private static final int MOST = 100;

    private final Timeline timeline;
    private final Node root = new Node("", null);

    /** Each node after the one around it. */
    private final List<Node> nodes = new ArrayList<>();

    /** By row: the innermost module around it, which may be the row itself; empty without modules. */
    private Node[] ofRows = {};

    /** By name: the class, null if the name is not a module's. Each name is parsed once. */
    private final @Nullable String[] classes;

    private long allNs;

    /** The lines that are kept, and the number of those that are not. */
    record Cut(List<ModuleFigures> kept, int leftOut) {
        private static final Cut NOTHING = new Cut(List.of(), 0);
    }

    private ModuleTable(Timeline timeline) {
        this.timeline = timeline;
        this.classes = new String[timeline.nameCount()];
        for (int name = 0; name < classes.length; name++) {
            String text = timeline.text(name);
            if (text.startsWith(PREFIX)) {
                int number = text.lastIndexOf('_');
                classes[name] = text.substring(PREFIX.length(), number < PREFIX.length() ? text.length() : number);
            }
        }
    }

    /** The modules of one class with one parent. */
    private static final class Node {
        final String name;
        final @Nullable Node around;
        final Map<String, Node> inside = new LinkedHashMap<>();
        final Set<Integer> instances = new HashSet<>();
        long calls;
        long hostNs;
        long ownNs;
        long deviceNs;

        Node(String name, @Nullable Node around) {
            this.name = name;
            this.around = around;
        }

        /** Returns the names from the outermost module on. */
        String path() {
            String path = name;
            for (Node at = around; at != null && at.around != null; at = at.around) {
                path = at.name + " > " + path;
            }
            return path;
        }
    }

    /** Returns the tree, each module before the modules inside it; empty if no module is recorded. */
    static Cut of(Analysis analysis) {
        if (!analysis.has(RowKind.PYTHON_FUNCTION)) {
            return Cut.NOTHING;
        }
        ModuleTable table = new ModuleTable(analysis.timeline());
        table.findCalls();
        if (table.root.inside.isEmpty()) {
            return Cut.NOTHING;
        }
        for (DeviceActivity device : analysis.devices()) {
            GraphReplays graphs = GraphReplays.of(analysis, device);
            for (int i = 0; i < device.operationCount(); i++) {
                long ns = analysis.timeline().durationNs(device.row(i));
                int call = graphs.callOf(i);
                table.allNs += ns;
                int from = call >= 0 ? call : device.launch(i);
                Node node = from < 0 ? table.root : table.ofRows[from];
                node.ownNs += ns;
            }
        }
        return table.figures();
    }

    private void findCalls() {
        if (Arrays.stream(classes).allMatch(Objects::isNull)) {
            return;
        }
        ofRows = new Node[timeline.rowCount()];
        for (int row = 0; row < ofRows.length; row++) {
            int parent = timeline.parent(row);
            Node node = parent < 0 ? root : ofRows[parent];
            String name = timeline.kind(row) == RowKind.PYTHON_FUNCTION ? classes[timeline.nameId(row)] : null;
            if (name != null) {
                node = inner(node, name);
                boolean captured = timeline.isCaptured(row);
                node.calls += captured ? 0 : 1;
                node.hostNs += captured ? 0 : timeline.durationNs(row);
                node.instances.add(timeline.nameId(row));
            }
            ofRows[row] = node;
        }
    }

    private Node inner(Node around, String name) {
        return around.inside.computeIfAbsent(name, unseen -> {
            Node node = new Node(unseen, around);
            nodes.add(node);
            return node;
        });
    }

    /**
     * Keeps the modules with most device time. A module's time is at most its parent's, so each kept module's parent is
     * kept too, and no path is longer than the table.
     */
    private Cut figures() {
        for (int i = nodes.size() - 1; i >= 0; i--) {
            Node node = nodes.get(i);
            node.deviceNs += node.ownNs;
            if (node.around != null) {
                node.around.deviceNs += node.deviceNs;
            }
        }
        List<Node> ordered = outsideIn();
        List<ModuleFigures> kept = IntStream.range(0, ordered.size())
                .boxed()
                .sorted(Order.comparingLong((Integer i) -> ordered.get(i).deviceNs)
                        .reversed())
                .limit(MOST)
                .sorted()
                .map(i -> figures(ordered.get(i)))
                .toList();
        return new Cut(kept, ordered.size() - kept.size());
    }

    /** Returns all nodes, each followed by those inside it. No recursion: nesting may be deep. */
    private List<Node> outsideIn() {
        List<Node> ordered = new ArrayList<>();
        Deque<Iterator<Node>> open = new ArrayDeque<>();
        open.push(root.inside.values().iterator());
        while (!open.isEmpty()) {
            if (open.element().hasNext()) {
                Node node = open.element().next();
                ordered.add(node);
                open.push(node.inside.values().iterator());
            } else {
                open.pop();
            }
        }
        return ordered;
    }

    private ModuleFigures figures(Node node) {
        return new ModuleFigures(
                node.path(),
                node.instances.size(),
                node.calls,
                node.hostNs,
                node.deviceNs,
                node.ownNs,
                allNs == 0 ? 0 : (double) node.deviceNs / allNs);
    }
}
