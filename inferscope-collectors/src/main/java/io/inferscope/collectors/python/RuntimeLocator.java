package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.symbols.ElfFile;
import io.inferscope.collectors.symbols.MappedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the CPython runtime of a process: the symbol {@code _PyRuntime} of its executable or of a mapped libpython.
 * From 3.13 on, the section {@code .PyRuntime} replaces the symbol in stripped files.
 */
final class RuntimeLocator {
    private static final Set<String> SYMBOLS = Set.of(
            "_PyRuntime",
            "Py_Version",
            "PyCode_Type",
            "PyType_Type",
            "PyCFunction_Type",
            "PyCMethod_Type",
            "PyMethodDescr_Type");
    private static final String SECTION = ".PyRuntime";
    private static final Pattern IN_NAME = Pattern.compile("python3\\.(\\d+)|cpython-3(\\d+)");

    /** PyPy's executable and its library, which holds all of the interpreter. */
    private static final Pattern PYPY = Pattern.compile("pypy[0-9.]*(-c)?|libpypy[0-9.]*-c\\.so.*");

    /** Files read so far, by inode and path; most processes of a tree run the same few. */
    private final Map<String, ElfFile> files = new HashMap<>();

    private final RemoteReader reader;

    RuntimeLocator(RemoteReader reader) {
        this.reader = reader;
    }

    /**
     * Returns the runtime of a process, null when none is mapped (yet).
     *
     * @throws IOException if the process' files cannot be read
     * @throws UnreadableRuntime when there is a runtime that cannot be read
     */
    @Nullable
    PythonRuntime locate(int pid) throws IOException, UnreadableRuntime {
        List<MappedFile> mapped = MappedFile.of(pid);
        String executable = executable(pid);
        for (MappedFile file : mapped) {
            if (file.path().equals(executable) || file.base().startsWith("libpython")) {
                ElfFile elf = read(file, pid, file.path().equals(executable));
                long runtime = elf.symbol("_PyRuntime") != 0 ? elf.symbol("_PyRuntime") : elf.section();
                if (runtime != 0) {
                    return runtime(pid, file, elf, runtime + elf.bias(file.start(), file.offset()), mapped);
                }
            }
        }
        if (runsPyPy(executable) || mapped.stream().anyMatch(file -> runsPyPy(file.path()))) {
            throw new UnreadableRuntime(
                    "it runs PyPy, whose stacks cannot be read: only CPython's can; run it with CPython to see them");
        }
        return null;
    }

    private static boolean runsPyPy(String path) {
        return PYPY.matcher(path.substring(path.lastIndexOf('/') + 1)).matches();
    }

    private static String executable(int pid) throws IOException {
        String path = java.nio.file.Files.readSymbolicLink(Path.of("/proc/" + pid + "/exe"))
                .toString();
        return path.endsWith(" (deleted)") ? path.substring(0, path.length() - " (deleted)".length()) : path;
    }

    private ElfFile read(MappedFile file, int pid, boolean executable) throws IOException {
        String key = file.inode() + " " + file.path();
        ElfFile known = files.get(key);
        if (known == null) {
            Path path = executable ? Path.of("/proc/" + pid + "/exe") : file.openable(pid);
            known = ElfFile.read(path, SYMBOLS, SECTION);
            files.put(key, known);
        }
        return known;
    }

    private PythonRuntime runtime(int pid, MappedFile file, ElfFile elf, long address, List<MappedFile> mapped)
            throws IOException, UnreadableRuntime {
        long bias = elf.bias(file.start(), file.offset());
        int version = version(pid, elf, bias, file, mapped);
        int minor = version >> 16 & 0xff;
        int major = version >>> 24;
        if (major != 3 || minor < RuntimeLayouts.OLDEST || minor > RuntimeLayouts.NEWEST) {
            throw new UnreadableRuntime(
                    "CPython " + major + "." + minor + " is not among the versions that are read (3."
                            + RuntimeLayouts.OLDEST + " to 3." + RuntimeLayouts.NEWEST + ")");
        }
        PythonRuntime.Types types = new PythonRuntime.Types(
                at(elf, "PyCode_Type", bias),
                at(elf, "PyType_Type", bias),
                at(elf, "PyCFunction_Type", bias),
                at(elf, "PyCMethod_Type", bias),
                at(elf, "PyMethodDescr_Type", bias));
        RuntimeLayout layout = minor < 13 ? RuntimeLayouts.table(minor) : described(pid, minor, address);
        int micro = version >> 8 & 0xff;
        String name = elf.symbol("Py_Version") == 0 ? "3." + minor : "3." + minor + "." + micro;
        return new PythonRuntime(address, types, layout, name);
    }

    private static long at(ElfFile elf, String symbol, long bias) {
        return elf.symbol(symbol) == 0 ? 0 : elf.symbol(symbol) + bias;
    }

    private RuntimeLayout described(int pid, int minor, long address) throws UnreadableRuntime {
        MemoryBatch batch = reader.read(pid, address, RuntimeLayouts.DEBUG_OFFSETS_BYTES);
        long[] words = new long[RuntimeLayouts.DEBUG_OFFSETS_BYTES / 8];
        for (int i = 0; i < words.length; i++) {
            words[i] = batch.getLong(i * 8);
        }
        return RuntimeLayouts.described(minor, words);
    }

    /** Returns the version as PY_VERSION_HEX: from {@code Py_Version} (3.11 on), else by the names of mapped files. */
    private int version(int pid, ElfFile elf, long bias, MappedFile file, List<MappedFile> mapped)
            throws UnreadableRuntime {
        if (elf.symbol("Py_Version") != 0) {
            return (int) reader.read(pid, elf.symbol("Py_Version") + bias, 8).getLong(0);
        }
        int minor = minorIn(file.path());
        for (int i = 0; minor == 0 && i < mapped.size(); i++) {
            minor = minorIn(mapped.get(i).path());
        }
        if (minor == 0) {
            throw new UnreadableRuntime("neither the symbol Py_Version nor a file name shows its version");
        }
        return 3 << 24 | minor << 16;
    }

    private static int minorIn(String path) {
        Matcher matcher = IN_NAME.matcher(path);
        if (!matcher.find()) {
            return 0;
        }
        return Integer.parseInt(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
    }
}
