package io.inferscope.report.scene;

import io.inferscope.report.common.PlainText;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;

/** The texts of a scene, each once, numbered as they are first used. They are cleaned like all text of the page. */
final class Texts {
    private final Timeline timeline;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Integer> uncleaned = new HashMap<>();
    private final Varints written = new Varints();

    /** By name id of the timeline: the text's number plus one. */
    private final int[] ofNames;

    Texts(Timeline timeline) {
        this.timeline = timeline;
        this.ofNames = new int[timeline.nameCount()];
    }

    int of(String text) {
        return uncleaned.computeIfAbsent(text, asked -> ofClean(PlainText.clean(asked, PlainText.NAME)));
    }

    private int ofClean(String clean) {
        return numbers.computeIfAbsent(clean, text -> {
            written.text(text);
            return numbers.size();
        });
    }

    int ofName(int nameId) {
        if (ofNames[nameId] == 0) {
            ofNames[nameId] = ofClean(PlainText.clean(timeline.text(nameId), PlainText.NAME)) + 1;
        }
        return ofNames[nameId] - 1;
    }

    void writeTo(Varints out) {
        out.add(numbers.size()).addAll(written);
    }
}
