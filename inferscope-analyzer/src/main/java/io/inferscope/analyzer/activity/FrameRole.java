package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Frame.Language;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the table {@code frames.tsv} tells of a frame. */
public enum FrameRole {
    /** Calls the model's native code. No Python or Java frame shows what is slow inside it. */
    CALLS_MODEL,
    /** The call through which torch leads to any module's forward. */
    CALLS_MODULE,
    /** A function of a framework that runs a compiled model, or trains one; its operators are the model's. */
    RUNS_MODEL,
    /** InferScope's own recorders: the probe, which wraps library calls, and a JVM's flight recorder. */
    RECORDER,
    /** Of the probe, calls the wrapped function, if no frame of the probe calls it. */
    WRAPPER,
    /** A wrapper, whoever calls it. */
    ALWAYS_WRAPPER,
    /** An event loop runs a task or a callback in it. */
    RUNS_TASK,
    /** One of Python's frames that call a thread's start function. */
    STARTS_THREAD,
    /** The first frame of a process made by {@code multiprocessing}; a fork has its parent's above. */
    STARTS_PROCESS,
    /** Exchanges data with another process. */
    TO_PROCESS,
    /** Innermost, a blocked thread waits for work in it: a pool's loop, or a queue written in C. */
    TAKES_WORK,
    /** Waits for the next connection, or for data of any of its connections. */
    TAKES_CONNECTIONS,
    /** A built-in method that takes a lock: of {@code threading} where its code calls it, else a lock's own. */
    TAKES_BUILT_IN_LOCK,
    /** Opens one file, reads it and closes it, at each call. */
    READS_ONE_FILE,
    /** A built-in function, or a library that traces name without the folder that it is installed in. */
    LIBRARY,
    /** A source file of a compiler's library, or of a package. */
    LIBRARY_SOURCE,
    STANDARD_LIBRARY,
    /** Of a framework that is known by name. */
    FRAMEWORK,
    /** Code that torch.compile wrote: Inductor's files, named by their hash, and FX graphs. */
    GENERATED,
    /** Tells nothing of the code that is worth changing: built-ins, torch internals, the standard library. */
    PLUMBING,
    /** A function whose name is not known: a part of its file instead, or that its code was generated. */
    NAMELESS,
    /** Of a compiler that libraries for models have built in. What else they run is the model. */
    COMPILER,
    /** Of a framework, leads to an operator, whatever that computes. */
    LEADS_TO_OPERATOR,
    /** Makes a tensor of numbers in Python's lists, one by one: torch/csrc/utils/tensor_new.cpp. */
    READS_LISTS,
    /** Makes Python's lists and numbers of a tensor: torch/csrc/utils/tensor_list.cpp. */
    MAKES_LISTS,
    /** A copy of OpenBLAS in a wheel such as NumPy's, named by its hash. Libraries for models have their own. */
    WHEELS_BLAS,
    /** The dynamic linker finds a variable of a thread, rather than loading a library. */
    FINDS_VARIABLE,
    /** Of the C library or the kernel, a thread goes to sleep in it for a lock, a condition or a semaphore. */
    GOES_TO_LOCK,
    /** The outermost function of one of Go's goroutines, which its scheduler moves between threads. */
    GOROUTINE,
    /** Python's interpreter. */
    INTERPRETER,
    /** Executes bytecode: the loop in ceval.c, or Python 3.14's function for each instruction. */
    BYTECODE,
    /** Of a library whose time counts for its callers, or of code that one generated, such as oneDNN's kernels. */
    SUPPORT,
    /** Asks the kernel something once for each file, such as opening it. */
    ASKS_OF_FILE,
    OPENS_FILE,
    /** Reads or writes in the kernel. */
    MOVES_DATA;

    private final Map<Language, List<Knowledge.Meaning<FrameRole>>> patterns = new EnumMap<>(Language.class);

    static {
        for (var row : Knowledge.patterns(Knowledge.rows("frames.tsv"), Knowledge.Row::means)) {
            String[] means = row.means().split(" ", 2);
            FrameRole role = valueOf(means[0]);
            for (Language language : Language.values()) {
                if (means.length == 1 || language == Language.OTHER || means[1].equals(language.label())) {
                    role.patterns
                            .computeIfAbsent(language, l -> new ArrayList<>())
                            .add(new Knowledge.Meaning<>(role, row.regex()));
                }
            }
        }
    }

    /** Returns whether a frame has the role. */
    public boolean of(Frame frame) {
        return isIn(frame.language(), FramePatterns.code(frame), FramePatterns.otherCode(frame));
    }

    private boolean isIn(Language language, String code, String other) {
        List<Knowledge.Meaning<FrameRole>> known = patterns.get(language);
        return known != null && Knowledge.found(known, code, other) != null;
    }

    /** Returns all roles of a frame. */
    static Set<FrameRole> all(Frame frame) {
        String code = FramePatterns.code(frame);
        String other = FramePatterns.otherCode(frame);
        Set<FrameRole> roles = EnumSet.noneOf(FrameRole.class);
        for (FrameRole role : values()) {
            if (role.isIn(frame.language(), code, other)) {
                roles.add(role);
            }
        }
        return roles;
    }
}
