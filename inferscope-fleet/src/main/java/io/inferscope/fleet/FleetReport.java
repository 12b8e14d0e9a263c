package io.inferscope.fleet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Units;
import io.inferscope.fleet.FleetFigures.Device;
import io.inferscope.fleet.FleetFigures.Loss;
import io.inferscope.fleet.Shares.Interval;
import io.inferscope.report.plots.Plot;
import io.inferscope.report.plots.Plots;
import io.inferscope.report.plots.Plots.Ratio;
import io.inferscope.report.shapes.TablesPage;
import io.inferscope.report.tables.Table;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The report on a fleet: which services' devices idle most, why, where, and since when. */
public final class FleetReport {
    private static final int MOST_ROWS = 25;
    private static final int FEWEST_FOR_OUTLIERS = 8;
    private static final double FENCE = 1.5;

    private final FleetFigures figures;
    private final List<Ranked> services;
    private final List<Ranked> classes;
    private final List<Ranked> days;
    private final Shares all;

    private FleetReport(FleetFigures figures) {
        this.figures = figures;
        services = ranked(figures.idle(Device::service));
        classes = ranked(figures.idleClasses());
        all = figures.idle(device -> "").getOrDefault("", new Shares());
        days = ranked(figures.idle(Device::day));
        days.sort((a, b) -> a.name().compareTo(b.name()));
    }

    /**
     * Computes the report on a folder of sets.
     *
     * @throws IOException if a set cannot be read
     */
    public static FleetReport of(Path folder) throws IOException {
        return new FleetReport(new FleetFigures(new SummarySets(folder)));
    }

