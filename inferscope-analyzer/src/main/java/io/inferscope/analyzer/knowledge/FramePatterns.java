package io.inferscope.analyzer.knowledge;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Frame.Language;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a frame of a sampled stack, or a recorded function, is. Its language and its library decide first, then tables:
 * {@link FrameRole}, scopes, waits, libraries, system calls. A recorder that knows what code is for records it as an
 * Activity, which counts first.
 */
public final class FramePatterns {
    private static final String MODULE = "nn.Module: ";
    private static final String SITE_PACKAGES = "/site-packages/";
    private static final String DIST_PACKAGES = "/dist-packages/";

    private static final Pattern PACKAGES = Pattern.compile("^.*/(site|dist)-packages/");
    private static final Pattern LIBRARY_FOLDER = Pattern.compile("^(.*/)?lib(64)?/python\\d+\\.\\d+t?/");
    private static final Pattern PROGRAM = Pattern.compile(".*/bin/[^/.(]+");

    private static final List<Knowledge.Meaning<LedgerClass>> WAITS = Knowledge.classes("waits.tsv");
    private static final List<Knowledge.Meaning<LedgerClass>> BUILT_IN_WAITS = Knowledge.classes("built-in-waits.tsv");
    private static final List<Knowledge.Meaning<LedgerClass>> LIBRARIES = Knowledge.classes("libraries.tsv");
    private static final List<Knowledge.Meaning<LedgerClass>> SYSTEM_CALLS = Knowledge.classes("system-calls.tsv");

    /** Code within a function's own expression, as Python names it: it is part of the function. */
    private static final Pattern INNER = Pattern.compile(".*<(list|dict|set)comp>|.*<genexpr>");

    private static final PatternTable<Knowledge.Row> SCOPES = new PatternTable<>(Knowledge.inAnyCase("scopes.tsv"));

    private FramePatterns() {}

    /** Returns the class that the name of a scope or a function implies, null if it implies none. */
    public static @Nullable LedgerClass ofScope(String name) {
        return SCOPES.in(name).map(Knowledge::ledgerClass).orElse(null);
    }

    /**
     * Returns whether a name that implies loading does so by more than the word: to load a row of a database is work like
     * any other.
     */
    public static boolean isKnownLoading(String name) {
        return SCOPES.in(name).filter(row -> row.means().endsWith(" known")).isPresent();
    }

    /** Returns what tables compare with their patterns: native code without its line, other code without folders. */
    public static String code(Frame frame) {
        boolean unknownLine = frame.isPython() && !frame.hasLine();
        return frame.language() == Language.NATIVE
                ? nativeCode(frame)
                : shortened(unknownLine ? frame.file() + "(0): " + frame.function() : frame.text());
    }

    /** Returns the same text of Python without the class, which CPython 3.11 and later write. */
    public static String withoutClass(Frame frame, String code) {
        int qualified = frame.isPython() ? frame.function().lastIndexOf('.') : -1;
        return qualified < 0
                ? code
                : code.substring(0, code.length() - frame.function().length())
                        + frame.function().substring(qualified + 1);
    }

    private static String nativeCode(Frame frame) {
        return frame.library().isEmpty() ? frame.function() : frame.function() + " [" + frame.library() + ']';
    }

    /** Returns whether a function is an expression of another one, such as a comprehension. */
    public static boolean isInner(String function) {
        return INNER.matcher(function).matches();
    }

    /** Returns whether a frame is a module's forward. */
    public static boolean isForward(Frame frame) {
        return frame.hasLine()
                && frame.language() != Language.NATIVE
                && (frame.function().equals("forward") || frame.function().endsWith(".forward"));
    }

    /** Returns a text of a frame without the folder in which Python's packages are installed. */
    public static String withoutFolderOfPackages(String frame) {
        return frame.contains("-packages/") ? PACKAGES.matcher(frame).replaceFirst("") : frame;
    }

