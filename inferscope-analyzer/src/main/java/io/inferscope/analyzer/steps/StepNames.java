package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.CodePlaces;
import io.inferscope.analyzer.knowledge.NameRole;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The meaning of range names for steps: names by PyTorch's profiler, by the probe's hook tables, by engines, and common
 * words.
 */
public final class StepNames {
    private static final String PROFILER_STEP = "ProfilerStep#";

    /** vLLM and SGLang name a pass by the numbers of its requests and tokens in prefill and decode. */
    private static final Pattern MIXED = Pattern.compile("context_(\\d+)\\b.*?generation_(\\d+)");

    private static final String MODULE = "nn.Module: ";
    private static final Pattern INSTANCE = Pattern.compile("_\\d+$");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private StepNames() {}

    static boolean isProfilerStep(String name) {
        return name.startsWith(PROFILER_STEP);
    }

    /**
     * Returns whether a recorded Python call is a module's, which Kineto names {@code nn.Module: Linear_3} with the
     * number of the instance.
     */
    public static boolean isModule(String name) {
        return name.startsWith(MODULE);
    }

    /** Returns whether a recorded Python call calls a model; for recordings without modules. */
    public static boolean isForwardCall(String name) {
        return function(name).equals("forward");
    }

    /** Returns the function of a recorded Python call {@code file.py(31): function}, or the name as it is. */
    static String function(String name) {
        int at = name.indexOf("): ");
        return at < 0 ? name : name.substring(at + 3);
    }

    /**
     * Returns whether a range of that name holds one pass of a model or one step of an engine. Ranges that recur inside
     * it are layers.
     */
    public static boolean isPass(String name) {
        return NameRole.PASS.in(name) && !NameRole.NO_PASS.in(name) && !isProgram(name);
    }

    /** Returns whether a range of that name holds all passes that answer one prompt. */
    static boolean isGeneration(String name) {
        return NameRole.GENERATION.in(name) && !isProgram(name);
    }

    /**
     * Returns whether a range is the one around a whole program, named by its script or module, such as generate.py.
     */
    private static boolean isProgram(String name) {
        return name.endsWith(".py") || name.startsWith("-m ");
    }

    /** Returns whether a range or a recorded Python call is the function that answers one prompt by several passes. */
    public static boolean isGenerationCall(String name) {
        return function(name).equals("generate");
    }

    /** Returns whether a range or a call of that name compiles code or captures a graph. */
    static boolean compiles(String name) {
        return NameRole.COMPILES.in(name);
    }

    /**
     * Returns whether a row of that name belongs to training: an operator of a backward pass, an optimizer's range or
     * function.
     */
    public static boolean trains(String name) {
        return NameRole.TRAINS.in(name);
    }

    /** Returns whether a range of that name decides which requests run next. */
    public static boolean schedules(String name) {
        return NameRole.SCHEDULES.in(name);
    }

    /** Returns {@code prefill}, {@code decode}, {@code mixed}, or nothing. */
    static String kind(String name) {
        Matcher mixed = MIXED.matcher(name);
        if (mixed.find()) {
            boolean prefills = !isZero(mixed.group(1));
            boolean decodes = !isZero(mixed.group(2));
            return prefills ? decodes ? "mixed" : "prefill" : decodes ? "decode" : "";
        }
        return NameRole.PREFILL.in(name) ? "prefill" : NameRole.DECODE.in(name) ? "decode" : "";
    }

    private static boolean isZero(String digits) {
        return digits.chars().allMatch(digit -> digit == '0');
    }

    /**
     * Returns the name common to all iterations: without the profiler's number, and with {@code #} for other numbers.
     */
    public static String common(String name) {
        if (isModule(name)) {
            return INSTANCE.matcher(name.substring(MODULE.length())).replaceFirst("");
        }
        if (!function(name).equals(name)) {
            return CodePlaces.place(name);
        }
        return isProfilerStep(name) ? "ProfilerStep" : withNumbers(name, "#");
    }

    /** Returns a name with another text for each number. */
    public static String withNumbers(String name, String each) {
        Matcher number = NUMBER.matcher(name);
        return number.find() ? number.replaceAll(each) : name;
    }
}
