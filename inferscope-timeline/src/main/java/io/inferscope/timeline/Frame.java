package io.inferscope.timeline;

import java.util.Locale;

/**
 * A frame of a call stack. Its text is {@code file(line): function} where the line is known, as in Kineto, and else the
 * function; native code is followed by its library, {@code function [library]}.
 *
 * @param language of the function
 * @param function its name, qualified where known
 * @param file its source file, empty where unknown
 * @param line the line that ran, -1 where unknown
 * @param library the file of native code without its folder, {@code kernel} for the operating system's; empty where
 *     unknown
 */
public record Frame(Language language, String function, String file, int line, String library) {
    /** The library of code of the operating system's kernel. */
    public static final String KERNEL = "kernel";

    /** The library of code that was generated while the program ran. */
    public static final String GENERATED = "jit";

    /** The begin of the function of a C function that a Python frame calls; the function's own name may follow. */
    public static final String CALLED = "called";

    /** The function of the interpreter's code that takes a lock, and its library: docs/python-stacks.md. */
    public static final String LOCK = "lock";

    public static final String INTERPRETER = "python";

    private static final int MOST_DIGITS = 9;

    /** The language of a function. */
    public enum Language {
        PYTHON,
        NATIVE,
        /** Another one, such as Java, or not known. */
        OTHER;

        /** Returns the name in files. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a recorder says of a frame by its function and its library. */
    public enum Role {
        CODE,
        /** A C function that a Python frame calls, read from that frame, whether the thread runs or not. */
        CALLED,
        /** A Python frame takes a lock of the interpreter's. */
        TAKES_LOCK,
        KERNEL,
        GENERATED
    }

    /** Returns what a recorder says of the frame. */
    public Role role() {
        if (library.equals(KERNEL) || library.equals(GENERATED)) {
            return library.equals(KERNEL) ? Role.KERNEL : Role.GENERATED;
        }
        if (hasLine() || isPython()) {
            return Role.CODE;
        }
        boolean called = function.startsWith(CALLED)
                && (function.length() == CALLED.length() || function.charAt(CALLED.length()) == ' ');
        return called
                ? Role.CALLED
                : function.equals(LOCK) && library.equals(INTERPRETER) ? Role.TAKES_LOCK : Role.CODE;
    }

    /** Returns the frame of a function that a recorder knows; a line below 1 is unknown. */
    public static Frame of(Language language, String function, String file, int line) {
        int library = language == Language.NATIVE ? startOfLibrary(function) : -1;
        if (library >= 0 && line > 0) {
            String name = function.substring(library + 2, function.length() - 1);
            return new Frame(language, function.substring(0, library), file, line, name);
        }
        return language == Language.NATIVE && line <= 0
                ? new Frame(language, function, "", -1, base(file))
                : new Frame(language, function, file, line > 0 ? line : -1, "");
    }

    /** Takes a text apart, for sources that have no more. */
    public static Frame of(String text) {
        int open = startOfLibrary(text);
        String library = open < 0 ? "" : text.substring(open + 2, text.length() - 1);
        String code = open < 0 ? text : text.substring(0, open);
        int place = endOfPlace(code);
        if (place < 0) {
            return isOfPython(library)
                    ? new Frame(Language.PYTHON, code, library, -1, "")
                    : new Frame(open < 0 ? Language.OTHER : Language.NATIVE, code, "", -1, library);
        }
        int line = code.lastIndexOf('(', place);
        String file = code.substring(0, line);
        Language language = open >= 0 ? Language.NATIVE : isOfPython(file) ? Language.PYTHON : Language.OTHER;
        int number = Integer.parseInt(code, line + 1, place, 10);
        return new Frame(language, code.substring(place + 3), file, number, library);
    }

    /** Takes a text apart; an unknown language is what the text shows. */
    public static Frame of(String text, String language) {
        Frame frame = of(text);
        for (Language known : Language.values()) {
            if (known.label().equals(language)) {
                return frame.in(known);
            }
        }
        return frame;
    }

    /** Returns the text of a function at a place; a line below 1 and an empty file are unknown. */
    public static String text(String function, String file, int line) {
        return of(Language.OTHER, function, file, line).text();
    }

    /**
     * Returns the text of the frame of {@code function (file:line)}, as py-spy and VizTracer write them; an empty text
     * for another form.
     */
    public static String textOfCall(String call) {
        int colon = call.lastIndexOf(':');
        int open = call.lastIndexOf(" (", colon - 3);
        boolean closed = call.endsWith(")") && endOfDigits(call, colon + 1) == call.length() - 1;
        if (open <= 0 || !closed || call.length() - colon - 2 > MOST_DIGITS || call.length() - colon < 3) {
            return "";
        }
        int line = Integer.parseInt(call, colon + 1, call.length() - 1, 10);
        return text(call.substring(0, open), call.substring(open + 2, colon), line);
    }

    /** Returns the text that stands for the frame. */
    public String text() {
        String code = hasLine() ? file + '(' + line + "): " + function : function;
        String behind = hasLine() ? library : library.isEmpty() ? base(file) : library;
        return behind.isEmpty() ? code : code + " [" + behind + ']';
    }

    /** Returns whether the source line is known. */
    public boolean hasLine() {
        return line >= 0;
    }

    public boolean isPython() {
        return language == Language.PYTHON;
    }

    /** Returns the same frame in a language. */
    public Frame in(Language known) {
        return new Frame(known, function, file, line, library);
    }

    private static String base(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static boolean isOfPython(String file) {
        return (file.startsWith("<") && file.endsWith(">") && file.length() > 1)
                || file.endsWith(".py")
                || file.endsWith(".pyx")
                || file.endsWith(".pyi")
                || file.endsWith(".ipynb");
    }

    /** Returns where {@code  [library]} begins at the end of a text, -1 without one. The library may be {@code [vdso]}. */
    private static int startOfLibrary(String text) {
        int open = text.endsWith("]") ? text.lastIndexOf(" [") : -1;
        int brackets = open >= 0 && text.startsWith("[", open + 2) && text.endsWith("]]") ? 2 : 1;
        boolean whole = open >= 0
                && open + 2 * brackets + 1 < text.length()
                && text.lastIndexOf('[') == open + brackets
                && text.indexOf(']', open) == text.length() - brackets;
        return whole ? open : -1;
    }

    /** Returns where the bracket behind the last line closes, {@code file(line): function}; -1 without a line. */
    private static int endOfPlace(String code) {
        for (int end = code.lastIndexOf("): ", code.length() - 4); end > 0; end = code.lastIndexOf("): ", end - 1)) {
            int open = code.lastIndexOf('(', end);
            if (open > 0 && end > open + 1 && end <= open + 1 + MOST_DIGITS && endOfDigits(code, open + 1) == end) {
                return end;
            }
        }
        return -1;
    }

    /** Returns where the digits of a text end that begin at a position. */
    public static int endOfDigits(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at;
    }
}
