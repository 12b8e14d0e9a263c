package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.CodePlaces;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.ThreadState;

/** Idle time with one cause at one place, as evidence. */
final class PlaceEvidence {
    private PlaceEvidence() {}

    static Evidence of(BlameFigures blame) {
        return new Evidence.Place(
                blame.cause().label() + (tells(blame) ? ", " + blame.state().id() : ""),
                place(blame.where(), blame.activity()),
                blame.ns(),
                blame.gaps());
    }

    /** Returns {@code line > activity}, or only one of them if the other is empty or adds nothing. */
    static String place(String where, String activity) {
        if (where.isEmpty()) {
            return activity;
        }
        return activity.isEmpty() || CodePlaces.place(activity).equals(where) ? where : where + " > " + activity;
    }

    /** Returns whether the thread's state adds something to the cause. */
    private static boolean tells(BlameFigures blame) {
        return blame.state() != ThreadState.NOT_RECORDED
                && !blame.state().id().equals(blame.cause().label());
    }
}
