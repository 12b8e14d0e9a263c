package io.inferscope.analyzer.knowledge;

import io.inferscope.timeline.Timeline;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** A predicate on names, evaluated once per name: a trace has millions of rows but only a few thousand names. */
public final class NamePredicate {
    private static final byte NO = 1;
    private static final byte YES = 2;

    private final Timeline timeline;
    private final IntPredicate question;
    private final byte[] answers;

    public NamePredicate(Timeline timeline, Predicate<String> question) {
        this(timeline, (int nameId) -> question.test(timeline.text(nameId)));
    }

    private NamePredicate(Timeline timeline, IntPredicate question) {
        this.timeline = timeline;
        this.question = question;
        this.answers = new byte[timeline.nameCount()];
    }

    /** Returns a predicate on the ids of names. */
    public static NamePredicate ofIds(Timeline timeline, IntPredicate question) {
        return new NamePredicate(timeline, question);
    }

    /** Returns a predicate on the frames that names stand for. */
    public static NamePredicate ofFrames(Timeline timeline, Predicate<FrameRoles> question) {
        return new NamePredicate(timeline, (int nameId) -> question.test(new FrameRoles(timeline.frame(nameId))));
    }

    /** Returns the answer for a name id. */
    public boolean test(int nameId) {
        if (answers[nameId] == 0) {
            answers[nameId] = question.test(nameId) ? YES : NO;
        }
        return answers[nameId] == YES;
    }

    /** Returns whether any name has the answer yes, so that no row need be asked where none has. */
    public boolean any() {
        return IntStream.range(0, answers.length).anyMatch(this::test);
    }

    /** Returns the answer for the name of a row. */
    public boolean testRow(int row) {
        return test(timeline.nameId(row));
    }
}
