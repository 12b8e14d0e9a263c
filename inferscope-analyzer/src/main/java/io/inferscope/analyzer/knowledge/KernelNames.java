package io.inferscope.analyzer.knowledge;

import io.inferscope.analyzer.model.KernelCategory;
import io.inferscope.timeline.Timeline;
import org.jspecify.annotations.Nullable;

/**
 * What the names of a timeline's kernels show. Each name is examined once, because names are long and several tables
 * need them.
 */
public final class KernelNames {
    private final Timeline timeline;
    private final @Nullable KernelCategory[] categories;
    private final @Nullable String[] libraries;

    public KernelNames(Timeline timeline) {
        this.timeline = timeline;
        this.categories = new KernelCategory[timeline.nameCount()];
        this.libraries = new String[timeline.nameCount()];
    }

    /** Returns what a kernel of a name computes. */
    public KernelCategory category(int nameId) {
        KernelCategory known = categories[nameId];
        if (known == null) {
            known = KernelPatterns.category(timeline.text(nameId));
            categories[nameId] = known;
        }
        return known;
    }

    /** Returns the library that a kernel belongs to, empty if its name does not show it. */
    public String library(int nameId) {
        String known = libraries[nameId];
        if (known == null) {
            known = KernelPatterns.library(timeline.text(nameId));
            libraries[nameId] = known;
        }
        return known;
    }
}
