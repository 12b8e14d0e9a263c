package io.inferscope.timeline.importer;

import io.inferscope.timeline.text.ShellText;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Files that are no recordings InferScope reads, and that users may take for one. */
public final class KnownNonTraces {
    private static final Pattern PLACEHOLDER = Pattern.compile("%s|THIS");
    private static final String RECORD = "record the program with `inferscope run`";
    private static final String PROFILER_TRACE =
            "name the trace of the same run that torch.profiler's export_chrome_trace writes";
    private static final String SPEEDSCOPE = "open it at speedscope.app: the JSON that Export saves can be analysed";

    /**
     * What files of one kind are.
     *
     * @param pattern is found in the name of the file, a line break, and its first bytes
     * @param what may name the pattern's first group; in the remedy, it is a member's path in jq
     */
    private record Other(Pattern pattern, String what, String remedy) {
        static Other named(String name, String what, String remedy) {
            return new Other(Pattern.compile("\\A[^\\n]*" + name + "\\n"), what, remedy);
        }

        static Other of(String head, String what, String remedy) {
            return new Other(Pattern.compile("\\A[^\\n]*\\n(?:\\u00ef\\u00bb\\u00bf)?" + head), what, remedy);
        }
    }

    /** JSON first, then other text, then bytes, then what only the name shows. */
    private static final List<Other> OTHERS = List.of(
            Other.of(
                    "\\s*\\{\\s*\"schema\"\\s*:\\s*\"(inferscope-[a-z-]+/\\d+)\"",
                    "a result of InferScope (%s), not a recording",
                    "name the recording that it was made from; `inferscope diff` compares reports"),
            Other.of(
                    "\\s*\\{\\s*\"schema\"\\s*:\\s*\"[0-9.]+-chakra\\.",
                    "an execution trace of PyTorch's ExecutionTraceObserver: operators and tensors without times",
                    PROFILER_TRACE),
            Other.of(
                    "\\s*\\[\\s*\\[\\s*-?\\d",
                    "lists of numbers without events, such as torch.profiler's export_memory_timeline writes",
                    PROFILER_TRACE),
            Other.of(
                    "\\s*\\{[^\\[{]*\"nodes\"\\s*:\\s*\\[\\s*\\{[^{}]*\"callFrame\"\\s*:",
                    "a CPU profile of V8, as `node --cpu-prof` and Chrome write it",
                    SPEEDSCOPE),
            Other.of(
                    "\\s*\\{\\s*\"snapshot\"\\s*:\\s*\\{\\s*\"meta\"\\s*:",
                    "a heap snapshot of V8: objects in memory, without times",
                    RECORD),
            Other.of(
                    "\\s*\\{\\s*\"meta\"\\s*:\\s*\\{(?s:.*)\"(?:libs|preprocessedProfileVersion)\"\\s*:",
                    "a profile in the format of the Firefox Profiler, which samply writes, too",
                    RECORD),
            Other.of(
                    "\\s*\\{\\s*\"resource(?:Spans|Metrics|Logs)\"\\s*:",
                    "a file of OpenTelemetry: requests or totals, without what threads and devices did",
                    RECORD),
            Other.of(
                    "\\s*+(?:\\{\\s*+\"data\"\\s*+:\\s*+\\[\\s*+)?\\[?\\s*+\\{[^\\[]*\"trace(?:ID|Id)\"\\s*+:",
                    "a list of spans of Jaeger or Zipkin: requests, without what threads and devices did",
                    RECORD),
            Other.of(
                    "\\s*+\\[\\s*+\\{\\s*+\"id\"\\s*+:[^\\[]*\"(?:model_name|timestamps|activity)\"\\s*+:",
                    "a trace of Triton Inference Server: requests, without what threads and devices did",
                    "record the server with `inferscope run`"),
            Other.of(
                    "\"?Kind\"?,\"?(?:Agent_Id|Domain|Function|Operation|Direction)\"?,",
                    "a table of rocprofv3 with one kind of event",
                    "record again with `rocprofv3 --runtime-trace --output-format json -- COMMAND`"),
            Other.of(
                    "(?:[^\\n]*\\n){0,3}\"?(?:Start \\(ns\\)|Time \\(%\\))\"?,",
                    "a table that `nsys stats` prints",
                    "export the report that it was made from: nsys export --type sqlite REPORT.nsys-rep"),
            Other.of(
                    "\\s*\\{\\s*\"log\"\\s*:\\s*\\{[^\\[]*\"(?:version|creator|entries)\"\\s*:",
                    "an HTTP archive (HAR) of a browser: requests, without what the server's threads did",
                    "record the server with `inferscope run`"),
            Other.of(
                    "(?:PERFILE2|\\s*\\{\\s*\"linux-perf-json-version\")",
                    "a recording of perf",
                    "fold its stacks: perf script -i PERF.DATA | stackcollapse-perf.pl > FILE"
                            + " (github.com/brendangregg/FlameGraph)"),
            Other.of(
                    // Command, thread, perhaps CPU, time, and the event with or without its period.
                    "(?:#[^\\n]*\\n|\\s*\\n){0,100}+"
                            + "\\S[^\\n]{0,40} \\d+(/\\d+)? +(\\[\\d+\\] +)?\\d+\\.\\d+: +(\\d+ +)?[\\w:/-]+:[^\\n]*\\n",
                    "what `perf script` prints",
                    "fold its stacks: stackcollapse-perf.pl < THIS > FILE (github.com/brendangregg/FlameGraph)"),
            Other.of(
                    "# To display the perf\\.data header info",
                    "what `perf report` prints: sums without stacks",
                    "fold the recording's stacks: perf script | stackcollapse-perf.pl > FILE"),
            Other.of(
                    "(?:# callgrind format|version: \\d+\\ncreator: callgrind)",
                    "a call graph of Valgrind's Callgrind: counted instructions, not times",
                    RECORD),
            Other.of(
                    "v8-version,",
                    "the log of `node --prof`",
                    "node --prof-process --preprocess THIS > FILE, and " + SPEEDSCOPE),
            Other.of(
                    "(?:\\d+ +|\\[pid +\\d+\\] )?(?:[\\d:.]+ +)?\\w+\\([^\\n]*\\) += (?:-?\\d|0x|\\?)[^\\n]*\\n",
                    "what strace prints: calls of the system",
                    RECORD),
            Other.of(
                    "version https://git-lfs\\.github\\.com/spec/",
                    "a pointer of Git LFS, not the file that it stands for",
                    "fetch the file: git lfs pull"),
            Other.of(
                    "\\s*\\{[^\\n]*\"ph\"\\s*:[^\\n]*\\}\\s*\\n\\s*\\{",
                    "a sequence of JSON documents, one event a line",
                    "make one list of them: jq -s . THIS > trace.json"),
            Other.of(
                    "\\s*\\{(?:[^\\[\\]]*[,{])?\\s*\"([^\"\\\\]+)\"\\s*:\\s*\\{(?:[^\\[\\]{}]*,)?\\s*\"traceEvents\"\\s*:",
                    "a document around a trace, whose events are in its member \"%s\"",
                    "take the trace out: jq %s THIS > trace.json"),
            Other.of(
                    "(?s:.*?)\"ts\"\\s*:\\s*\"?[1-9]\\d{18}\\b",
                    "a trace with stamps in nanoseconds since 1970, where trace events have microseconds",
                    "divide ts and dur by 1000"),
            Other.of(
                    "FLR\\x00\\x00\\x00",
                    "a flight recording of version 0, as Oracle's JDK 7 and 8 write it",
                    "record with JDK 11 or newer"),
            Other.of("\\s*<(?:!DOCTYPE|html|svg|\\?xml)", "a page or a picture", "name the recording it was made from"),
            Other.of(
                    "go 1\\.\\d+ trace\\x00",
                    "an execution trace of Go",
                    "go tool trace -http=localhost:8080 THIS shows it; while it runs, `curl localhost:8080/jsontrace"
                            + " > trace.json` saves what can be analysed"),
            Other.of(
                    // Numbers such as the time come first in some; then the first type of sample, a name and a unit.
                    "(?:[HPX`][\\u0080-\\u00ff]*[\\x00-\\x7f])*\\x0a\\x04\\x08[\\x01-\\x7f]\\x10[\\x01-\\x7f]",
                    "a profile of pprof, as Go and gperftools write it",
                    SPEEDSCOPE),
            Other.of("gmon[\\x00-\\x03]", "a profile of gprof", RECORD),
            Other.of("memray\\x00", "a recording of memray: memory, not time", RECORD),
            Other.of(
                    "[{\\u00fb][)\\u00a9]\\x03",
                    "a profile of Python's cProfile: sums for each function, without the times of calls",
                    RECORD),
            Other.of(
                    "\\u0080[\\x02-\\x05]",
                    "a pickle of Python, as torch.cuda.memory._dump_snapshot writes it: no times of work",
                    PROFILER_TRACE),
            Other.of(
                    "(?:\\x7fELF|#!)",
                    "a program, not a recording",
                    "`inferscope run THIS` runs, records and explains it"),
            Other.named(
                    "\\.py",
                    "a program, not a recording",
                    "`inferscope run python THIS` runs, records and explains it"),
            Other.named(
                    "\\.(?:pftrace|perfetto-trace)",
                    "a trace of Perfetto",
                    "traceconv json THIS trace.json (perfetto.dev/docs) writes JSON that can be analysed"),
            Other.named(
                    "\\.ncu-rep",
                    "a report of Nsight Compute: single kernels, without the time between them",
                    "record the program with `nsys profile` or `inferscope run`"));

    private KnownNonTraces() {}

    /** Throws if a file that no importer reads is one of these. */
    public static void refuse(Path file, TraceHead head) throws ImportException {
        String text = file.getFileName() + "\n" + head.text();
        for (Other other : OTHERS) {
            Matcher matcher = other.pattern.matcher(text);
            if (matcher.find()) {
                String first = matcher.groupCount() > 0 ? matcher.group(1) : "";
                throw new ImportException(
                        file.toString(),
                        "is " + other.what.replace("%s", String.valueOf(first)),
                        remedy(other.remedy, String.valueOf(first), String.valueOf(file.getFileName())));
            }
        }
    }

    /** Returns a remedy in which what the file says, and its name, are one word each of a command. */
    private static String remedy(String remedy, String member, String name) {
        return PLACEHOLDER
                .matcher(remedy)
                .replaceAll(found -> Matcher.quoteReplacement(
                        found.group().equals("THIS") ? ShellText.file(name) : ShellText.quoted(".\"" + member + "\"")));
    }
}
