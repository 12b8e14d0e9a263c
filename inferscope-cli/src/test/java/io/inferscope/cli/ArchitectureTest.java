package io.inferscope.cli;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.architecture.BreaksEveryRule;
import io.inferscope.analyzer.architecture.cycle.PointsBack;
import io.inferscope.cli.common.RulesOption;
import io.inferscope.timeline.Order;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The arrows between the modules, and what no module may let out, as rules that run. Each rule is also shown to fail on
 * {@link BreaksEveryRule}, so that a rule that checks nothing is noticed.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ArchitectureTest {
    /** Module to the modules it may use, those reached through another one included. */
    private static final Map<String, Set<String>> ARROWS = Map.of(
            "timeline", Set.of("scope"),
            "formats", Set.of("timeline", "scope"),
            "scope", Set.of(),
            "collectors", Set.of("timeline", "scope"),
            "batch", Set.of("timeline", "scope", "collectors"),
            "analyzer", Set.of("timeline", "scope"),
            "shapes", Set.of("timeline", "scope", "analyzer"),
            "report", Set.of("analyzer", "shapes", "timeline", "scope"),
            "fleet", Set.of("timeline", "formats", "scope", "analyzer", "shapes", "report"),
            "cli",
                    Set.of(
                            "timeline",
                            "formats",
                            "scope",
                            "collectors",
                            "batch",
                            "analyzer",
                            "shapes",
                            "report",
                            "fleet"));

    /** Packages below {@code io.inferscope.formats} that every family of formats may use; the families do not know each other. */
    private static final Set<String> SHARED_BY_FORMATS = Set.of("common", "sqlite", "tables");

    /** Library packages to the only modules, or packages of one, that may use them. */
    private static final Map<String, String> LIBRARY_OWNERS = Map.ofEntries(
            Map.entry("com.sun.jna..", "collectors"),
            Map.entry("org.bytedeco..", "collectors"),
            Map.entry("com.vladsch.flexmark..", "report"),
            Map.entry("org.apache.parquet..", "formats.parquet"),
            Map.entry("org.apache.commons.compress..", "formats.archive"),
            Map.entry("org.tukaani.xz..", "[formats.archive|collectors.symbols]"),
            Map.entry("io.airlift.compress..", "formats.archive"),
            Map.entry("org.sqlite..", "formats.sqlite"),
            Map.entry("com.google.protobuf..", "formats.xla"),
            Map.entry("jdk.jfr..", "formats.jfr"),
            Map.entry("java.sql..", "formats"),
            Map.entry("org.snakeyaml..", "analyzer.yaml"),
            Map.entry("org.jline..", "cli.run"),
            Map.entry("picocli..", "cli"));

    /** Outputs are written by WholeFile alone, so that none is seen half-written. Other classes that open files, and why. */
    private static final Map<String, String> OPENS_FILES = Map.ofEntries(
            Map.entry("timeline.files.WholeFile", "writes all outputs"),
            Map.entry("formats.parquet.ParquetExporter", "writes inside of WholeFile"),
            Map.entry("formats.parquet.TableWriter", "writes inside of WholeFile"),
            Map.entry("formats.archive.InputFiles", "copies a pipe to a temporary file"),
            Map.entry("formats.archive.Unpacker", "unpacks into a temporary folder"),
            Map.entry("cli.analyze.OpenCommand", "reads a trace"),
            Map.entry("cli.analyze.Browser", "makes a temporary file for the browser"),
            Map.entry("scope.spool.SpoolFile", "a spool, which grows"),
            Map.entry("scope.TraceFileRecorder", "a spool, which grows"),
            Map.entry("formats.jfr.JfrChunks", "part of a recording in its spool folder"),
            Map.entry("collectors.jvm.RecordingPlan", "settings of a recording in its spool folder"),
            Map.entry("timeline.files.ProcessLock", "a lock"),
            Map.entry("collectors.run.GpuAttachment", "files of the agent in a private folder"),
            Map.entry("collectors.cupti.PresetLibraries", "libraries in a temporary folder"),
            Map.entry("collectors.os.Inheritance", "a setting of its own process, below /proc"),
            Map.entry("collectors.symbols.ElfFile", "reads"),
            Map.entry("collectors.symbols.BuildId", "reads"),
            Map.entry("collectors.symbols.SymbolTable", "reads"),
            Map.entry("collectors.cupti.ThreadIds", "reads"),
            Map.entry("formats.parquet.TableReader", "reads"),
            Map.entry("timeline.spool.SpoolBytes", "reads"),
            Map.entry("timeline.importer.TraceSource", "reads"));

    /** A field of the instance, which all tests share: no class holds on to the hundreds of megabytes for the tests of other classes. */
    private final JavaClasses product = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("-tests.jar"))
            .importPackages("io.inferscope");

    private static final JavaClasses OFFENDER =
            new ClassFileImporter().importClasses(BreaksEveryRule.class, PointsBack.class);

    static Stream<String> modules() {
        return ARROWS.keySet().stream().sorted();
    }

    static Stream<String> libraries() {
        return LIBRARY_OWNERS.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void modulesUseOnlyWhatTheirArrowsPointTo(String module) {
        arrowsOf(module).check(product);
    }

    @Test
    void theModulesCheckedAreTheModulesThatExist() {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : product) {
            found.add(type.getPackageName().split("\\.", -1)[2]);
        }
        assertThat(found).containsExactlyElementsOf(new TreeSet<>(ARROWS.keySet()));
    }

    /** Class files do not show a dependency on constants, such as those of spools: javac writes their values. */
    @ParameterizedTest
    @MethodSource("modules")
    void theArrowsAreWhatThePomsDepend0n(String module) throws IOException {
        assertThat(reached(module)).containsExactlyElementsOf(new TreeSet<>(ARROWS.get(module)));
    }

    /** The modules that the pom of a module depends on, for other things than tests, directly or through another one. */
    private static Set<String> reached(String module) throws IOException {
        String pom = Files.readString(Path.of("..", "inferscope-" + module, "pom.xml"));
        Set<String> reached = new TreeSet<>();
        Matcher dependencies =
                Pattern.compile("(?s)<dependency>.*?</dependency>").matcher(pom);
        while (dependencies.find()) {
            Matcher other = Pattern.compile("<artifactId>inferscope-(\\w+)</artifactId>")
                    .matcher(dependencies.group());
            if (other.find() && !dependencies.group().contains("<scope>test</scope>")) {
                reached.add(other.group(1));
                reached.addAll(reached(other.group(1)));
            }
        }
        return reached;
    }

    @Test
    void onlyTheReaderOfSpoolsUsesTheScopeLibrary() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("..", "inferscope-timeline", "src", "main", "java"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".java"))
                            .filter(ArchitectureTest::namesTheScopeLibrary)
                            .map(file -> String.valueOf(file.getParent().getFileName())))
                    .isNotEmpty()
                    .containsOnly("spool");
        }
    }

    private static boolean namesTheScopeLibrary(Path file) {
        try {
            return Files.readString(file).contains("io.inferscope.scope.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theScopeLibraryDependsOnTheJdkAlone() {
        scopeUsesTheJdkAlone().check(product);
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void librariesStayInTheirModule(String library) {
        ownerOf(library).check(product);
    }

    @Test
    void familiesOfFormatsDoNotKnowEachOther() {
        strangersAmongFormats().check(product);
    }

    @Test
    void theAnalyzersApiSpeaksNoJackson() {
        analyzerApiWithoutJackson().check(product);
    }

    @Test
    void outputsAreWrittenByOneClassAlone() {
        onlyListedClassesOpenFiles().check(product);
    }

    @Test
    void analyzersAreMadeWithTheUsersRules() {
        onlyTheOptionMakesAnalyzers().check(product);
    }

    @Test
    void analyzersMadeWithTheUsersRulesFailOnAnOffender() {
        assertFails(onlyTheOptionMakesAnalyzers(), "io.inferscope.analyzer.Analyzer.<init>");
    }

    @Test
    void everyClassThatIsListedAsOpeningFilesOpensOne() {
        for (String name : OPENS_FILES.keySet()) {
            assertThat(product.stream()
                            .filter(type -> isOrIsIn(type, name))
                            .flatMap(type -> type.getCodeUnitCallsFromSelf().stream())
                            .anyMatch(ArchitectureTest::opensFile))
                    .as(name)
                    .isTrue();
        }
    }

    @Test
    void outputsWrittenByOneClassAloneFailOnAnOffender() {
        assertFails(onlyListedClassesOpenFiles(), "java.nio.file.Files.writeString");
    }

    @Test
    void packagesFormNoCycle() {
        noCycle().check(product);
    }

    @Test
    void whatExplainsARecordingMakesNoComparatorThatNoArchiveHolds() {
        comparatorsThatArchivesHold().check(product);
    }

    @Test
    void comparatorsThatNoArchiveHoldsFailOnAnOffender() {
        assertFails(comparatorsThatArchivesHold(), "java.util.Comparator.comparing");
    }

    @Test
    void arrowsFailOnAnOffender() {
        assertFails(arrowsOf("analyzer"), "cli.Main");
    }

    @Test
    void libraryOwnersFailOnAnOffender() {
        assertFails(ownerOf("com.sun.jna.."), "com.sun.jna.Pointer");
    }

    @Test
    void theAnalyzersApiFailsOnAnOffender() {
        assertFails(analyzerApiWithoutJackson(), "com.fasterxml.jackson.core.JsonParser");
    }

    @Test
    void packagesWithoutCycleFailOnAnOffender() {
        assertFails(noCycle(), "Cycle detected");
    }

    @Test
    void aRuleThatFindsNoClassFails() {
        assertThatThrownBy(() -> arrowsOf("timeline").check(OFFENDER))
                .hasMessageContaining("failed to check any classes");
    }

    private static void assertFails(ArchRule rule, String culprit) {
        assertThatThrownBy(() -> rule.check(OFFENDER))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(culprit);
    }

    private static String in(String module) {
        return "io.inferscope." + module + "..";
    }

    private static ArchRule arrowsOf(String module) {
        Set<String> allowed = ARROWS.get(module);
        DescribedPredicate<JavaClass> elsewhere = describe("are in a module without an arrow from " + module, type -> {
            String[] parts = type.getPackageName().split("\\.", -1);
            boolean ours = parts.length > 2 && type.getPackageName().startsWith("io.inferscope.");
            return ours && !parts[2].equals(module) && !allowed.contains(parts[2]);
        });
        return noClasses().that().resideInAPackage(in(module)).should().dependOnClassesThat(elsewhere);
    }

    private static ArchRule onlyTheOptionMakesAnalyzers() {
        return noClasses()
                .that()
                .doNotBelongToAnyOf(Analyzer.class, RulesOption.class)
                .and()
                .resideOutsideOfPackage(in("bench"))
                .should()
                .callConstructorWhere(describe(
                        "make an analyzer", call -> call.getTargetOwner().isEquivalentTo(Analyzer.class)));
    }

    private static ArchRule scopeUsesTheJdkAlone() {
        return classes()
                .that()
                .resideInAPackage(in("scope"))
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(in("scope"), "java..", "jdk..", "org.jspecify.annotations..");
    }

    private static ArchRule ownerOf(String library) {
        return noClasses()
                .that()
                .resideOutsideOfPackage(in(LIBRARY_OWNERS.get(library)))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library);
    }

    private static ArchRule strangersAmongFormats() {
        return slices().matching("io.inferscope.formats.(*)..")
                .should()
                .notDependOnEachOther()
                .ignoreDependency(
                        alwaysTrue(),
                        describe(
                                "are shared",
                                type -> SHARED_BY_FORMATS.stream()
                                        .anyMatch(shared ->
                                                type.getPackageName().equals("io.inferscope.formats." + shared))));
    }

    /** Those of the JDK are serializable lambdas; {@link Order} makes others. */
    private static ArchRule comparatorsThatArchivesHold() {
        Set<String> owners = Set.of("java.util.Comparator", "java.util.Map$Entry");
        return noClasses()
                .that()
                .resideInAnyPackage(in("timeline"), in("analyzer"), in("report"))
                .should()
                .callMethodWhere(describe(
                        "a comparator of the JDK is made",
                        call -> owners.contains(call.getTargetOwner().getName())
                                && call.getName().matches("(thenC|c)omparing.*")));
    }

    private static ArchRule onlyListedClassesOpenFiles() {
        return noClasses()
                .that(describe(
                        "are not listed",
                        type -> OPENS_FILES.keySet().stream().noneMatch(name -> isOrIsIn(type, name))))
                .should()
                .callCodeUnitWhere(describe("a file is opened", ArchitectureTest::opensFile));
    }

    private static boolean isOrIsIn(JavaClass type, String name) {
        return (type.getName() + "$").startsWith("io.inferscope." + name + "$");
    }

    /** Whether a call opens a file that may be written to. A descriptor of the process is no file of that name. */
    private static boolean opensFile(JavaCall<?> call) {
        String owner = call.getTargetOwner().getName();
        String name = call.getName();
        boolean byDescriptor = call.getTarget().getRawParameterTypes().stream()
                .anyMatch(type -> type.getName().equals("java.io.FileDescriptor"));
        boolean byFile = call.getTarget().getRawParameterTypes().stream()
                .anyMatch(type ->
                        type.getName().equals("java.io.File") || type.getName().equals("java.lang.String"));
        return switch (owner) {
            case "java.nio.file.Files" ->
                Set.of("write", "writeString", "newOutputStream", "newBufferedWriter", "newByteChannel", "copy")
                        .contains(name);
            case "java.io.FileOutputStream", "java.io.FileWriter" -> name.equals("<init>") && !byDescriptor;
            case "java.io.RandomAccessFile" -> name.equals("<init>");
            case "java.io.PrintWriter", "java.io.PrintStream" -> name.equals("<init>") && byFile;
            case "java.nio.channels.FileChannel" -> name.equals("open");
            default -> false;
        };
    }

    private static ArchRule noCycle() {
        return slices().matching("io.inferscope.(**)").should().beFreeOfCycles();
    }

    private static ArchRule analyzerApiWithoutJackson() {
        return classes().that().resideInAPackage(in("analyzer")).should(notExpose("com.fasterxml.jackson."));
    }

    /** No public or protected member names a type whose package begins with {@code prefix}. */
    private static ArchCondition<JavaClass> notExpose(String prefix) {
        return new ArchCondition<>("not expose " + prefix) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                for (JavaMember member : type.getMembers()) {
                    boolean visible = member.getModifiers().stream()
                            .anyMatch(modifier -> modifier.name().equals("PUBLIC")
                                    || modifier.name().equals("PROTECTED"));
                    exposed(member)
                            .filter(named -> visible && named.getName().startsWith(prefix))
                            .forEach(named -> events.add(SimpleConditionEvent.violated(
                                    member, member.getDescription() + " exposes " + named.getName())));
                }
            }
        };
    }

    private static Stream<JavaClass> exposed(JavaMember member) {
        Stream<JavaClass> thrown =
                member instanceof JavaCodeUnit unit ? unit.getThrowsClause().getTypes().stream() : Stream.empty();
        return Stream.concat(member.getAllInvolvedRawTypes().stream(), thrown);
    }
}
