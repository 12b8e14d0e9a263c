package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.LedgerClass;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a frame of a sampled stack is: {@code file(line): function} of Python or Java, or a native function with or
 * without its library in brackets, {@code function [library]}. If the line of a native function is known:
 * {@code file(line): function [library]}. {@link NamePatterns} decides what code is for; this class adds what only
 * stacks show, such as waiting.
 */
public final class FramePatterns {
    private static final String FORWARD = "forward";
    private static final String MODULE = "nn.Module: ";

    /**
     * Built-in functions, libraries whose frames traces name without the folder that they are installed in, and
     * packages of Java libraries.
     */
    private static final Pattern LIBRARY = Pattern.compile(
            "^<|^(tokenizers|tiktoken|sentencepiece|PIL|cv2|librosa|decord|safetensors|orjson|msgpack)[/.]|[ .](ai\\.djl|com\\.fasterxml\\.jackson|com\\.google\\.gson|org\\.json)\\.");

    private static final Pattern PACKAGES = Pattern.compile("^.*/(site|dist)-packages/");
    private static final Pattern LIBRARY_FOLDER = Pattern.compile("^(.*/)?lib(64)?/python\\d+\\.\\d+t?/");
    private static final Pattern INSTALLED =
            Pattern.compile("/(site|dist)-packages/|^.*/bin/[^/.(]+\\(\\d+\\): <module>$");
    private static final Pattern TO_PROCESS =
            Pattern.compile("(^|/)(multiprocessing|loky/backend)/(connection|reductions?|queues)\\.py\\(");
    private static final Pattern STARTS_PROCESS =
            Pattern.compile("(^|/)(multiprocessing|billiard)/process\\.py\\(\\d++\\): (BaseProcess\\.)?_bootstrap$");
    private static final Pattern WITH_LINE = Pattern.compile("(?s)(.+)\\((\\d+)\\): (.+)");
    private static final Pattern NATIVE_LINE = Pattern.compile("(?s).\\(\\d++\\): .");

    /** Source files of compilers' libraries and of packages of Rust. */
    private static final Pattern NATIVE_LIBRARY_SOURCE = Pattern.compile(
            "^(/usr/(local/)?(include|lib|src|go/src)/|(.*/src/)?(?!main/)([^.(]+)/[^/(]+\\.(go|s)\\(\\d+\\): \\5\\.|.*/go/pkg/mod/|/rustc/|.*/\\.cargo/(registry|git)/|.*/rustlib/src/|.*/include/c\\+\\+/).*");

    private static final Pattern PYTHON_FILE = Pattern.compile("<.*>|.*\\.(py|pyx|pyi|ipynb)");
    private static final Pattern JAVA_LIBRARY = Pattern.compile("^(java|javax|jdk|sun|com\\.sun|kotlin|scala)\\..*");
    private static final Pattern MORE_STANDARD_LIBRARY = Pattern.compile(
            "^(json|pathlib|argparse|ast|base64|bisect|copyreg|csv|ctypes|decimal|email|encodings|fractions|gettext|glob|gzip|hashlib|heapq|html|http|io|itertools|locale|operator|pickle|pkgutil|platform|pprint|shutil|signal|sre_\\w+|statistics|string|struct|sysconfig|textwrap|time|tokenize|types|unittest|urllib|uuid|zipfile)(/.*)?\\.py\\(.*");

    private static final List<Knowledge.Meaning<LedgerClass>> WAITS = Knowledge.classes("waits.tsv");
    private static final List<Knowledge.Meaning<LedgerClass>> BUILT_IN_WAITS = Knowledge.classes("built-in-waits.tsv");

    /** Built-in methods that take a lock: of {@code threading} where its code calls them, else a lock's own. */
    private static final Pattern BUILT_IN_ACQUIRE = Pattern.compile(
            "^<built-in method (acquire|__enter__) of (_thread\\.R?[lL]ock|_multiprocessing\\.SemLock) object|^<built-in> (<unknown>|_thread\\.R?[lL]ock|_multiprocessing\\.SemLock) (acquire|__enter__)$");

