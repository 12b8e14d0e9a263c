package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.collectives.Collective;
import io.inferscope.analyzer.collectives.Collectives;
import io.inferscope.analyzer.collectives.Lateness;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import java.util.List;
import java.util.stream.Collectors;

/** Reports GPUs that wait in collectives for a GPU that arrives late, and why it is late. */
final class LateRankRule extends Rule {
    private static final Threshold SHARE = Threshold.of("late-rank.share");
    private static final int MOST_CAUSES = 3;

    @Override
    public Verdict evaluate(Analysis analysis) {
        Collectives collectives = Collectives.of(analysis);
        DeviceActivity victim = collectives.victim().orElse(null);
        if (victim == null) {
            return new Verdict.NotApplicable("no collective of several GPUs is in this recording");
        }
        Ledger ledger = analysis.ledger();
        long costNs = costNs(analysis, collectives, victim);
        DeviceActivity late = collectives.awaited(victim).orElse(null);
        if (late == null || ledger.share(costNs) < analysis.threshold(SHARE)) {
            return Verdict.clean("waiting for the last GPU takes at most " + ledger.shareOfPart(costNs));
        }
        List<Collective> last = collectives.last(late);
        Lateness lateness = collectives.lateness(analysis, late);
        long allNs = collectives.inCollectivesNs(victim);
        long waitNs = collectives.waiting(victim).totalNs();
        FindingBuilder finding = finding(ledger, costNs)
                .measure("victim", victim.label())
                .measure("late", late.label())
                .measure("all", Units.duration(allNs))
                .measure("waiting", Units.duration(waitNs))
                .measure("ratio", Units.percent((double) waitNs / allNs))
                .measure("last", Units.count(last.size()))
                .measure("collectives", Units.count(collectives.matched().size()))
                .measure("why", causes(lateness))
                .advice(advice(lateness, late, analysis))
                .noGain("what the GPUs would do instead of waiting has not been replayed");
        lateness.causes().stream()
                .filter(cause -> !lateness.place(cause.getKey()).isEmpty())
                .limit(MOST_CAUSES)
                .forEach(cause -> finding.place(
                        cause.getKey().label() + " of " + late.label(),
                        lateness.place(cause.getKey()),
                        lateness.placeNs(cause.getKey()),
                        1));
        last.stream()
                .sorted(Order.comparingLong(Collective::skewNs).reversed())
                .limit(3)
                .forEach(collective -> finding.place(
                        late.label() + " arrives " + Units.duration(collective.skewNs())
                                + " after the first; transfer "
                                + Units.duration(Math.max(0, collective.transferNs())),
                        collective.name(),
                        collective.skewNs(),
                        1));
        return Verdict.found(finding);
    }

    /** Returns whether others wait for a GPU for so long that this rule reports it. */
    static boolean isAwaited(Analysis analysis, DeviceActivity device) {
        Collectives collectives = Collectives.of(analysis);
        return collectives
                .victim()
                .filter(victim ->
                        collectives.awaited(victim).filter(device::equals).isPresent())
                .filter(victim ->
                        analysis.ledger().share(costNs(analysis, collectives, victim)) >= analysis.threshold(SHARE))
                .isPresent();
    }

    /** Returns how long a GPU waits in the judged part under no compute, in ns. */
    private static long costNs(Analysis analysis, Collectives collectives, DeviceActivity victim) {
        Stretch part = analysis.judged().stretch();
        return collectives
                .waiting(victim)
                .intersect(victim.exposed(LedgerClass.GPU_COMMUNICATION))
                .clip(part.startNs(), part.endNs())
                .totalNs();
    }

    private static String causes(Lateness lateness) {
        String causes = lateness.causes().stream()
                .limit(MOST_CAUSES)
                .map(cause -> {
                    String place = lateness.place(cause.getKey());
                    return cause.getKey().label() + " " + Units.duration(cause.getValue())
                            + (place.isEmpty() ? "" : " (" + place + ")");
                })
                .collect(Collectors.joining(", "));
        return (causes.isEmpty() ? "" : ". What that GPU spends more time on than the first to arrive: " + causes)
                + (lateness.unrecordedNs() > 0
                        ? ". " + Units.duration(lateness.unrecordedNs())
                                + " of the waiting is before its recording begins"
                        : "");
    }

    private static String advice(Lateness lateness, DeviceActivity late, Analysis analysis) {
        LedgerClass cause = lateness.causes().isEmpty()
                ? LedgerClass.UNATTRIBUTED
                : lateness.causes().get(0).getKey();
        String how = switch (cause) {
            case GPU_COMPUTE -> "It computes longer than the others: give each GPU as much work.";
            case GPU_COMMUNICATION -> "It is still in an earlier collective: look at that one first.";
            case UNATTRIBUTED -> "Nothing recorded explains it: record the host side of that rank too.";
            default -> Advice.against(cause, analysis);
        };
        return "Look at " + late.label() + ", not at the GPUs that wait for it. " + how;
    }
}
