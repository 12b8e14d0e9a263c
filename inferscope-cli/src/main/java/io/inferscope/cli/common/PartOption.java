package io.inferscope.cli.common;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.cut.TimelineCut;
import io.inferscope.timeline.importer.ImportException;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code --scope NAME}: explain one part of a recording instead of all of it. */
public final class PartOption {
    private final OptionSpec scope = OptionSpec.builder("--scope")
            .type(String.class)
            .paramLabel("NAME")
            .description(
                    "Explain only the time from the first start to the last end of the scope NAME, such as a steady loop.")
            .build();

    public void addTo(CommandSpec spec) {
        spec.addOption(scope);
    }

    public boolean isSet() {
        return scope.getValue() != null;
    }

    /**
     * Returns what is to be explained of a recording.
     *
     * @param title what to call the recording in a message
     * @throws ImportException when it has no such scope
     */
    public Timeline of(Timeline timeline, String title) throws ImportException {
        String name = scope.getValue();
        return name == null ? timeline : cut(timeline, name, title);
    }

    private static Timeline cut(Timeline timeline, String name, String title) throws ImportException {
        long fromNs = Long.MAX_VALUE;
        long toNs = Long.MIN_VALUE;
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.ANNOTATION && timeline.name(row).equals(name)) {
                fromNs = Math.min(fromNs, timeline.startNs(row));
                toNs = Math.max(toNs, timeline.endNs(row));
            }
        }
        if (toNs <= fromNs) {
            throw new ImportException(title, "has no scope \"" + name + "\"", known(timeline));
        }
        return TimelineCut.of(timeline, fromNs, toNs);
    }

    private static String known(Timeline timeline) {
        Set<String> names = new TreeSet<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.ANNOTATION && timeline.attribute(row, Attribute.USER_SCOPE) == 1) {
                names.add(timeline.name(row));
            }
        }
        return names.isEmpty()
                ? "leave out --scope, or open one in the program: with inferscope.scope(\"steady\")"
                : "its own scopes are " + String.join(", ", names);
    }
}