    /** Calls into the model's native code. No Python or Java frame shows what is slow inside them. */
    private static final Pattern MODEL = Pattern.compile(
            "^torch/nn/functional\\.py\\(|^torch/nn/\\S+\\(\\d+\\): _?\\w*forward$|^torch/_ops\\.py\\(\\d+\\): __call__$|^onnxruntime/capi/\\w+\\.py\\(\\d+\\): run\\w*$|ai\\.onnxruntime\\.OrtSession\\.run|^at::native::|^(mkl|mkldnn|dnnl|cblas|openblas)_|^onnxruntime::|[sdh]gemm_");

    /** The call through which torch leads to any module's forward. */
    private static final Pattern MODULE_CALL =
            Pattern.compile("^torch/nn/modules/module\\.py\\(\\d+\\): (Module\\.)?_(wrapped_)?call_impl$");

    /** Frames of InferScope's own recorders: the probe, which wraps library calls, and a JVM's flight recorder. */
    private static final Pattern RECORDER = Pattern.compile(
            "^(.*/)?(inferscope/(_\\w+|(hooks|shapes)/\\w+)|bootstrap/sitecustomize)\\.py\\(\\d+\\): .*|^(\\w+\\.java\\(\\d+\\): )?jdk\\.jfr\\..*");

    /**
     * Functions of the probe that call the wrapped function, whoever calls them. Other functions of these files call it
     * only if the program called them.
     */
    private static final Pattern WRAPPER = Pattern.compile(
            "^(.*/)?inferscope/((_(hook|pieces|tasks)|hooks/\\w+|shapes/(mode|passes))\\.py\\(\\d+\\): .*|_scope\\.py\\(\\d+\\): .*\\bwrapper)$");

    private static final Pattern RANGE_WRAPPER =
            Pattern.compile("^(.*/)?inferscope/_hook\\.py\\(\\d+\\): (.*\\.)?wrapper$");

    private static final Pattern ALWAYS_WRAPPER = Pattern.compile(".*[ .](wrapper|drive|_Unbound\\.__call__)$");

    /** Functions that open one file at each call; not those that read on in an open one. */
    private static final Pattern READS_ONE_FILE = Pattern.compile(
            "^(pathlib(/\\w+)?\\.py\\(\\d+\\): read_(text|bytes)|numpy/lib/_?npyio\\w*\\.py\\(\\d+\\): (load|loadtxt|fromfile)|torch/serialization\\.py\\(\\d+\\): load"
                    + "|safetensors/(torch|numpy)\\.py\\(\\d+\\): load_file|imageio/.*: imread|soundfile\\.py\\(\\d+\\): read|torchvision/io/\\w+\\.py\\(\\d+\\): (read_file|read_image|decode_image))$");

    private static final Pattern RUNS_TASK = Pattern.compile("^asyncio/events\\.py\\(\\d+\\): (Handle\\.)?_run$");

    /**
     * Innermost frames in which a blocked thread waits for work: pool loops that take work through C, and queues
     * written in C.
     */
    private static final Pattern TAKES_WORK = Pattern.compile(
            "^multiprocessing/pool\\.py\\(\\d+\\): (Pool\\.)?(worker|_handle_\\w+)$|^concurrent/futures/thread\\.py\\(\\d+\\): _worker$|^called \\[_queue\\.");

    /** Functions in which a thread waits for the next connection, or for data of any of its connections. */
    private static final Pattern TAKES_CONNECTIONS = Pattern.compile(
            "^selectors\\.py\\(\\d+\\): (\\w+\\.)?(select|poll)$|^socket\\.py\\(\\d+\\): (\\w+\\.)?accept$|^(__)?(epoll_p?wait2?|p?select|accept4?)( |$)|sun\\.nio\\.ch\\.(EPoll\\w*\\.(epoll)?[wW]ait|KQueue\\w*\\.poll|Net\\.accept)|java\\.net\\.\\w*Socket\\w*\\.socketAccept");

