package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.GraphReplays;
import io.inferscope.analyzer.model.WorkTables.ModuleFigures;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    private final Node root = new Node("");
    private final Map<Integer, Node> byRow = new HashMap<>();

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
        final String path;
        final Map<String, Node> inside = new LinkedHashMap<>();
        final Set<Integer> instances = new HashSet<>();
        long calls;
        long hostNs;
        long ownNs;

        Node(String path) {
            this.path = path;
        }

        Node inner(String of) {
            return inside.computeIfAbsent(of, n -> new Node(path.isEmpty() ? n : path + " > " + n));
        }

        long deviceNs() {
            return ownNs + inside.values().stream().mapToLong(Node::deviceNs).sum();
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
                table.around(call >= 0 ? call : device.launch(i)).ownNs += ns;
            }
        }
        return table.figures();
    }

    private void findCalls() {
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.PYTHON_FUNCTION && classes[timeline.nameId(row)] != null) {
                boolean captured = timeline.isCaptured(row);
                Node node = around(row);
                node.calls += captured ? 0 : 1;
                node.hostNs += captured ? 0 : timeline.durationNs(row);
                node.instances.add(timeline.nameId(row));
            }
        }
    }

    /** Returns the innermost module around a row, which may be the row itself; the root if there is none, or for -1. */
    private Node around(int row) {
        int module = row;
        while (module >= 0
                && (timeline.kind(module) != RowKind.PYTHON_FUNCTION || classes[timeline.nameId(module)] == null)) {
            module = timeline.parent(module);
        }
        if (module < 0) {
            return root;
        }
        Node known = byRow.get(module);
        if (known == null) {
            String name = classes[timeline.nameId(module)];
            known = around(timeline.parent(module)).inner(name == null ? "" : name);
            byRow.put(module, known);
        }
        return known;
    }

    /**
     * Keeps the modules with most device time. A module's time is at most its parent's, so each kept module's parent is
     * kept too.
     */
    private Cut figures() {
        List<ModuleFigures> all = new ArrayList<>();
        root.inside.values().forEach(node -> add(node, all));
        List<ModuleFigures> kept = IntStream.range(0, all.size())
                .boxed()
                .sorted(Order.comparingLong((Integer i) -> all.get(i).deviceNs())
                        .reversed())
                .limit(MOST)
                .sorted()
                .map(all::get)
                .toList();
        return new Cut(kept, all.size() - kept.size());
    }

    private void add(Node node, List<ModuleFigures> figures) {
        long deviceNs = node.deviceNs();
        figures.add(new ModuleFigures(
                node.path,
                node.instances.size(),
                node.calls,
                node.hostNs,
                deviceNs,
                node.ownNs,
                allNs == 0 ? 0 : (double) deviceNs / allNs));
        node.inside.values().forEach(inner -> add(inner, figures));
    }
}
