package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.name;
import static io.inferscope.report.tables.Table.number;
import static io.inferscope.report.tables.Table.words;

import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import java.util.List;

/** Tables about the critical path. */
final class PathReportTables {
    private PathReportTables() {}

    static List<Table> of(Report report) {
        PathTables path = report.path();
        return List.of(classes(path), work(path), lines(path), longest(path, report), tracks(path));
    }

    private static Table classes(PathTables path) {
        return new Table(
                "Critical path by class",
                "The longest chain of dependencies through the window: " + Units.duration(path.pathNs())
                        + ". What is on it delays the end when it takes longer, what is off it does not until its slack is used up. Put together from "
                        + Units.count(path.dependencies()) + " dependencies of " + Units.count(path.instants())
                        + " instants; replaying them unchanged misses the recorded time by "
                        + Units.duration(path.replayErrorNs()) + ".",
                List.of(words("Class"), name("Id"), number("Time"), number("Share")),
                path.classes().stream()
                        .map(c -> List.of(
                                c.ledgerClass().label(),
                                c.ledgerClass().id(),
                                Units.duration(c.ns()),
                                share(c.ns(), path)))
                        .toList());
    }

    private static Table work(PathTables path) {
        return new Table(
                "Critical path by work",
                "",
                List.of(
                        words("Cause"),
                        name("Track"),
                        name("Activity"),
                        name("Where"),
                        number("Time"),
                        number("Share"),
                        number("Pieces")),
                path.work().stream()
                        .map(w -> List.of(
                                w.cause().label(),
                                w.track(),
                                w.activity(),
                                w.where(),
                                Units.duration(w.ns()),
                                share(w.ns(), path),
                                Units.count(w.pieces())))
                        .toList());
    }

    private static Table lines(PathTables path) {
        return new Table(
                "Critical path by line",
                "Device work counts for the line that launched it.",
                List.of(name("Where"), words("Mostly"), number("Time"), number("Share")),
                path.lines().stream()
                        .map(l -> List.of(l.where(), l.largest().label(), Units.duration(l.ns()), share(l.ns(), path)))
                        .toList());
    }

    private static Table longest(PathTables path, Report report) {
        return new Table(
                "Longest pieces of the critical path",
                "",
                List.of(number("At"), number("Length"), words("Cause"), name("Track"), name("Activity"), name("Where")),
                path.longest().stream()
                        .map(p -> List.of(
                                Units.point(p.startNs() - report.window().startNs()),
                                Units.duration(p.durationNs()),
                                p.cause().label(),
                                p.track(),
                                p.activity(),
                                p.where()))
                        .toList());
    }

    private static Table tracks(PathTables path) {
        return new Table(
                "Threads and streams on the critical path",
                "Slack is by how much the tightest piece off the path could take longer before the whole does.",
                List.of(name("Track"), number("On the path"), number("Share"), number("Slack")),
                path.tracks().stream()
                        .map(t -> List.of(
                                t.track(),
                                Units.duration(t.onPathNs()),
                                share(t.onPathNs(), path),
                                t.slackNs() < 0 ? "" : Units.duration(t.slackNs())))
                        .toList());
    }

    private static String share(long ns, PathTables path) {
        return Units.percent((double) ns / path.pathNs());
    }
}
