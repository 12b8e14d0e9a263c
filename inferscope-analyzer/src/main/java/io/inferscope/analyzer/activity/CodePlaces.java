package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Places in the program's code, as the names and stacks of host rows show them.
 *
 * <p>Places are numbered, and equal texts have equal numbers, so idle time can be summed by number. Tables are arrays
 * by name id: hashing boxed row numbers and texts took a third of the analysis of a trace with 2 million Python calls.
 */
public final class CodePlaces {
    private static final int NOWHERE = 0;

    private final Timeline timeline;
    private final SampledStacks stacks;
    private final NamePredicate plumbing;
    private final List<String> texts = new ArrayList<>();
    private final Map<String, Integer> ids = new HashMap<>();

    /** By name id: the number of the place plus one, 0 if not computed yet. */
    private final int[] ofFrames;

    private final int[] ofSaid;

    CodePlaces(Timeline timeline, SampledStacks stacks) {
        this.timeline = timeline;
        this.stacks = stacks;
        this.plumbing = NamePredicate.ofFrames(timeline, FramePatterns::isPlumbing);
        this.ofFrames = new int[timeline.nameCount()];
        this.ofSaid = new int[timeline.nameCount()];
        number("");
    }

    /** Returns the number of the empty text: the place of rows around which no frame was recorded. */
    int nowhere() {
        return NOWHERE;
    }

    /** Returns {@code file:line} and the function of a place. */
    String text(int place) {
        return texts.get(place);
    }

    /** Returns the place that a row's own name shows, -1 for none. */
    int own(int row) {
        RowKind kind = timeline.kind(row);
        int stack = kind == RowKind.STACK_SAMPLE ? (int) Math.max(-1, timeline.attribute(row, Attribute.STACK)) : -1;
        if (stack >= 0) {
            return ofFrame(stacks.userFrameNameId(stack));
        }
        long said = timeline.attribute(row, Attribute.WHERE);
        if (said != Attribute.ABSENT && !timeline.text(said).isEmpty()) {
            return ofSaid((int) said);
        }
        return kind == RowKind.PYTHON_FUNCTION && !plumbing.testRow(row) ? ofFrame(timeline.nameId(row)) : -1;
    }

    private int ofSaid(int nameId) {
        if (ofSaid[nameId] == 0) {
            ofSaid[nameId] = number(timeline.text(nameId)) + 1;
        }
        return ofSaid[nameId] - 1;
    }

    private int ofFrame(int nameId) {
        if (ofFrames[nameId] == 0) {
            ofFrames[nameId] = number(place(timeline.frame(nameId))) + 1;
        }
        return ofFrames[nameId] - 1;
    }

    private int number(String text) {
        Integer known = ids.putIfAbsent(text, texts.size());
        if (known != null) {
            return known;
        }
        texts.add(text);
        return texts.size() - 1;
    }

    /** Returns {@code file.py:31 function} of a text that stands for a frame. */
    public static String place(String text) {
        return place(Frame.of(text));
    }

    /**
     * Returns {@code dir/file.py:31 function}, or the function where no line is known; the file of an installed package
     * begins with the package's name.
     */
    public static String place(Frame frame) {
        return frame.hasLine()
                ? place(frame, Integer.toString(frame.line()))
                : FramePatterns.withoutFolderOfPackages(frame.text());
    }

    /** Returns the place of several lines of a frame's function. */
    public static String place(Frame frame, String lines) {
        String library = frame.library().isEmpty() ? "" : " [" + frame.library() + ']';
        return FramePatterns.withoutFolderOfPackages(frame.file()) + ':' + lines + ' ' + frame.function() + library;
    }

    /** Returns the line of a place, empty where it has none. */
    public static String line(String place) {
        int at = lineAt(place);
        return at < 0 ? "" : place.substring(at + 1, Frame.endOfDigits(place, at + 1));
    }

    /** Returns {@code file function} of a place, which stays when lines are added above. */
    public static String withoutLine(String place) {
        int at = lineAt(place);
        return at < 0 ? place : place.substring(0, at) + place.substring(Frame.endOfDigits(place, at + 1));
    }

    private static int lineAt(String place) {
        for (int at = place.indexOf(':'); at >= 0; at = place.indexOf(':', at + 1)) {
            int end = Frame.endOfDigits(place, at + 1);
            if (end > at + 1 && (end == place.length() || place.charAt(end) == ' ')) {
                return at;
            }
        }
        return -1;
    }
}