    /** Functions of frameworks that run a compiled model, or train one; their operators are the model's. */
    private static final Pattern RUNS_MODEL = Pattern.compile(
            "^torch/(autograd/(__init__|graph|function)|optim/\\w+|_dynamo/\\w+|_functorch/.*|jit/\\w+)\\.py\\(|^torch/_tensor\\.py\\(\\d+\\): (\\w+\\.)?backward$|^(jax|jaxlib|flax|optax|tensorflow|keras|paddle|mxnet)/");

    /** Code within a function's own expression, as Python names it: it is part of the function. */
    private static final Pattern INNER = Pattern.compile(".*<(list|dict|set)comp>|.*<genexpr>");

    /** These frames call a thread's start function. */
    private static final Pattern STARTS_THREAD = Pattern.compile("^threading\\.py\\(\\d+\\): .*");

    /** A function whose name is not known: a part of its file instead, or that its code was generated. */
    private static final Pattern NAMELESS = Pattern.compile("\\[(?:[0-9a-f]+|unknown|generated code)\\] \\[(.+)\\]");

    private FramePatterns() {}

    /** Returns the file or library of a native frame, empty if it names none. */
    public static String file(String frame) {
        return NativePatterns.library(frame);
    }

    /** Returns the file of a function whose name is not known, {@code jit} for generated code; empty for any other. */
    public static String fileOfNameless(String frame) {
        Matcher nameless = NAMELESS.matcher(frame);
        return nameless.matches() ? nameless.group(1) : "";
    }

    /** Returns whether a blocked thread with this innermost frame waits for work. */
    static boolean takesWork(String frame) {
        return TAKES_WORK.matcher(shortened(frame)).find();
    }

    /** Returns whether a blocked thread with this frame waits for a connection, or for any of several. */
    static boolean takesConnections(String frame) {
        return TAKES_CONNECTIONS.matcher(shortened(frame)).find();
    }

    /** Returns whether a frame is of a function that runs a compiled model, or trains one. */
    static boolean runsModel(String frame) {
        return RUNS_MODEL.matcher(shortened(frame)).find();
    }

    /** Returns whether a function is an expression of another one, such as a comprehension. */
    public static boolean isInner(String function) {
        return INNER.matcher(function).matches();
    }

    /** Returns whether a frame is one of Python's frames that call a thread's start function. */
    static boolean startsThread(String frame) {
        return STARTS_THREAD.matcher(shortened(frame)).matches();
    }

    /** Returns whether a frame is the one in which an event loop runs a task or a callback. */
    public static boolean runsTask(String frame) {
        return RUNS_TASK.matcher(shortened(frame)).matches();
    }

    /** Returns whether a frame is the first of a process made by {@code multiprocessing}; a fork has its parent's above. */
    static boolean startsProcess(String frame) {
        return STARTS_PROCESS.matcher(frame).find();
    }

    /** Returns whether a frame is of {@code multiprocessing}, and exchanges data with another process. */
    static boolean isToProcess(String frame) {
        return TO_PROCESS.matcher(frame).find();
    }

    /** Returns whether a frame calls a module of torch. */
    static boolean isModuleCall(String shortFrame) {
        return MODULE_CALL.matcher(shortFrame).matches();
    }

    /** Returns whether a frame is a module's forward. */
    static boolean isForward(String frame) {
        if (!frame.endsWith(FORWARD)) {
            return false;
        }
        String before = frame.substring(0, frame.length() - FORWARD.length());
        return before.endsWith(": ") || (before.endsWith(".") && before.contains(": "));
    }

    /** Returns whether a frame is InferScope's own, inside the program. */
    static boolean isRecorder(String frame) {
        return RECORDER.matcher(frame).matches();
    }

    /**
     * Returns whether a recorder's frame is a wrapper of a library function, rather than the recorder's own work. While
     * a wrapped compiled function runs or blocks, its wrapper is the innermost Python frame.
     *
     * @param frame a frame of the recorder
     * @param byRecorder whether a frame of the recorder calls it
     */
    static boolean isWrapper(String frame, boolean byRecorder) {
        return WRAPPER.matcher(frame).matches()
                && (!byRecorder || ALWAYS_WRAPPER.matcher(frame).matches());
    }