    /** Writes the figures, in exact ns, as a JSON object: docs/fleet.md. */
    public void json(Appendable out) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeNumberField("recordings", figures.recordings());
            json.writeNumberField("trusted", figures.trustedCount());
            json.writeObjectFieldStart("leftOut");
            for (Map.Entry<String, Integer> reason : figures.untrusted().entrySet()) {
                json.writeNumberField(reason.getKey(), reason.getValue());
            }
            json.writeEndObject();
            json(json, "services", services);
            json(json, "classes", classes);
            json(json, "days", days);
            json(json, "places", "cause", figures.places());
            json(json, "rules", "", figures.rules());
            json.writeEndObject();
        }
        out.append(text.toString()).append('\n');
    }

    private static void json(JsonGenerator json, String name, List<Ranked> shares) throws IOException {
        json.writeArrayFieldStart(name);
        for (Ranked one : shares) {
            json.writeStartObject();
            json.writeStringField("name", one.name());
            json.writeNumberField("recordings", one.shares().size());
            json.writeNumberField("idleNs", one.shares().part());
            json.writeNumberField("deviceNs", one.shares().whole());
            json.writeNumberField("share", one.interval().ratio());
            json.writeNumberField("low", one.interval().low());
            json.writeNumberField("high", one.interval().high());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void json(JsonGenerator json, String name, String detail, List<Loss> losses) throws IOException {
        json.writeArrayFieldStart(name);
        for (Loss loss : losses) {
            json.writeStartObject();
            json.writeStringField("name", loss.reason());
            if (!detail.isEmpty()) {
                json.writeStringField(detail, loss.detail());
            }
            json.writeNumberField("recordings", loss.recordings());
            json.writeNumberField("ns", loss.ns());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Returns the report for people. */
    public TablesPage page(String title) {
        List<Plot> plots = new ArrayList<>();
        if (!services.isEmpty()) {
            plots.add(plot("services", "Idle share of device time by service", services));
        }
        if (days.size() > 1) {
            plots.add(plot("days", "Idle share of device time by day", days));
        }
        List<Table> tables = List.of(
                shares("Services by idle device time", "Service", services),
                shares(
                        "Why devices are idle",
                        "Class of time",
                        classes.stream()
                                .map(one -> new Ranked(label(one.name()), one.shares(), one.interval()))
                                .toList()),
                losses("Where devices wait", "Idle time by place and cause.", true, figures.places()),
                losses(
                        "What rules found",
                        "Costs of findings; those of one recording may overlap, and gains do not add up.",
                        false,
                        figures.rules()),
                shares("By day", "Day", days.subList(Math.max(0, days.size() - MOST_ROWS), days.size())),
                changes(),
                outliers());
        return new TablesPage("fleet " + title, conclusion(), cautions(), plots, tables);
    }

    /** A share by the name of what it is of. */
    private record Ranked(String name, Shares shares, Interval interval) {}

    /** Returns shares with the largest part first. */
    private static List<Ranked> ranked(Map<String, Shares> shares) {
        List<Ranked> ranked = new ArrayList<>();
        shares.forEach((name, share) -> ranked.add(new Ranked(name, share, share.interval())));
        ranked.sort((a, b) -> Long.compare(b.shares().part(), a.shares().part()));
        return ranked;
    }

    private List<String> conclusion() {
        if (all.whole() == 0) {
            return List.of("No recording with a device can be trusted, so nothing is known of their idle time.");
        }
        List<String> conclusion = new ArrayList<>();
        conclusion.add("Devices are idle for " + words(all.interval()) + " of their time: " + Units.duration(all.part())
                + " of " + Units.duration(all.whole()) + " in " + Units.count(all.size()) + " recordings.");
        Ranked worst = services.get(0);
        conclusion.add("Most idle device time: service " + worst.name() + ", "
                + Units.duration(worst.shares().part()) + ", " + words(worst.interval()) + " of its device time.");
        if (!classes.isEmpty()) {
            conclusion.add("Main reason: " + label(classes.get(0).name()) + ", "
                    + words(classes.get(0).interval()) + " of all device time.");
        }
        return conclusion;
    }

    private List<String> cautions() {
        List<String> cautions = new ArrayList<>();
        int left = figures.recordings() - figures.trustedCount();
        if (left > 0) {
            cautions.add(Units.count(left) + " of " + Units.count(figures.recordings())
                    + " recordings are left out, because they failed or their verdict is withheld: "
                    + figures.untrusted().entrySet().stream()
                            .map(reason -> reason.getKey() + " " + Units.count(reason.getValue()))
                            .collect(Collectors.joining(", "))
                    + ".");
        }
        int without = figures.trustedCount() - all.size();
        if (without > 0) {
            cautions.add(Units.count(without) + " recordings have no device work; only rules tell of them.");
        }
        return cautions;
    }

    private static String words(Interval interval) {
        return new Ratio("", interval.ratio(), interval.low(), interval.high()).words();
    }

    /** Returns a class of time in words; the id itself if a later version wrote it. */
    private static String label(String id) {
        return Arrays.stream(LedgerClass.values())
                .filter(one -> one.id().equals(id))
                .map(LedgerClass::label)
                .findFirst()
                .orElse(id);
    }

    private static Plot plot(String id, String title, List<Ranked> shares) {
        return Plots.ratios(
                id,
                title,
                shares.stream()
                        .limit(60)
                        .map(one -> new Ratio(
                                one.name(),
                                one.interval().ratio(),
                                one.interval().low(),
                                one.interval().high()))
                        .toList());
    }

    private static Table shares(String title, String name, List<Ranked> shares) {
        return Table.of(
                title,
                "Share of device time, with the interval that holds it for 95 % of other samples of recordings.",
                shares.stream().limit(MOST_ROWS).toList(),
                (row, one) -> row.name(name, one.name())
                        .count("Recordings", one.shares().size())
                        .time("Idle", one.shares().part())
                        .time("Device time", one.shares().whole())
                        .number("Share", Units.percent(one.interval().ratio()))
                        .number("From", Units.percent(one.interval().low()))
                        .number("To", Units.percent(one.interval().high())));
    }

    private static Table losses(String title, String intro, boolean places, List<Loss> losses) {
        return Table.of(title, intro, losses.stream().limit(MOST_ROWS).toList(), (row, loss) -> {
            row.name(places ? "Place" : "Rule", loss.reason());
            if (places) {
                row.words("Cause", label(loss.detail()));
            }
            row.count("Recordings", loss.recordings()).time(places ? "Idle" : "Cost", loss.ns());
            if (!places) {
                row.time("Gain, least", loss.gainLowNs()).time("Gain, most", loss.gainHighNs());
            }
        });
    }

    private Table changes() {
        List<List<String>> changes = new ArrayList<>();
        figures.idle(Device::service).keySet().forEach(service -> {
            List<Ranked> own = ranked(figures.idle(device -> device.service().equals(service) ? device.day() : null));
            own.sort((a, b) -> a.name().compareTo(b.name()));
            for (int i = 1; i < own.size(); i++) {
                Interval before = own.get(i - 1).interval();
                Interval after = own.get(i).interval();
                if (before.low() < before.high()
                        && after.low() < after.high() // Not of single recordings.
                        && (after.low() > before.high() || after.high() < before.low())) {
                    changes.add(List.of(service, own.get(i).name(), words(before), words(after)));
                }
            }
        });
        return Table.of(
                "Changes from day to day",
                "Services whose intervals of two days that follow each other do not overlap.",
                changes.subList(Math.max(0, changes.size() - MOST_ROWS), changes.size()),
                (row, change) -> row.name("Service", change.get(0))
                        .words("Day", change.get(1))
                        .number("Before", change.get(2))
                        .number("Then", change.get(3)));
    }

    /** Recordings whose idle share is above the upper quartile of their service by more than 1.5 times the quartiles' distance. */
    private Table outliers() {
        Map<String, List<Device>> services = figures.devices().stream().collect(Collectors.groupingBy(Device::service));
        List<Device> found = new ArrayList<>();
        services.values().forEach(devices -> {
            double[] sorted = devices.stream()
                    .mapToDouble(FleetReport::idleShare)
                    .sorted()
                    .toArray();
            if (sorted.length >= FEWEST_FOR_OUTLIERS) {
                double low = sorted[sorted.length / 4];
                double high = sorted[sorted.length * 3 / 4];
                devices.stream()
                        .filter(device -> idleShare(device) > high + FENCE * (high - low))
                        .forEach(found::add);
            }
        });
        found.sort((a, b) -> a.idleNs() != b.idleNs()
                ? Long.compare(b.idleNs(), a.idleNs())
                : a.traceId().compareTo(b.traceId()));
        return Table.of(
                "Recordings unlike the others of their service",
                Units.count(found.size()) + " idle far more than the rest, those with the most idle time first.",
                found.stream().limit(MOST_ROWS).toList(),
                (row, device) -> row.name("Recording", device.name())
                        .name("Service", device.service())
                        .words("Day", device.day() == null ? "" : device.day())
                        .time("Idle", device.idleNs())
                        .number("Share", Units.percent(idleShare(device)))
                        .words(
                                "Id",
                                device.traceId()
                                        .substring(
                                                0, Math.min(12, device.traceId().length()))));
    }

    private static double idleShare(Device device) {
        return device.ns() == 0 ? 0 : (double) device.idleNs() / device.ns();
    }
}