    /** Returns a text of a frame without the folders in front of Python's packages and of its standard library. */
    public static String shortened(String frame) {
        String inPackages = withoutFolderOfPackages(frame);
        return inPackages.contains("/python")
                ? LIBRARY_FOLDER.matcher(inPackages).replaceFirst("")
                : inPackages;
    }

    /** Returns the class of a waiting frame, null for a frame that does not wait. */
    public static @Nullable LedgerClass waiting(FrameRoles of) {
        return Knowledge.found(WAITS, of.withoutClass());
    }

    /**
     * Returns the class of a measured call of a built-in function that waits, null if it does not wait.
     *
     * @param caller the function that calls it, null if unknown
     */
    public static @Nullable LedgerClass builtInWait(Frame builtIn, @Nullable Frame caller) {
        if (builtIn.hasLine() || !builtIn.function().startsWith("<built-in")) {
            return null;
        }
        String name = builtIn.text();
        LedgerClass known = Knowledge.found(BUILT_IN_WAITS, name);
        if (known != null || !FrameRole.TAKES_BUILT_IN_LOCK.of(builtIn)) {
            return known;
        }
        LedgerClass around = caller == null ? null : waiting(new FrameRoles(caller));
        return around == null ? LedgerClass.WAIT_LOCK : around;
    }

    /**
     * Returns the class that a frame's name implies, null if it implies none. Only names in libraries count: names in
     * the program and in the model's modules may mean anything.
     */
    public static @Nullable LedgerClass domain(FrameRoles of) {
        boolean counts = !of.code().startsWith(MODULE)
                && (isInstalled(of.frame())
                        || isFramework(of)
                        || isStandardLibrary(of)
                        || of.has(FrameRole.RECORDER)
                        || of.has(FrameRole.LIBRARY));
        LedgerClass implied = counts ? ofScope(of.code()) : null;
        boolean onlyByWord =
                implied == LedgerClass.FRAMEWORK_COMPILE_LOAD && !isKnownFramework(of) && !isKnownLoading(of.code());
        return onlyByWord ? null : implied;
    }

    /** Returns whether a frame names no source line, as native code and built-in functions. */
    public static boolean isNative(Frame frame) {
        return !frame.hasLine() && !frame.isPython();
    }

    /** Returns whether a frame belongs to the standard library of Python or Java. */
    public static boolean isStandardLibrary(FrameRoles of) {
        Frame frame = of.frame();
        if (frame.language() == Language.NATIVE) {
            return false;
        }
        boolean inLibraryFolder = frame.file().contains("/python")
                && LIBRARY_FOLDER.matcher(frame.file()).find()
                && !frame.file().contains("-packages/");
        return inLibraryFolder
                || of.has(FrameRole.STANDARD_LIBRARY)
                || (!isNative(frame) && isPlumbing(of) && !isKnownFramework(of));
    }

    /** Returns whether a frame says nothing about the code that is worth changing. */
    public static boolean isPlumbing(FrameRoles of) {
        return of.has(FrameRole.PLUMBING) || of.has(FrameRole.GENERATED);
    }

    /** Returns whether a frame belongs to an installed package, or to a console script that starts one. */
    public static boolean isInstalled(Frame frame) {
        return frame.file().contains(SITE_PACKAGES)
                || frame.file().contains(DIST_PACKAGES)
                || (frame.function().equals("<module>")
                        && PROGRAM.matcher(frame.file()).matches());
    }

    /** Returns the package to which a frame's file belongs, by its folder; empty outside of packages. */
    public static String packageOf(Frame frame) {
        String file = frame.file();
        int at = Math.max(file.lastIndexOf(SITE_PACKAGES), file.lastIndexOf(DIST_PACKAGES));
        int from = at + SITE_PACKAGES.length();
        int folder = file.indexOf('/', from);
        return at < 0 ? "" : folder < 0 ? file.substring(from) : file.substring(from, folder);
    }