    /** Returns whether a recorder's frame is a wrapper that records a range around each call of its function. */
    static boolean isRangeWrapper(String frame) {
        return RANGE_WRAPPER.matcher(frame).matches();
    }

    /** Returns a frame without the folder in which Python's packages are installed. */
    static String withoutFolderOfPackages(String frame) {
        return frame.contains("-packages/") ? PACKAGES.matcher(frame).replaceFirst("") : frame;
    }

    /** Returns a frame without the folders in front of Python's packages and of its standard library. */
    static String shortened(String frame) {
        String inPackages = withoutFolderOfPackages(frame);
        return inPackages.contains("/python")
                ? LIBRARY_FOLDER.matcher(inPackages).replaceFirst("")
                : inPackages;
    }

    /** Returns the class of a waiting frame, null for a frame that does not wait. */
    static @Nullable LedgerClass waiting(String shortFrame) {
        return Knowledge.found(WAITS, shortFrame, withoutClass(shortFrame));
    }

    /**
     * Returns the class of a measured call of a built-in function that waits, null if it does not wait.
     *
     * @param caller the function that calls it, empty if unknown
     */
    static @Nullable LedgerClass builtInWait(String builtIn, String caller) {
        if (!builtIn.startsWith("<built-in")) {
            return null;
        }
        LedgerClass known = Knowledge.found(BUILT_IN_WAITS, builtIn, builtIn);
        if (known != null || !BUILT_IN_ACQUIRE.matcher(builtIn).find()) {
            return known;
        }
        LedgerClass around = waiting(shortened(caller));
        return around == null ? LedgerClass.WAIT_LOCK : around;
    }

    /** Removes the class from a Python frame: CPython 3.11 and later write {@code queue.py(171): Queue.get}. */
    private static String withoutClass(String frame) {
        int qualified = frame.lastIndexOf('.');
        int colon = frame.lastIndexOf(": ");
        return colon > 0 && qualified > colon && isPython(frame)
                ? frame.substring(0, colon + 2) + frame.substring(qualified + 1)
                : frame;
    }

    /**
     * Returns the class that a frame's name implies, null if it implies none. Only names in libraries count: names in
     * the program and in the model's modules may mean anything.
     */
    static @Nullable LedgerClass domain(String frame) {
        boolean named = isInstalled(frame) || isFramework(frame) || isStandardLibrary(frame) || isRecorder(frame);
        String shortFrame = shortened(frame);
        boolean counts = (named || LIBRARY.matcher(shortFrame).find()) && !shortFrame.startsWith(MODULE);
        LedgerClass implied = counts ? NamePatterns.domain(shortFrame) : null;
        boolean onlyByWord = implied == LedgerClass.FRAMEWORK_COMPILE_LOAD
                && !NamePatterns.isKnownFramework(shortFrame)
                && !NamePatterns.isKnownLoading(shortFrame);
        return onlyByWord ? null : implied;
    }

    /** Returns whether a frame calls the model's native code. */
    static boolean isModel(String shortFrame) {
        return MODEL.matcher(shortFrame).find()
                || MODEL.matcher(withoutClass(shortFrame)).find();
    }

    /** Returns whether a frame is native code: it names no source line. */
    public static boolean isNative(String frame) {
        return !WITH_LINE.matcher(frame).matches();
    }

    /** Returns the library that a native frame names in brackets, empty for any other frame. */
    public static String library(String frame) {
        return isNative(frame) || isNativeLine(frame) ? NativePatterns.library(frame) : "";
    }

    /** Returns whether a frame is native code whose source line is known. */
    static boolean isNativeLine(String frame) {
        int library = frame.endsWith("]") ? frame.lastIndexOf(" [") : -1;
        return library >= 0
                && library + 2 < frame.length() - 1
                && frame.lastIndexOf('[') == library + 1
                && frame.indexOf(']', library) == frame.length() - 1
                && NATIVE_LINE.matcher(frame.substring(0, library)).find();
    }

    /** Returns whether the source file of {@link #isNativeLine such a frame} is a library's. */
    static boolean isNativeLibrarySource(String frame) {
        return NATIVE_LIBRARY_SOURCE.matcher(frame).matches();
    }

