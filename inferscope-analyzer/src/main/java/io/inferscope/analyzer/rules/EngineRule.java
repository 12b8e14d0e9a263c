package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A rule about one inference engine, whose name begins the rule's id. */
abstract class EngineRule extends Rule {
    /** Read when a rule first asks for a counter. */
    private static final class Names {
        /** The rows of {@code knowledge/engine-counters.tsv}: names by engine and what they count. */
        private static final Map<String, String[]> ALL =
                KnowledgeTable.read(Knowledge.class, "engine-counters.tsv", Function.identity()).stream()
                        .collect(
                                Collectors.toMap(cells -> cells[0] + ' ' + cells[1], cells -> cells[2].split(" ", -1)));
    }

    /** Makes the rule of the row of {@code knowledge/rules.tsv} that names its class and this case. */
    EngineRule(Class<? extends Rule> rule, String of) {
        super(rule.getSimpleName() + '.' + of);
    }

    EngineRule() {}

    /** Returns the names under which the engine's versions count something, the newest first. */
    final String[] names(String counted) {
        String row = info().id().split("-", 2)[0] + ' ' + counted;
        String[] names = Names.ALL.get(row);
        if (names == null) {
            throw new IllegalArgumentException("no row of engine-counters.tsv is " + row);
        }
        return names;
    }

    /** Returns the recorded counter of something. */
    final Optional<Series> counter(Analysis analysis, String counted) {
        return analysis.counters().first(names(counted));
    }

    /** Returns the verdict where one of some counters is missing. */
    final Verdict notRecorded(String... counted) {
        String all = Arrays.stream(counted).map(one -> names(one)[0]).collect(Collectors.joining(", "));
        return new Verdict.NotApplicable(all.replaceFirst(", (?=[^,]*$)", " or ") + " is not recorded");
    }
}
