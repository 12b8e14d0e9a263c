package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages of the manual: links, width, and whether a page can be found. */
class DocumentsTest {
    private static final Path ROOT = Path.of("..");
    private static final Path DOCS = ROOT.resolve("docs");
    private static final int WIDTH = 120;
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)`|`(?:scripts/|lab/)?(test[-_.\\w]*|faults)`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?ms)^\\s*```.*?^\\s*```\\s*?$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    private static final Pattern PROMISE = Pattern.compile("\\| (\\d+) \\|.*\\| (?:works|GPU|CPU|partial) \\|(.*)\\|");
    private static final Pattern VERSION = Pattern.compile("<version>(\\d+)\\.(\\d+)\\.");
    private static final Pattern MEASURED =
            Pattern.compile("<!-- measured: .+ at [0-9a-f]{8,} on \\d{4}-\\d\\d-\\d\\d, version (\\d+)\\.(\\d+) -->");
    private static final Pattern NAMED_TEST = Pattern.compile("`(\\w+Test|test_\\w+)`");

    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(DOCS);
                Stream<Path> examples = Files.walk(ROOT.resolve("examples"))) {
            return Stream.of(
                            docs,
                            examples,
                            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
                                    .map(ROOT::resolve))
                    .flatMap(paths -> paths)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    static List<Path> manual() throws IOException {
        try (Stream<Path> pages = Files.list(DOCS)) {
            return pages.filter(path -> path.toString().endsWith(".md"))
                    .filter(path -> !path.endsWith("README.md"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void everyPromiseIsListedAndItsTestsExist() throws IOException {
        Set<String> tests = new TreeSet<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve("python/tests"), 1)) {
            files.map(path -> path.getFileName().toString().replaceFirst("\\.py$", ""))
                    .forEach(tests::add);
        }
        try (Stream<Path> files = Files.walk(ROOT, 12)) {
            files.filter(path -> path.toString().contains("src/test/java"))
                    .map(path -> path.getFileName().toString().replaceFirst("\\.java$", ""))
                    .forEach(tests::add);
        }
        List<Integer> numbers = new ArrayList<>();
        for (String line : Files.readAllLines(DOCS.resolve("evidence/promises.md"))) {
            Matcher row = PROMISE.matcher(line);
            if (row.matches()) {
                numbers.add(Integer.parseInt(row.group(1)));
                Matcher name = NAMED_TEST.matcher(row.group(2));
                while (name.find()) {
                    assertThat(tests).as(line).contains(name.group(1));
                }
            }
        }
        assertThat(numbers).isEqualTo(IntStream.rangeClosed(1, 168).boxed().toList());
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsToAFileAndAHeading(Path page) throws IOException {
        List<String> broken = new ArrayList<>();
        for (String link : links(page)) {
            String[] parts = link.split("#", 2);
            Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
            if (!Files.exists(target) || (parts.length == 2 && !anchors(target).contains(parts[1]))) {
                broken.add(link);
            }
        }

        assertThat(broken).isEmpty();
    }

    /** A promise counts as long as the test that holds it is there. */
    @Test
    void everyTestThatThePageOnSecurityNamesIsThere() throws IOException {
        Set<String> files;
        try (Stream<Path> all = Files.find(ROOT, 12, (path, attributes) -> attributes.isRegularFile())) {
            files = all.map(path -> path.getFileName().toString()).collect(Collectors.toSet());
        }
        List<String> named = TEST.matcher(Files.readString(DOCS.resolve("security.md")))
                .results()
                .map(match -> match.group(1) == null ? match.group(2) : match.group(1) + ".java")
                .toList();
        assertThat(named).hasSizeGreaterThan(30);
        assertThat(named).allSatisfy(name -> assertThat(files).contains(name));
    }

    /** Costs change with the code: a table has to be measured again after two minor versions at the latest. */
    @Test
    void tablesOfCostsAreNotOlderThanOneMinorVersion() throws IOException {
        Matcher pom = VERSION.matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(pom.find()).isTrue();
        assertThat(outdatedTables(
                        Files.readAllLines(DOCS.resolve("evidence/performance.md")), pom.group(1), pom.group(2)))
                .isEmpty();
    }

    @Test
    void aTableTwoMinorVersionsOldOrWithoutItsCommitIsFound() {
        String head = "| trace | CPU s |";
        String measured = "<!-- measured: lab/bench measure analyze at 75d1fbf0 on 2026-11-22, version 1.4 -->";
        List<String> table = List.of(measured, head, "|---|---|", "| a | 1 |");
        assertThat(outdatedTables(table, "1", "4")).isEmpty();
        assertThat(outdatedTables(table, "1", "5")).isEmpty();
        assertThat(outdatedTables(table, "1", "6")).containsExactly(head);
        assertThat(outdatedTables(table, "2", "0")).containsExactly(head);
        assertThat(outdatedTables(table.subList(1, 4), "1", "4")).containsExactly(head);
        assertThat(outdatedTables(List.of("", "| option | does |", "|---|---|"), "1", "4"))
                .isEmpty();
    }

    private static List<String> outdatedTables(List<String> lines, String major, String minor) {
        List<String> outdated = new ArrayList<>();
        for (int i = 1; i < lines.size(); i++) {
            String head = lines.get(i - 1);
            if (lines.get(i).startsWith("|---") && !head.matches("\\| (option|question) .*")) {
                Matcher measured = MEASURED.matcher(i < 2 ? "" : lines.get(i - 2));
                boolean isRecent = measured.matches()
                        && measured.group(1).equals(major)
                        && Integer.parseInt(measured.group(2)) >= Integer.parseInt(minor) - 1;
                if (!isRecent) {
                    outdated.add(head);
                }
            }
        }
        return outdated;
    }

    /** Functions of HTA, packages of TraceLens and skills of nsys-ai, as of the commits that the page names. */
    @Test
    void eachFeatureOfAnotherToolHasARow() throws IOException {
        String[] parts = Files.readString(DOCS.resolve("evidence/peers.md")).split("## By their names", -1);
        Set<String> rows = cells(parts[0], 1).collect(Collectors.toSet());
        List<String> answered = cells(parts[1], 3).skip(2).toList();

        assertThat(answered).hasSizeGreaterThan(50);
        assertThat(answered).allSatisfy(row -> assertThat(rows).contains(row));
        assertThat(cells(parts[0], 3)).allSatisfy(answer -> assertThat(answer).isNotEmpty());
    }

    private static Stream<String> cells(String page, int column) {
        return page.lines().filter(line -> line.startsWith("|")).map(line -> line.split("\\|", -1)[column].strip());
    }

    /** Tables and code cannot be wrapped. */
    @ParameterizedTest
    @MethodSource("pages")
    void proseIsWrapped(Path page) throws IOException {
        assertThat(prose(page).lines().filter(line -> !line.strip().startsWith("|")))
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(WIDTH));
    }

    @ParameterizedTest
    @MethodSource("manual")
    void theIndexNamesEveryPage(Path page) throws IOException {
        assertThat(links(DOCS.resolve("README.md")))
                .anyMatch(
                        link -> link.split("#", 2)[0].equals(page.getFileName().toString()));
    }

    private static List<String> links(Path page) throws IOException {
        return LINK.matcher(prose(page))
                .results()
                .map(found -> found.group(1))
                .filter(link -> !link.startsWith("http"))
                .toList();
    }

    /** Returns the anchors that GitHub makes of a page's headings. */
    private static List<String> anchors(Path page) throws IOException {
        return HEADING.matcher(prose(page))
                .results()
                .map(found -> found.group(1).strip().toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
                .collect(Collectors.toList());
    }

    private static String prose(Path page) throws IOException {
        return CODE.matcher(Files.readString(page)).replaceAll("");
    }
}