    /** Returns the name of the module whose own code, which its import runs, a frame is; empty for other frames. */
    public static String module(Frame frame) {
        String path = shortened(frame.file()).replaceFirst("(/__init__)?\\.py$|^<frozen (.*)>$", "$2");
        boolean outside = path.startsWith("/") || path.startsWith(".");
        return !frame.isPython() || !frame.function().equals("<module>")
                ? ""
                : (outside ? path.substring(path.lastIndexOf('/') + 1) : path).replace('/', '.');
    }

    /** Returns whether a frame is a framework's or an installed package's, or was written by a framework. */
    public static boolean isFramework(FrameRoles of) {
        return of.frame().file().contains(SITE_PACKAGES) || isKnownFramework(of);
    }

    /** Returns whether a frame is that of a framework known by name, or was written by one. */
    public static boolean isKnownFramework(FrameRoles of) {
        return of.has(FrameRole.FRAMEWORK) || of.has(FrameRole.GENERATED);
    }

    /** Returns the class of the kernel work that a frame entered, null if the frame does not show it. */
    public static @Nullable LedgerClass kernelWork(Frame frame) {
        return Knowledge.whole(SYSTEM_CALLS, frame.function());
    }

    /** Returns what the code of a library is for; null if unknown. */
    public static @Nullable LedgerClass ofLibrary(String library) {
        return Knowledge.whole(LIBRARIES, library);
    }

    /** Returns what native code is for, by its function where that tells, else by its library; null if unknown. */
    public static @Nullable LedgerClass purpose(FrameRoles of) {
        if (of.has(FrameRole.COMPILER)) {
            return LedgerClass.FRAMEWORK_COMPILE_LOAD;
        }
        if (of.has(FrameRole.MAKES_LISTS)) {
            return LedgerClass.CPU_PYTHON;
        }
        return of.has(FrameRole.READS_LISTS)
                ? LedgerClass.CPU_PREPROCESSING
                : ofLibrary(of.frame().library());
    }

    /** What a frame of the kernel, by which it was entered, was asked to do with a file. */
    public enum FileCall {
        OPENS,
        /** Looks a file up, closes it, or asks for what is known of it. */
        OTHER_PER_FILE,
        MOVES_DATA
    }

    /** Returns what a frame of the kernel was asked to do with a file; null for all others. */
    public static @Nullable FileCall fileCall(Frame frame) {
        if (frame.role() != Frame.Role.KERNEL) {
            return null;
        }
        FrameRoles of = new FrameRoles(frame);
        if (of.has(FrameRole.ASKS_OF_FILE)) {
            return of.has(FrameRole.OPENS_FILE) ? FileCall.OPENS : FileCall.OTHER_PER_FILE;
        }
        return of.has(FrameRole.MOVES_DATA) ? FileCall.MOVES_DATA : null;
    }

    /** Returns whether a frame is native code that decodes, tokenizes, serialises or computes. */
    public static boolean isOfInputsOrModel(Frame frame) {
        LedgerClass purpose = isNative(frame) ? purpose(new FrameRoles(frame)) : null;
        return purpose != null && purpose != LedgerClass.FRAMEWORK_COMPILE_LOAD && purpose != LedgerClass.PROFILER;
    }

    /** Returns the name of a built-in method without the address of its object, {@code read of _io.FileIO object at 0x7f}. */
    public static String withoutAddress(String builtIn) {
        int at = builtIn.lastIndexOf(" object at 0x");
        return at < 0 || !builtIn.endsWith(">") ? builtIn : builtIn.substring(0, at) + '>';
    }

    /** Returns a frame without its line: the function. */
    public static String function(Frame frame) {
        return !frame.hasLine()
                ? frame.text()
                : frame.language() == Language.NATIVE
                        ? nativeCode(frame)
                        : shortened(frame.file()) + ": " + frame.function();
    }
}
