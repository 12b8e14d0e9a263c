package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.knowledge.FrameRoles;
import io.inferscope.analyzer.knowledge.KernelPatterns;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.steps.StepNames;
import io.inferscope.analyzer.work.MatrixKernels;
import io.inferscope.analyzer.work.Operands;
import io.inferscope.timeline.Frame;
import java.nio.charset.StandardCharsets;

/** Asks everything that is asked of a name, with bytes as the name. Jazzer calls it: {@code lab/fuzz}. */
public final class NameTarget {
    private NameTarget() {}

    /** Throws where a name is more than a reason to say yes or no. */
    public static void fuzzerTestOneInput(byte[] input) {
        String name = new String(input, StandardCharsets.UTF_8);
        ofCalls(name);
        ofFrames(name);
        ofSteps(name);
        ofOperands(name);
    }

    private static void ofCalls(String name) {
        KernelPatterns.category(name);
        KernelPatterns.library(name);
        FramePatterns.ofScope(name);
        for (NameRole role : NameRole.values()) {
            role.in(name);
        }
        NameRole.RECORDER_THREAD.in(name);
        ApiCalls.classify(name);
        ApiCalls.isLaunch(name);
        ApiCalls.isSynchronising(name);
        ApiCalls.makesContext(name);
        MatrixKernels.of(name);
        MatrixKernels.isTf32(name);
    }

    private static void ofFrames(String text) {
        String shorter = FramePatterns.shortened(text);
        if (shorter.length() > text.length()) {
            throw new AssertionError("'" + shorter + "' is no part of the frame");
        }
        Frame frame = Frame.of(text);
        if (!Frame.of(frame.text()).equals(frame)) {
            throw new AssertionError("'" + text + "' and '" + frame.text() + "' are not the same frame");
        }
        FrameRoles roles = new FrameRoles(frame);
        for (FrameRole role : FrameRole.values()) {
            roles.has(role);
        }
        FramePatterns.isForward(frame);
        FramePatterns.waiting(roles);
        FramePatterns.builtInWait(frame, frame);
        FramePatterns.domain(roles);
        FramePatterns.isInstalled(frame);
        FramePatterns.packageOf(frame);
        FramePatterns.function(frame);
        FramePatterns.kernelWork(frame);
        FramePatterns.purpose(roles);
        CodePlaces.place(frame);
    }

    private static void ofSteps(String name) {
        StepNames.isModule(name);
        StepNames.isForwardCall(name);
        StepNames.isPass(name);
        StepNames.isGenerationCall(name);
        StepNames.trains(name);
        StepNames.schedules(name);
        StepNames.common(name);
    }

    private static void ofOperands(String list) {
        Operands.of(list, list, list);
    }
}
