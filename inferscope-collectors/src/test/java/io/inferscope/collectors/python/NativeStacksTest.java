package io.inferscope.collectors.python;

import static io.inferscope.collectors.os.PerfRing.KERNEL_MARK;
import static io.inferscope.collectors.os.PerfRing.STACK_MARK;
import static io.inferscope.collectors.os.PerfRing.USER_MARK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.host.NativeSample;
import io.inferscope.collectors.host.NativeSamples;
import io.inferscope.collectors.symbols.BuildId;
import io.inferscope.collectors.symbols.ElfFile;
import io.inferscope.collectors.symbols.MappedFile;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Until;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * For what a function of the interpreter works: the return addresses on its stack tell it, where the Python stack was
 * read at another instant. The addresses are those of a real process.
 */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class NativeStacksTest {
    private static final String LOOP = "_PyEval_EvalFrameDefault";
    private static final String FUNCTION = "PyLong_FromLong";
    private static final String MODULE = "PyInit__ctypes";
    private static final String CALLED = "/lib/_pickle.so";
    private static final int NUMBER = 77;

    /** The kernel's functions, by address. */
    private static final List<String> KERNEL = List.of(
            "asm_sysvec_apic_timer_interrupt",
            "irqentry_exit_to_user_mode",
            "schedule",
            "finish_task_switch.isra.0",
            "do_futex",
            "do_syscall_64",
            "end");

    @TempDir
    Path folder;

    private Process program;
    private SpoolWriter writer;
    private StackTable stacks;
    private NativeStacks natives;
    private int python;
    private int called;
    private long loop;
    private long function;
    private String interpreter = "";
    private long module;
    private String moduleFile = "";

    @BeforeEach
    void findAddresses() throws Exception {
        program = new ProcessBuilder(
                        "python3", "-c", "import _ctypes, sys; print('ready', flush=True); sys.stdin.read()")
                .start();
        StackSamples.awaitReady(program);
        for (MappedFile file : MappedFile.of((int) program.pid())) {
            if (file.path().contains("python") || file.path().contains("_ctypes")) {
                ElfFile elf = ElfFile.read(Path.of(file.path()), Set.of(LOOP, FUNCTION, MODULE), ".none");
                long bias = elf.bias(file.start(), file.offset());
                if (elf.symbol(LOOP) != 0) {
                    loop = elf.symbol(LOOP) + bias + 8;
                    function = elf.symbol(FUNCTION) + bias + 8;
                    interpreter = file.path();
                } else if (elf.symbol(MODULE) != 0) {
                    module = elf.symbol(MODULE) + bias + 8;
                    moduleFile = file.path();
                }
            }
        }
        assumeTrue(loop != 0 && module != 0, "python3 has its functions, or ctypes, elsewhere");
        writer = SpoolWriter.open(folder, "host", 0, 1 << 20);
        stacks = new StackTable(writer);
        String symbols = KERNEL.stream()
                .map(function -> String.format("%x T %s%n", kernelAddress(function) - 8, function))
                .collect(Collectors.joining());
        natives = new NativeStacks(stacks, Files.writeString(folder.resolve("kallsyms"), symbols));
        python = stacks.stack(0, stacks.frame("step", "a.py", 7));
        called = natives.called((int) program.pid(), python, CALLED, "");
        int known = stacks.stack(python, stacks.nativeFrame(FUNCTION, interpreter, 0));
        Until.holds(() -> upon(python) == known); // Maps and functions are read by another thread.
        int ofLoop = stacks.stack(python, stacks.nativeFrame(LOOP, interpreter, 0));
        Until.holds(() -> natives.upon(python, NativeSample.of((int) program.pid(), USER_MARK, loop), 0) == ofLoop);
    }

    @AfterEach
    void end() throws Exception {
        program.destroyForcibly();
        if (writer != null) {
            writer.close();
        }
    }

    /** Returns the stack of a sample in the interpreter's function, given the words on its stack. */
    private int upon(int pythonStack, long... words) {
        long[] chain = LongStream.concat(LongStream.of(USER_MARK, function, STACK_MARK), LongStream.of(words))
                .toArray();
        return natives.upon(pythonStack, NativeSample.of((int) program.pid(), chain), 0);
    }

    private int functionOn(int stack) {
        return stacks.stack(stack, stacks.nativeFrame(FUNCTION, interpreter, 0));
    }

    @Test
    void calledByTheLoopItWorksForTheLine() {
        assertThat(upon(called, NUMBER, function, loop, module)).isEqualTo(functionOn(python));
    }

    @Test
    void calledByALibraryItWorksForThatLibrary() {
        assertThat(upon(called, NUMBER, module, loop)).isEqualTo(functionOn(called));
        assertThat(upon(python, NUMBER, module, loop))
                .isEqualTo(functionOn(natives.called((int) program.pid(), python, moduleFile, "")));
    }

    @Test
    void ofAModuleInTheInterpreterItWorksForThatModule() {
        int part = natives.called((int) program.pid(), python, "zlib.python3.11", "zlib.compress");
        assertThat(part)
                .isEqualTo(stacks.stack(python, stacks.nativeFrame("called zlib.compress", "zlib.python3.11", 0)));
        assertThat(upon(part, NUMBER, function, loop, module)).isEqualTo(functionOn(part));
        int ofLoop = stacks.stack(python, stacks.nativeFrame(LOOP, interpreter, 0));
        assertThat(natives.upon(part, NativeSample.of((int) program.pid(), USER_MARK, loop), 0))
                .isEqualTo(ofLoop);
    }

    @Test
    void theFilesOfItsFramesAreNotedWithTheirBuildIds() throws Exception {
        natives.upon(python, NativeSample.of((int) program.pid(), USER_MARK, module), 0);
        String noted = "process." + program.pid() + ".module." + moduleFile.substring(moduleFile.lastIndexOf('/') + 1);
        String id = BuildId.of(Path.of(moduleFile));

        Until.holds(() -> {
            writer.flush();
            Map<String, String> properties = CoreFormats.load(folder).properties();
            return moduleFile.equals(properties.get(noted + ".path"))
                    && id.equals(properties.getOrDefault(noted + ".build_id", ""));
        });
        String notMapped = "process." + program.pid() + ".module._pickle.so";
        assertThat(CoreFormats.load(folder).properties())
                .containsEntry(notMapped + ".path", CALLED)
                .doesNotContainKey(notMapped + ".build_id");
    }

    /** Each function of {@link #KERNEL} is 4096 bytes long. */
    private static long kernelAddress(String function) {
        return 0xffff_ffff_8100_0008L + 4096L * KERNEL.indexOf(function);
    }

    /** Returns the stack of a sample of the bytecode loop that the kernel interrupted, given its functions. */
    private int uponInterrupted(String... functions) {
        long[] kernel =
                Stream.of(functions).mapToLong(NativeStacksTest::kernelAddress).toArray();
        long[] chain = LongStream.concat(
                        LongStream.concat(LongStream.of(KERNEL_MARK), LongStream.of(kernel)),
                        LongStream.of(USER_MARK, loop))
                .toArray();
        return natives.upon(python, NativeSample.of((int) program.pid(), chain), 0);
    }

    @Test
    void aThreadThatWasPreemptedIsInItsOwnCode() throws Exception {
        int ofLoop = stacks.stack(python, stacks.nativeFrame(LOOP, interpreter, 0));
        String interrupt = "asm_sysvec_apic_timer_interrupt";
        String leaves = "irqentry_exit_to_user_mode";
        Until.holds(() -> uponInterrupted("finish_task_switch.isra.0", "schedule", leaves, interrupt) == ofLoop);
        assertThat(uponInterrupted(leaves, interrupt)).isEqualTo(ofLoop);
    }

    @Test
    void aThreadThatSleepsInASystemCallIsInThatCall() throws Exception {
        int inCall = stacks.stack(
                stacks.stack(
                        stacks.stack(python, stacks.nativeFrame(LOOP, interpreter, 0)),
                        stacks.nativeFrame("do_futex", "kernel", 0)),
                stacks.nativeFrame("finish_task_switch.isra.0", "kernel", 0));
        Until.holds(
                () -> uponInterrupted("finish_task_switch.isra.0", "schedule", "do_futex", "do_syscall_64") == inCall);
    }

    @Test
    void aVariableOfAThreadIsFoundForTheCodeThatUsesIt() throws Exception {
        long finder = 0;
        for (MappedFile file : MappedFile.of((int) program.pid())) {
            if (file.path().contains("/ld-")) {
                ElfFile elf = ElfFile.read(Path.of(file.path()), Set.of("__tls_get_addr"), ".none");
                finder = elf.symbol("__tls_get_addr") + elf.bias(file.start(), file.offset()) + 8;
                interpreter = finder == 8 ? interpreter : file.path();
            }
        }
        assumeTrue(finder > 8, "the dynamic linker is elsewhere");
        NativeSamples sample =
                NativeSample.of((int) program.pid(), USER_MARK, finder, STACK_MARK, NUMBER, module, loop);
        int ofModule = stacks.stack(python, stacks.nativeFrame(MODULE, moduleFile, 0));
        int found = stacks.stack(ofModule, stacks.nativeFrame("__tls_get_addr", interpreter, 0));
        Until.holds(() -> natives.upon(python, sample, 0) == found);
    }

    /** The stacks of two samples, at a line of Python, in what was stored. */
    private Set<String> stored(int late) throws Exception {
        writer.write(new SpoolRecord.StackSample(1_000, 2_000, 1, 1, late, 1, 0, 0, 0, 0, 0, 0));
        writer.flush();
        Timeline timeline = CoreFormats.load(folder);
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.STACK_SAMPLE)
                .mapToObj(row ->
                        String.join(" > ", timeline.stacks().frames((int) timeline.attribute(row, Attribute.STACK))))
                .collect(Collectors.toSet());
    }

    @Test
    void nativeFramesMayBeStoredWhenTheRecordingHasEnded() throws Exception {
        natives = new NativeStacks(stacks, folder.resolve("kallsyms"));
        int pid = (int) program.pid();
        natives.later(python, NativeSample.of(pid, USER_MARK, function), 0); // The mappings are read now.
        Until.holds(() -> natives.file(pid, function) != null);
        called = natives.called(pid, python, CALLED, "");
        int late = natives.later(
                called, NativeSample.of(pid, KERNEL_MARK, kernelAddress("do_futex"), USER_MARK, module), 0);
        assertThat(stored(late))
                .as("a recorder that was killed")
                .containsExactly("a.py(7): step > called [_pickle.so]");

        program.destroyForcibly().waitFor();
        natives.ended(pid);
        natives.finish();

        String file = moduleFile.substring(moduleFile.lastIndexOf('/') + 1);
        assertThat(stored(late)).containsExactly("a.py(7): step > " + MODULE + " [" + file + "] > do_futex [kernel]");
    }

    @Test
    void withoutAReturnAddressThePythonStackTells() {
        assertThat(upon(called, NUMBER)).isEqualTo(functionOn(called));
        assertThat(upon(python)).isEqualTo(functionOn(python));
    }
}
