package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.LedgerClass;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The purpose of native code, by its library and function: {@code function [library]}; the kernel's library is {@code
 * kernel}. The tables cover libraries for models and their inputs, and functions of the Linux kernel on x86-64 and
 * arm64.
 */
final class NativePatterns {
    private static final Pattern IN_LIBRARY = Pattern.compile("(?s)(.*) \\[([^\\[\\]]+)\\]");
    private static final Pattern BYTECODE_LOOP = Pattern.compile("_PyEval_EvalFrame\\w*(\\..*)?|_TAIL_CALL_.*");

    private static final Pattern INTERPRETER = Pattern.compile("libpython[\\d.]*.*|python[\\d.]*t?");

    /** Libraries whose time counts for their callers, and code that one of them generated, such as oneDNN's kernels. */
    private static final Pattern SUPPORT = Pattern.compile(
            "(lib(c|m|stdc\\+\\+|c\\+\\+|gcc_s|pthread|rt|dl|gomp|iomp5|omp|jemalloc|tcmalloc|mimalloc|ffi|atomic|mvec|util)|linux-vdso)"
                    + "(-[\\w.]+)?\\.so.*|\\[?vdso\\]?|ld-(linux|musl).*|jit");

    /** The library of code that was generated while the program ran. */
    static final String GENERATED = "jit";

    private static final String SYSTEM_CALL = "(k?sys_|__(x64|arm64|ia32)_(compat_)?sys_|__(se|do)_sys_|do_sys_)?";

    /** By the frame that entered the kernel, or by the cause in words if the collector knows no frame. */
    private static final List<Knowledge.Meaning<LedgerClass>> KERNEL = List.of(
            row(
                    LedgerClass.KERNEL_PAGE_FAULT,
                    "page faults|(exc|do(_user_addr|_kern_addr)?|handle)_page_fault|do_(mem_abort|translation_fault|page_fault)|handle_mm_fault"),
            row(
                    LedgerClass.KERNEL_NETWORK,
                    "sockets and pipes|(anon_)?pipe_\\w+|sock_\\w+|eventfd_\\w+|(tcp|udp|unix|inet6?)_\\w+|net_rx_action|"
                            + SYSTEM_CALL
                            + "(sendto|recvfrom|sendm?msg|recvm?msg|sendmmsg|recvmmsg|connect|accept4?|bind|listen|socket(pair)?|shutdown|[gs]etsockopt|get(sock|peer)name|p?poll|p?select6?|pselect6|epoll_\\w+|pipe2?)"),
            row(
                    LedgerClass.KERNEL_PROCESS,
                    "making processes|"
                            + SYSTEM_CALL
                            + "(v?fork|clone3?|execve(at)?|wait4|waitid|exit(_group)?)|kernel_clone|do_(exit|group_exit|execve\\w*)|schedule_tail|bprm_execve"),
            row(
                    LedgerClass.KERNEL_MEMORY,
                    "mapping memory|"
                            + SYSTEM_CALL
                            + "(mmap(_pgoff)?|munmap|mremap|mprotect|madvise|brk|mlock2?|munlock|mbind|msync)|vm_(mmap|munmap)\\w*|__vm_munmap"),
            row(
                    LedgerClass.KERNEL_FILE,
                    "file I/O|"
                            + SYSTEM_CALL
                            + "(p?(read|write)(v2?|64)?|preadv2?|pwritev2?|f(data)?sync|sync\\w*|open(at2?)?|creat|close(_range)?|l?seek|llseek|(new)?[fl]?stat(at|x|fs)?(64)?|newfstatat|statx|getdents(64)?|f?truncate(64)?|fallocate|unlink(at)?|rename(at2?)?|mkdir(at)?|rmdir|link(at)?|symlink(at)?|readlink(at)?|f?access(at2?)?|sendfile(64)?|splice|copy_file_range|fcntl|flock|fadvise64|f?chmod(at)?|f?chown(at)?|utimensat|io_\\w+)|_{0,4}fput|vfs_\\w+|delayed_fput"));

