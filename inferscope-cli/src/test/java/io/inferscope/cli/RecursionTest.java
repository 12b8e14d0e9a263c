package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No method calls itself, directly or through others, to a depth that an input chooses: a trace of 100,000 rows inside each other would overflow the
 * stack. What calls itself is listed with what bounds the depth. Calls through public interfaces are not seen.
 */
class RecursionTest {
    /** The first method of each cycle, and what bounds its depth. */
    private static final Map<String, String> BOUNDED = Map.ofEntries(
            Map.entry("BlankRow.blank", "records of the report's own model"),
            Map.entry("CappedAnswer.addLists", "InferScope's own answers"),
            Map.entry("CappedAnswer.copied", "InferScope's own answers"),
            Map.entry("ChildProcesses.follow", "WaitFollower.MOST_STEPS"),
            Map.entry("ClockMap.<init>", "once: the second has two anchors"),
            Map.entry("Completions.zshFunction", "InferScope's own commands"),
            Map.entry("CorrelationLinker$Side.sort", "logarithm of the rows"),
            Map.entry("DevicePeaks.of", "once: a name without the vendor"),
            Map.entry("DocumentScanner.property", "JsonCursor.MAX_DEPTH: the value was skipped before"),
            Map.entry("RecordingProperty.find", "facts that depend on others, by their declaration"),
            Map.entry("PatternTable.endOfGroup", "InferScope's own patterns"),
            Map.entry("FleetInputs.search", "FleetInputs.MAX_DEPTH"),
            Map.entry("InferScopePythonEvents.members", "once: members of an event's metadata"),
            Map.entry("InputFiles$Search.file", "InputFiles.MAX_DEPTH"),
            Map.entry("InputFiles.pattern", "once: what a pattern names is no pattern"),
            Map.entry("JacksonDocument.property", "JsonText.MAX_NESTING"),
            Map.entry("JsonCursor.skip", "once: skipNested loops"),
            Map.entry("JsonValues.write", "InferScope's own documents, and what JsonValues reads"),
            Map.entry("JsonValues.object", "Jackson's limit of nesting, 1000"),
            Map.entry("JvmArguments.file", "JvmArguments.MOST_FILES"),
            Map.entry("Main.commandLine", "InferScope's own commands"),
            Map.entry("Names.intern", "once: the text for all others"),
            Map.entry("Operands.tensors", "once: an element that holds lists is skipped"),
            Map.entry("Placement.and", "WaitFollower.MOST_STEPS"),
            Map.entry("Placement.scaled", "WaitFollower.MOST_STEPS"),
            Map.entry("Program.interpreter", "Program.MAX_CHAIN"),
            Map.entry("RocprofRecord.object", "JsonText.MAX_NESTING"),
            Map.entry("SampledThread.look", "once: then the file is closed"),
            Map.entry("Settings.get", "InferScope's own settings"),
            Map.entry("IntervalTree.latest", "logarithm of the spans"),
            Map.entry("IntervalTree.meetingUntil", "logarithm of the spans"),
            Map.entry("SpoolFolder.empty", "open files: each level holds its folder open"),
            Map.entry("TensorReader.array", "Jackson's limit of nesting, 1000"),
            Map.entry("Tree.write", "Tree.DEEPEST"),
            Map.entry("Unpacker.unpack", "Unpacker.MAX_DEPTH"),
            Map.entry("Varints.size", "parts of a track"),
            Map.entry("Varints.writeTo", "parts of a track"),
            Map.entry("WaitFollower.coverLives", "WaitFollower.MOST_STEPS"),
            Map.entry("HandOverChannels.follow", "HandOverChannels.MOST_STEPS"),
            Map.entry("YamlReader.group", "YamlReader.DEEPEST"));

    @Test
    void onlyMethodsOfBoundedDepthCallThemselves() {
        Map<String, Set<String>> cycles = cycles(new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"))
                .importPackages("io.inferscope"));

        assertThat(cycles.keySet()).containsExactlyInAnyOrderElementsOf(BOUNDED.keySet());
    }

    @Test
    void cyclesOfAnyLengthAreFound() {
        assertThat(cycles(new ClassFileImporter()
                                .importClasses(Offender.class, Offender.Step.class, Offender.Onward.class))
                        .values())
                .extracting(Set::toString)
                .containsExactly(
                        "[Offender$Onward.go, Offender.byInterface]",
                        "[Offender.byLambda]",
                        "[Offender.byReference]",
                        "[Offender.first, Offender.second]");
    }

