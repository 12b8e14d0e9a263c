package io.inferscope.analyzer.knowledge;

import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Frame.Language;
import io.inferscope.timeline.Stacks;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What {@code frames.tsv}, which describes each role, tells of a frame. */
public enum FrameRole {
    CALLS_MODEL,
    CALLS_MODULE,
    RUNS_MODEL,
    RECORDER,
    WRAPPER,
    ALWAYS_WRAPPER,
    WRAPS_RANGE,
    RUNS_TASK,
    STARTS_LOOP,
    COMPILED_LOOP,
    LOOP,
    SERVES,
    STARTS_THREAD,
    STARTS_PROCESS,
    TO_PROCESS,
    TAKES_WORK,
    YIELDS,
    JOINS_TEAM,
    GETS_WORK,
    AWAITS_RESULT,
    TAKES_CONNECTIONS,
    TAKES_BUILT_IN_LOCK,
    READS_ONE_FILE,
    IMPORTS,
    LIBRARY,
    LIBRARY_SOURCE,
    STANDARD_LIBRARY,
    FRAMEWORK,
    GENERATED,
    PLUMBING,
    NAMELESS,
    COMPILER,
    LEADS_TO_OPERATOR,
    READS_LISTS,
    MAKES_LISTS,
    WHEELS_BLAS,
    FINDS_VARIABLE,
    GOES_TO_LOCK,
    GOROUTINE,
    INTERPRETER,
    COLLECTS_GARBAGE,
    BYTECODE,
    RUNTIME,
    SUPPORT,
    ASKS_OF_FILE,
    OPENS_FILE,
    MOVES_DATA,
    PARSES;

    private static final Map<Language, Map<FrameRole, List<Knowledge.Meaning<FrameRole>>>> PATTERNS =
            new EnumMap<>(Language.class);

    static {
        for (Language language : Language.values()) {
            PATTERNS.put(language, new EnumMap<>(FrameRole.class));
        }
        for (var row : Knowledge.patterns(Knowledge.rows("frames.tsv"), Knowledge.Row::means)) {
            String[] means = row.means().split(" ", 2);
            FrameRole role = valueOf(means[0]);
            PATTERNS.forEach((language, patterns) -> {
                if (means.length == 1 || language == Language.OTHER || means[1].equals(language.label())) {
                    patterns.computeIfAbsent(role, r -> new ArrayList<>())
                            .add(new Knowledge.Meaning<>(role, row.regex()));
                }
            });
        }
    }

    /** Returns whether a frame has the role. */
    public boolean of(Frame frame) {
        return new FrameRoles(frame).has(this);
    }

    /** Returns whether an event loop calls the innermost frame of a stack: the outermost of a task or a callback. */
    public static boolean isCalledByLoop(Stacks stacks, int stack) {
        if (stacks.caller(stack) < 0) {
            return false;
        }
        Frame frame = stacks.frame(stack);
        Frame caller = stacks.frame(stacks.caller(stack));
        return RUNS_TASK.of(caller) || (frame.isPython() && STARTS_LOOP.of(caller) && !LOOP.of(frame));
    }

    public boolean isIn(Frame frame, String text) {
        Map<FrameRole, List<Knowledge.Meaning<FrameRole>>> ofLanguage =
                Objects.requireNonNull(PATTERNS.get(frame.language()));
        List<Knowledge.Meaning<FrameRole>> known = ofLanguage.getOrDefault(this, List.of());
        boolean lined = frame.language() == Language.NATIVE && frame.hasLine();
        return Knowledge.found(known, text) != null || (lined && Knowledge.found(known, frame.text()) != null);
    }
}