    /** What a thread asks of the kernel once for each file, however little it reads. */
    private static final Pattern PER_FILE = Pattern.compile(
            SYSTEM_CALL
                    + "(open(at2?)?|close(_range)?|(new)?[fl]?stat(at|x)?(64)?|newfstatat|statx|f?access(at2?)?|l?seek|llseek|ioctl|fcntl)|_{0,4}fput|delayed_fput|do_filp_open|vfs_statx?");

    private static final Pattern OPENS = Pattern.compile(SYSTEM_CALL + "open(at2?)?|do_filp_open");

    private static final Pattern MOVES_DATA = Pattern.compile(SYSTEM_CALL
            + "(p?(read|write)(v2?|64)?|preadv2?|pwritev2?|sendfile(64)?|splice|copy_file_range)|vfs_(read|write)");

    /**
     * Functions of LLVM. Libraries for models have it built in, and what else they run is the model. Code that a
     * compiler wrote has other names.
     */
    private static final Pattern COMPILER = Pattern.compile("(\\(anonymous namespace\\)::)?(llvm|mlir)::");

    /**
     * Code of PyTorch that leads to an operator, whatever that computes: its bindings to Python; its core, which has
     * tensors, memory and the table of operators; and the namespaces of its main library that call operators and prepare
     * their results. Operators are in {@code at::native}, and their loops are called through {@code c10::function_ref}.
     */
    private static final Pattern TO_OPERATOR = Pattern.compile(
            "(?s).* \\[(libtorch_python|libc10)\\b.*\\]|(c10::(?!function_ref)|at::(_ops|detail|meta|TensorIterator\\w*|TensorBase|Tensor)::|torch::(autograd|ADInplaceOrView|jit)::).* \\[libtorch(_cpu)?\\..*\\]");

    /** Code of PyTorch that makes a tensor of numbers in Python's lists, one by one: torch/csrc/utils/tensor_new.cpp. */
    private static final Pattern OF_LISTS = Pattern.compile(
            "called torch\\.(tensor|as_tensor|asarray) .*|torch::utils::(\\(anonymous namespace\\)::)?(infer_scalar_type|recursive_store|store_scalar|compute_sizes|internal_new_from_data\\w*|tensor_ctor|as_tensor|asarray_\\w+)\\b.*");

    /** Code of PyTorch that makes Python's lists and numbers of a tensor: torch/csrc/utils/tensor_list.cpp. */
    private static final Pattern TO_LISTS = Pattern.compile(
            "called torch\\.Tensor\\.tolist .*|torch::utils::(\\(anonymous namespace\\)::)?(recursive_to_list|tensor_to_list)\\b.*");

    /** The copies of OpenBLAS in wheels such as NumPy's, named by their hash. Libraries for models have their own. */
    private static final Pattern NUMPYS_BLAS =
            Pattern.compile("lib(scipy_)?openblas\\w{0,5}(-r0)?-[0-9a-f]{8}[.\\d]*\\.so.*");

    private static final Pattern FINDS_VARIABLE = Pattern.compile("(__tls_get_addr|_dl_tlsdesc_)\\w* \\[ld-.*");

    /** By the library of the program. */
    private static final List<Knowledge.Meaning<LedgerClass>> LIBRARIES = Knowledge.classes("libraries.tsv");

    /**
     * Functions of the C library and the kernel in which a thread goes to sleep for a lock, a condition or a semaphore.
     */
    private static final Pattern TO_LOCK = Pattern.compile(
            ".*futex.*|_*lll_lock_wait\\w*|_*pthread_(mutex_(clock|timed)?lock|cond_(clock|timed)?wait|rwlock_[a-z]{0,12}lock|join)\\w*|_*sem_(clock|timed)?wait\\w*");

    /** The outermost functions of Go's goroutines. */
    private static final Pattern GOROUTINE =
            Pattern.compile("(?s)(.*\\): )?runtime\\.(goexit(\\.abi0)?|main) \\[[^\\[\\]]+\\]");

    private NativePatterns() {}

    private static Knowledge.Meaning<LedgerClass> row(LedgerClass ledgerClass, String regex) {
        return new Knowledge.Meaning<>(ledgerClass, regex);
    }

    /** Returns the library of a native frame, empty where the frame names none. */
    static String library(String frame) {
        Matcher parts = IN_LIBRARY.matcher(frame);
        return parts.matches() ? parts.group(2) : "";
    }