    @SuppressWarnings({"InfiniteRecursion", "unused"})
    private static final class Offender {
        static int first(int depth) {
            return second(depth);
        }

        static int second(int depth) {
            return first(depth) + third(depth);
        }

        static int third(int depth) {
            return depth;
        }

        static long byReference(List<List<?>> of) {
            return Stream.of(of).mapToLong(Offender::byReference).sum();
        }

        static void byInterface(Step step) {
            step.go(step);
        }

        interface Step {
            void go(Step next);
        }

        static final class Onward implements Step {
            @Override
            public void go(Step next) {
                byInterface(next);
            }
        }

        static void byLambda(Runnable run) {
            Stream.of(run).forEach(one -> byLambda(one));
        }
    }

    /** Returns the names of the methods of each cycle by the first of them. */
    private static Map<String, Set<String>> cycles(JavaClasses classes) {
        Map<JavaCodeUnit, List<JavaCodeUnit>> calls = new HashMap<>();
        for (JavaClass type : classes) {
            for (JavaCodeUnit unit : type.getCodeUnits()) {
                calls.put(
                        unit,
                        called(unit)
                                .filter(to -> classes.contain(to.getOwner().getFullName()))
                                .toList());
            }
        }
        Map<String, Set<String>> found = new TreeMap<>();
        new Components(calls).cycles.forEach(cycle -> {
            Set<String> names = cycle.stream().map(RecursionTest::name).collect(Collectors.toCollection(TreeSet::new));
            found.put(names.iterator().next(), names);
        });
        return found;
    }

    private static Stream<JavaCodeUnit> called(JavaCodeUnit unit) {
        return Stream.concat(unit.getCallsFromSelf().stream(), unit.getCodeUnitReferencesFromSelf().stream())
                .map(access -> (CodeUnitAccessTarget) access.getTarget())
                .flatMap(target -> target.resolveMember().stream())
                .flatMap(RecursionTest::withImplementations);
    }

    /** Returns the methods that a call of a method may reach: of an interface of one package only, all that implement it. */
    private static Stream<JavaCodeUnit> withImplementations(JavaCodeUnit unit) {
        JavaClass owner = unit.getOwner();
        boolean isOwn = owner.isInterface() && !owner.getModifiers().contains(JavaModifier.PUBLIC);
        Set<JavaClass> types = isOwn ? owner.getAllSubclasses() : Set.of();
        Stream<JavaMethod> found = types.stream()
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.getName().equals(unit.getName())
                        && method.getRawParameterTypes().equals(unit.getRawParameterTypes()));
        return Stream.concat(Stream.of(unit), found);
    }

    private static String name(JavaCodeUnit unit) {
        String type = unit.getOwner().getName();
        return type.substring(type.lastIndexOf('.') + 1).replace("RecursionTest$", "") + "." + unit.getName();
    }

    /** Strongly connected components: Tarjan, SIAM J. Comput. 1(2), 1972. */
    private static final class Components {
        private final Map<JavaCodeUnit, List<JavaCodeUnit>> calls;
        private final Map<JavaCodeUnit, Integer> numbers = new HashMap<>();
        private final Deque<JavaCodeUnit> open = new ArrayDeque<>();
        private final List<List<JavaCodeUnit>> cycles = new ArrayList<>();

        Components(Map<JavaCodeUnit, List<JavaCodeUnit>> calls) {
            this.calls = calls;
            calls.keySet().forEach(unit -> {
                if (!numbers.containsKey(unit)) {
                    visit(unit);
                }
            });
        }

        /** Returns the least number that is reached and still open. */
        private int visit(JavaCodeUnit unit) {
            int own = numbers.size();
            int least = own;
            numbers.put(unit, own);
            open.push(unit);
            for (JavaCodeUnit next : calls.getOrDefault(unit, List.of())) {
                Integer number = numbers.get(next);
                if (number == null) {
                    least = Math.min(least, visit(next));
                } else if (open.contains(next)) {
                    least = Math.min(least, number);
                }
            }
            if (least == own) {
                List<JavaCodeUnit> component = new ArrayList<>();
                do {
                    component.add(open.pop());
                } while (!component.get(component.size() - 1).equals(unit));
                if (component.size() > 1 || calls.getOrDefault(unit, List.of()).contains(unit)) {
                    cycles.add(component);
                }
            }
            return least;
        }
    }
}