    /** Returns whether a frame is a line of Python. */
    public static boolean isPython(String frame) {
        Matcher parts = WITH_LINE.matcher(frame);
        return parts.matches() && PYTHON_FILE.matcher(parts.group(1)).matches();
    }

    /** Returns whether a frame belongs to the standard library of Python or Java. */
    static boolean isStandardLibrary(String frame) {
        Matcher parts = WITH_LINE.matcher(frame);
        if (!parts.matches()) {
            return JAVA_LIBRARY.matcher(frame).matches();
        }
        String shortFrame = shortened(frame);
        boolean inLibraryFolder = LIBRARY_FOLDER.matcher(frame).find() && !frame.contains("-packages/");
        return inLibraryFolder
                || MORE_STANDARD_LIBRARY.matcher(shortFrame).matches()
                || (NamePatterns.isPlumbing(shortFrame) && !NamePatterns.isFramework(shortFrame))
                || (!isPython(frame) && JAVA_LIBRARY.matcher(parts.group(3)).matches());
    }

    /** Returns whether a frame belongs to an installed package, or to a console script that starts one. */
    static boolean isInstalled(String frame) {
        return INSTALLED.matcher(frame).find();
    }

    /** Returns the package to which a frame's file belongs, by its folder; empty outside of packages. */
    static String packageOf(String frame) {
        int at = Math.max(frame.lastIndexOf("/site-packages/"), frame.lastIndexOf("/dist-packages/"));
        if (at < 0) {
            return "";
        }
        int from = at + "/site-packages/".length();
        int folder = frame.indexOf('/', from);
        return folder < 0 ? frame.substring(from, Math.max(from, frame.indexOf('('))) : frame.substring(from, folder);
    }

    /** Returns whether a frame is a framework's own. */
    static boolean isFramework(String frame) {
        return NamePatterns.isFramework(shortened(frame)) || NamePatterns.isFramework(frame);
    }

    /** Returns whether a frame is that of a framework known by name. */
    static boolean isKnownFramework(String frame) {
        return NamePatterns.isKnownFramework(shortened(frame));
    }

    /** What a frame of the kernel, by which it was entered, was asked to do with a file. */
    public enum FileCall {
        OPENS,
        /** Looks a file up, closes it, or asks for what is known of it. */
        OTHER_PER_FILE,
        MOVES_DATA
    }

    /** Returns what a frame of the kernel was asked to do with a file; null for all others. */
    public static @Nullable FileCall fileCall(String frame) {
        if (NativePatterns.isPerFile(frame)) {
            return NativePatterns.opensFile(frame) ? FileCall.OPENS : FileCall.OTHER_PER_FILE;
        }
        return NativePatterns.movesData(frame) ? FileCall.MOVES_DATA : null;
    }

    /** Returns whether a frame is native code that decodes, tokenizes, serialises or computes. */
    public static boolean isOfInputsOrModel(String frame) {
        LedgerClass purpose = isNative(frame) ? NativePatterns.purpose(frame, NativePatterns.library(frame)) : null;
        return purpose != null && purpose != LedgerClass.FRAMEWORK_COMPILE_LOAD && purpose != LedgerClass.PROFILER;
    }

    /** Returns whether a frame is a function of Python that opens a file, reads it and closes it, at each call. */
    public static boolean readsOneFile(String frame) {
        return READS_ONE_FILE.matcher(withoutClass(shortened(frame))).matches();
    }

    /** Returns whether a frame is of Python's import system. */
    public static boolean imports(String frame) {
        return frame.contains("importlib");
    }

    /** Returns a frame without its line: the function. */
    public static String function(String frame) {
        Matcher parts = WITH_LINE.matcher(frame);
        if (!parts.matches()) {
            return frame;
        }
        return isNativeLine(frame) ? parts.group(3) : shortened(parts.group(1) + ": " + parts.group(3));
    }

    /** Returns the line of a frame; -1 for a frame without one. */
    public static int line(String frame) {
        Matcher parts = WITH_LINE.matcher(frame);
        return parts.matches() && parts.group(2).length() < 10 ? Integer.parseInt(parts.group(2)) : -1;
    }
}