    static boolean isKernel(String library) {
        return library.equals("kernel");
    }

    /** Returns whether a library is Python's interpreter. */
    static boolean isInterpreter(String library) {
        return INTERPRETER.matcher(library).matches();
    }

    /**
     * Returns whether a native frame executes bytecode: the loop in ceval.c, or Python 3.14's function for each
     * instruction.
     */
    static boolean isBytecodeLoop(String frame) {
        Matcher parts = IN_LIBRARY.matcher(frame);
        return parts.matches() && BYTECODE_LOOP.matcher(parts.group(1)).matches();
    }

    /**
     * Returns whether a native frame names the C function that a Python frame calls. The recorder reads it from the
     * frame, whether the thread runs or not.
     */
    static boolean isCalled(String frame) {
        return frame.startsWith("called ");
    }

    /** Returns whether a native frame shows that a Python frame takes a lock of the interpreter's. */
    static boolean takesLock(String frame) {
        return frame.equals("lock [python]");
    }

    /** Returns whether a native frame is a function in which a thread goes to sleep for a lock or a condition. */
    static boolean goesToLock(String frame) {
        Matcher parts = IN_LIBRARY.matcher(frame);
        if (!parts.matches() || !(isKernel(parts.group(2)) || isSupport(parts.group(2)))) {
            return false;
        }
        String function = parts.group(1);
        return TO_LOCK.matcher(function).matches();
    }

    /** Returns whether an outermost frame is of a goroutine, which Go's scheduler moves between threads. */
    static boolean isGoroutine(String outermost) {
        return GOROUTINE.matcher(outermost).matches();
    }

    /** Returns whether a library's time counts as its callers' time, such as the C library's. */
    static boolean isSupport(String library) {
        return SUPPORT.matcher(library).matches();
    }

    /** Returns the class of the kernel work that a frame entered, null if the frame does not show it. */
    static @Nullable LedgerClass kernelWork(String frame) {
        Matcher parts = IN_LIBRARY.matcher(frame);
        return parts.matches() ? Knowledge.whole(KERNEL, parts.group(1)) : null;
    }

    /** Returns whether the kernel was entered for what a thread asks of it once for each file, such as opening it. */
    static boolean isPerFile(String frame) {
        return isInKernel(PER_FILE, frame);
    }

    /** Returns whether the kernel was entered to open a file. */
    static boolean opensFile(String frame) {
        return isInKernel(OPENS, frame);
    }

    /** Returns whether the kernel was entered to read or write. */
    static boolean movesData(String frame) {
        return isInKernel(MOVES_DATA, frame);
    }

    private static boolean isInKernel(Pattern functions, String frame) {
        Matcher parts = IN_LIBRARY.matcher(frame);
        return parts.matches()
                && isKernel(parts.group(2))
                && functions.matcher(parts.group(1)).matches();
    }

    /**
     * Returns what native code is for, by its function where that tells, else by its library; null if unknown.
     *
     * @param frame the code's frame
     * @param library its library
     */
    static @Nullable LedgerClass purpose(String frame, String library) {
        if (COMPILER.matcher(frame).lookingAt()) {
            return LedgerClass.FRAMEWORK_COMPILE_LOAD;
        }
        if (TO_LISTS.matcher(frame).matches()) {
            return LedgerClass.CPU_PYTHON;
        }
        return readsList(frame) ? LedgerClass.CPU_PREPROCESSING : Knowledge.whole(LIBRARIES, library);
    }

    /** Returns whether a library is the BLAS of a wheel of NumPy or SciPy. */
    static boolean isNumPysBlas(String library) {
        return NUMPYS_BLAS.matcher(library).matches();
    }

    /** Returns whether a native frame makes a tensor of numbers in Python's lists. */
    static boolean readsList(String frame) {
        return OF_LISTS.matcher(frame).matches();
    }

    /** Returns whether a native frame is code of a framework that leads to an operator, rather than the operator. */
    static boolean leadsToOperator(String frame) {
        return !isCalled(frame) && TO_OPERATOR.matcher(frame).matches();
    }

    /** Returns whether the dynamic linker finds a variable of a thread, rather than loading a library. */
    static boolean findsVariable(String frame) {
        return FINDS_VARIABLE.matcher(frame).matches();
    }
}
