package io.inferscope.report.console;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.HostTables.HolderFigures;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.report.common.Part;
import io.inferscope.report.console.ConsolePage.Tone;
import io.inferscope.timeline.Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A few seconds of a recording as lines for a repeatedly updated view: the ledger, the time by place, CPU and GPU. */
public final class ConsoleLive {
    /** Columns before a bar: label, duration, share. */
    private static final int BEFORE_BAR = 48;

    private static final int LABEL = 28;
    private static final int LEAST = 6;

    /** Least number of lines with room for the threads that worked during waits. */
    private static final int ROOMY = 10;

    private static final int HOLDERS = 2;
    private static final double GB = 1e9;

    private final Analysis analysis;
    private final ConsoleOptions options;
    private final ConsolePage page;

    private ConsoleLive(Analysis analysis, ConsoleOptions options) {
        this.analysis = analysis;
        this.options = options;
        page = new ConsolePage(options);
    }

    /**
     * Returns the lines, none wider than the options say.
     *
     * @param title the observed program, and the shown seconds
     * @param height the most lines; the least important ones are left out
     */
    public static List<String> lines(Analysis analysis, String title, ConsoleOptions options, int height) {
        return new ConsoleLive(analysis, options).lines(title, Math.max(LEAST, height));
    }

    private List<String> lines(String title, int height) {
        Ledger ledger = analysis.ledger(LedgerPart.WINDOW).orElse(analysis.ledger());
        Tables tables = Tables.of(analysis);
        List<String> state = new ArrayList<>();
        cpu(tables.rows(Report.THREADS)).ifPresent(state::add);
        tables.rows(Report.DEVICES).forEach(device -> state.add(device(device)));
        state.addAll(drivers(tables.rows(HostTables.MACHINE)));
        List<Map.Entry<String, Long>> places = places(tables.rows(HostTables.HOST_TIME));
        List<Map.Entry<String, Long>> holders = holders(tables.rows(HostTables.WAITED_FOR));
        int rest = height - 1 - state.size();
        int shownHolders = rest < ROOMY ? 0 : Math.min(holders.size(), HOLDERS);
        rest -= shownHolders == 0 ? 0 : shownHolders + 1;
        int shownPlaces = places.isEmpty() ? 0 : Math.min(places.size(), Math.max(1, rest / 2 - 1));
        int classes = Math.max(2, rest - 1 - (shownPlaces == 0 ? 0 : shownPlaces + 1));
        page.fitted(Tone.STRONG, "", title);
        page.fitted(Tone.FAINT, "", "The time of " + ledger.subject() + ":");
        Part.ofLedger(ledger).stream().limit(classes).forEach(part -> part(part, ledger));
        entries("Most of it at:", places, shownPlaces);
        entries("What ran while it waited:", holders, shownHolders);
        state.forEach(line -> page.fitted(Tone.PLAIN, "", line));
        StringBuilder text = new StringBuilder();
        try {
            page.writeTo(text);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        List<String> lines = text.toString().lines().toList();
        return lines.subList(0, Math.min(height, lines.size()));
    }

    private void part(Part part, Ledger ledger) {
        int room = options.width() - BEFORE_BAR;
        page.fitted(
                Tone.PLAIN,
                String.format(
                        Locale.ROOT,
                        "  %-" + LABEL + "s%9s%7s  ",
                        part.label(),
                        Units.duration(part.ns()),
                        part.percent()),
                room < 1 ? "" : page.bar(ledger.share(part.ns()), room));
    }

    /** Returns causes with their places, longest first, summed over states and activities. */
    private static List<Map.Entry<String, Long>> places(List<PlaceFigures> times) {
        Map<String, Long> sums = new LinkedHashMap<>();
        for (PlaceFigures place : times) {
            String where = place.where().isBlank() ? place.activity() : place.where();
            String words = place.cause().label()
                    + (place.followed() ? " in " + place.thread() : "")
                    + (where.isBlank() ? "" : " at " + where);
            sums.merge(words, place.ns(), Long::sum);
        }
        return longestFirst(sums);
    }

    /** Returns the threads that held the awaited lock or CPU, longest first. */
    private static List<Map.Entry<String, Long>> holders(List<HolderFigures> holders) {
        Map<String, Long> sums = new LinkedHashMap<>();
        for (HolderFigures holder : holders) {
            String where = holder.where().isBlank() ? "" : holder.where() + " in ";
            sums.merge(holder.cause().label() + ": " + where + holder.thread(), holder.ns(), Long::sum);
        }
        return longestFirst(sums);
    }

    private static List<Map.Entry<String, Long>> longestFirst(Map<String, Long> sums) {
        return sums.entrySet().stream()
                .sorted(Order.<String, Long>comparingByValue().reversed())
                .toList();
    }

    private void entries(String title, List<Map.Entry<String, Long>> entries, int shown) {
        if (shown > 0) {
            page.fitted(Tone.FAINT, "", title);
            entries.stream()
                    .limit(shown)
                    .forEach(entry -> page.fitted(
                            Tone.PLAIN,
                            String.format(Locale.ROOT, "  %9s  ", Units.duration(entry.getValue())),
                            entry.getKey()));
        }
    }

    /** Returns the number of cores in use, and of runnable threads without one. */
    private Optional<String> cpu(List<ThreadFigures> threads) {
        List<ThreadFigures> seen = threads.stream()
                .filter(t -> t.onCpuNs() != null && !t.isRecorders())
                .toList();
        long windowNs = Math.max(1, analysis.window().durationNs());
        if (seen.isEmpty()) {
            return Optional.empty();
        }
        double used =
                (double) seen.stream().mapToLong(ThreadFigures::recordedCpuNs).sum() / windowNs;
        double wanted = (double) seen.stream()
                        .mapToLong(t -> Objects.requireNonNullElse(t.runnableNs(), 0L))
                        .sum()
                / windowNs;
        long active =
                seen.stream().filter(t -> t.recordedCpuNs() > windowNs / 100).count();
        return Optional.of(String.format(
                Locale.ROOT,
                "CPU: %.1f cores used by %d of %d threads, %.1f more wanted",
                used,
                active,
                seen.size(),
                Math.max(0, wanted)));
    }

    private String device(DeviceFigures device) {
        long windowNs = Math.max(1, analysis.window().durationNs());
        return "GPU " + device.id() + ": working " + Units.percent((double) device.busyNs() / windowNs)
                + " of the time, " + Units.count(device.gaps()) + " gaps, the longest "
                + Units.duration(device.longestGapNs());
    }

    /** Returns the driver's counters of each device. */
    private static List<String> drivers(List<CounterFigures> counters) {
        return counters.stream()
                .filter(c -> c.plainName().equals("nvml.utilisation_ratio"))
                .map(c -> c.name().substring(c.plainName().length()))
                .map(label -> "GPU " + label.replaceAll("[^0-9a-zA-Z:_-]", "").replaceFirst("^device", "")
                        + " by its driver: in use "
                        + Units.percent(last(counters, "nvml.utilisation_ratio" + label))
                        + String.format(
                                Locale.ROOT,
                                ", memory %.1f of %.1f GB, %.0f W, %.0f °C",
                                last(counters, "nvml.memory_used_bytes" + label) / GB,
                                last(counters, "nvml.memory_total_bytes" + label) / GB,
                                last(counters, "nvml.power_watts" + label),
                                last(counters, "nvml.temperature_celsius" + label)))
                .toList();
    }

    private static double last(List<CounterFigures> counters, String name) {
        return counters.stream()
                .filter(c -> c.name().equals(name))
                .mapToDouble(CounterFigures::last)
                .findFirst()
                .orElse(0);
    }
}
