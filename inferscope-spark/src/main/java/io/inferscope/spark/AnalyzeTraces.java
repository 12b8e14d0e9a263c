package io.inferscope.spark;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.config.ConfigFile;
import io.inferscope.analyzer.config.RuleSections;
import io.inferscope.analyzer.rules.RuleSettings;
import io.inferscope.fleet.FleetBuild;
import io.inferscope.fleet.FleetInputs;
import io.inferscope.fleet.FleetTable;
import io.inferscope.fleet.Origin;
import io.inferscope.fleet.RecordingRows;
import io.inferscope.fleet.SummarySets;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Does what {@code fleet build} does on a cluster: {@code spark-submit --class io.inferscope.spark.AnalyzeTraces
 * inferscope-spark.jar IN OUT [--rules-file FILE] [--label KEY=VALUE]...}. The rows are the same, in sets of the same
 * names. The rules file is read once, where the job is started. No settings of the machines that run its tasks are read:
 * they may differ, and then so would rows of one job.
 *
 * <p>First all files are hashed. Then each task analyses recordings whose ids are known, one after the other, and
 * renames a whole set to its final name, which depends on these ids alone. A task that runs twice, after a failure or by
 * speculation, finds its set there and leaves it. A recording that cannot be explained is a row.
 *
 * <p>In object stores a folder is renamed file by file. So a set counts as there when it has all its tables; one that an
 * ended attempt left incomplete is written again.
 */
public final class AnalyzeTraces {
    private static final int SET = 64;
    private static final int MOST_TASKS = 10_000;
    private static final String UNFINISHED = "_unfinished";

    /** An attempt that ends while it renames a folder of an object store may leave it incomplete. */
    private static final int ATTEMPTS = 3;

    private AnalyzeTraces() {}

    /** A file, by its id. */
    private record Found(String id, String file) implements Serializable {}

    /**
     * What every task needs.
     *
     * @param in the folder of recordings
     * @param out the folder of sets
     * @param hadoop Hadoop's settings of the job, {@code spark.hadoop.*}
     * @param rules the text of the rules file, empty for none
     */
    private record Job(
            String in, String out, String version, Map<String, String> labels, Map<String, String> hadoop, String rules)
            implements Serializable {
        Analyzer analyzer() {
            ConfigFile file = ConfigFile.of("rules file", rules.getBytes(StandardCharsets.UTF_8));
            RuleSettings settings = RuleSections.ofRulesFile(file, RuleSettings.DEFAULT);
            if (!file.problems().isEmpty()) {
                throw new IllegalArgumentException(file.problems().get(0).toString());
            }
            return new Analyzer(settings);
        }

        Configuration configuration() {
            Configuration configuration = new Configuration();
            hadoop.forEach(configuration::set);
            return configuration;
        }

        FileSystem files(Path path) throws IOException {
            return path.getFileSystem(configuration());
        }

        /** Hashes files; those that are no recordings are left out. */
        List<Found> hash(List<String> files) throws IOException {
            List<Found> found = new ArrayList<>();
            for (String file : files) {
                try (Local local = new Local(file, this)) {
                    if (FleetInputs.isRecording(local.file)) {
                        found.add(new Found(Origin.traceId(List.of(local.file)), file));
                    }
                }
            }
            return found;
        }

        /** Analyses recordings into one set, unless that is there. */
        void analyze(List<Found> recordings) throws IOException {
            Path set = set(recordings);
            FileSystem files = files(set);
            if (isComplete(files, set)) {
                return;
            }
            files.delete(set, true);
            Analyzer analyzer = analyzer();
            List<RecordingRows> summaries = new ArrayList<>();
            for (Found found : recordings) {
                Path path = new Path(found.file);
                Origin origin = new Origin(found.id, version, path.getName(), labels(found.file));
                try (Local local = new Local(found.file, this)) {
                    summaries.add(FleetBuild.summary(local.file, origin, analyzer));
                } catch (IOException gone) {
                    summaries.add(RecordingRows.failed(origin, String.valueOf(gone.getMessage())));
                }
            }
            java.nio.file.Path own = Files.createTempDirectory("inferscope-set");
            Path unfinished =
                    new Path(new Path(out, UNFINISHED), UUID.randomUUID().toString());
            try {
                new SummarySets(own).write(summaries);
                files.mkdirs(unfinished.getParent());
                files.copyFromLocalFile(
                        false, true, new Path(own.resolve(set.getName()).toUri()), unfinished);
                FileContext.getFileContext(set.toUri(), configuration()).rename(unfinished, set, Options.Rename.NONE);
            } catch (FileAlreadyExistsException done) {
                // Another attempt of this task was faster, and its set is the same.
            } finally {
                files.delete(unfinished, true);
                delete(own);
            }
        }

        Path set(List<Found> recordings) {
            return new Path(
                    out, SummarySets.name(recordings.stream().map(Found::id).toList()));
        }

        private Map<String, String> labels(String file) {
            String below = file.startsWith(in) ? file.substring(in.length()) : file;
            return new FleetInputs(labels).labelsOf(java.nio.file.Path.of(below.replaceFirst("^/+", "")));
        }
    }

    /** A file on this machine: itself, or a copy that is deleted. */
    private static final class Local implements AutoCloseable {
        private final java.nio.file.Path file;
        private final java.nio.file.Path folder;

        Local(String name, Job job) throws IOException {
            Path path = new Path(name);
            FileSystem files = job.files(path);
            if (files.getScheme().equals("file")) {
                folder = java.nio.file.Path.of("");
                file = java.nio.file.Path.of(path.toUri().getPath());
                if (!Files.exists(file)) {
                    throw new FileNotFoundException(name);
                }
            } else {
                folder = Files.createTempDirectory("inferscope-trace");
                file = folder.resolve(path.getName());
                files.copyToLocalFile(false, path, new Path(file.toUri()), true);
            }
        }

        @Override
        public void close() throws IOException {
            if (!folder.toString().isEmpty()) {
                delete(folder);
            }
        }
    }

    /** Runs the job. Arguments: the folder of recordings, the folder of sets, and labels. */
    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            System.err.println("usage: AnalyzeTraces IN OUT [--rules-file FILE] [--label KEY=VALUE]...");
            System.exit(2);
        }
        List<String> labels = new ArrayList<>();
        String rules = "";
        for (int i = 2; i + 1 < args.length; i += 2) {
            if (args[i].equals("--rules-file")) {
                rules = Files.readString(java.nio.file.Path.of(args[i + 1]));
            } else {
                labels.add(args[i + 1]);
            }
        }
        String version = AnalyzeTraces.class.getPackage().getImplementationVersion();
        try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("InferScope"))) {
            Map<String, String> hadoop = new TreeMap<>();
            for (Tuple2<String, String> one : spark.getConf().getAllWithPrefix("spark.hadoop.")) {
                hadoop.put(one._1, one._2);
            }
            Job job = new Job(
                    args[0],
                    args[1],
                    version == null ? "development" : version,
                    new TreeMap<>(Origin.labels(labels)),
                    hadoop,
                    rules);
            job.analyzer(); // Mistakes end the job before any task.
            Path in = new Path(args[0]);
            String root = job.files(in).makeQualified(in).toString();
            run(spark, new Job(root, job.out, job.version, job.labels, hadoop, rules));
        }
    }

    private static void run(JavaSparkContext spark, Job job) throws IOException {
        List<List<String>> hashed = parts(files(job));
        List<Found> found = new ArrayList<>(spark.parallelize(hashed, tasks(hashed))
                .flatMap(files -> job.hash(files).iterator())
                .collect());
        found.sort((a, b) -> (a.id + a.file).compareTo(b.id + b.file));
        Set<String> known = known(job);
        int before = known.size();
        List<Found> left = found.stream().filter(one -> known.add(one.id)).toList();
        List<List<Found>> sets = parts(left);
        List<List<Found>> rest = sets;
        for (int attempt = 0; attempt < ATTEMPTS && !rest.isEmpty(); attempt++) {
            spark.parallelize(rest, tasks(rest)).foreach(job::analyze);
            List<List<Found>> incomplete = new ArrayList<>();
            for (List<Found> set : rest) {
                if (!isComplete(job.files(job.set(set)), job.set(set))) {
                    incomplete.add(set);
                }
            }
            rest = incomplete;
        }
        if (!rest.isEmpty()) {
            throw new IOException(rest.size() + " sets in " + job.out + " are incomplete; start the job again");
        }
        Path unfinished = new Path(job.out, UNFINISHED);
        job.files(unfinished).delete(unfinished, true); // Of attempts that were killed.
        System.out.println(left.size() + " recordings analysed, " + before + " were known, "
                + (found.size() - left.size()) + " files had rows or were copies");
    }

    private static <T> List<List<T>> parts(List<T> all) {
        List<List<T>> parts = new ArrayList<>();
        for (int i = 0; i < all.size(); i += SET) {
            parts.add(new ArrayList<>(all.subList(i, Math.min(all.size(), i + SET))));
        }
        return parts;
    }

    private static int tasks(List<?> parts) {
        return Math.max(1, Math.min(MOST_TASKS, parts.size()));
    }

    private static List<String> files(Job job) throws IOException {
        Path root = new Path(job.in);
        List<String> files = new ArrayList<>();
        RemoteIterator<LocatedFileStatus> all = job.files(root).listFiles(root, true);
        while (all.hasNext()) {
            LocatedFileStatus file = all.next();
            if (file.getLen() > 0 && !file.getPath().getName().startsWith(".")) {
                files.add(file.getPath().toString());
            }
        }
        Collections.sort(files);
        return files;
    }

    /** Returns the ids of the recordings in the folder of sets. */
    private static Set<String> known(Job job) throws IOException {
        Set<String> ids = new HashSet<>();
        Path sets = new Path(job.out, SummarySets.SETS);
        FileSystem files = job.files(sets);
        String table = file(FleetTable.TRACE);
        for (FileStatus set : files.globStatus(sets)) {
            if (!isComplete(files, set.getPath())) {
                continue;
            }
            java.nio.file.Path folder = Files.createTempDirectory("inferscope-known");
            java.nio.file.Path local =
                    Files.createDirectory(folder.resolve(set.getPath().getName()));
            files.copyToLocalFile(
                    false,
                    new Path(set.getPath(), table),
                    new Path(local.resolve(table).toUri()),
                    true);
            new SummarySets(folder).read(FleetTable.TRACE, "trace_id", row -> ids.add(String.valueOf(row.get(0))));
            delete(folder);
        }
        return ids;
    }

    private static boolean isComplete(FileSystem files, Path set) throws IOException {
        Set<String> missing = new HashSet<>();
        for (FleetTable table : FleetTable.values()) {
            missing.add(file(table));
        }
        try {
            for (FileStatus file : files.listStatus(set)) {
                missing.remove(file.getPath().getName());
            }
        } catch (FileNotFoundException absent) {
            return false;
        }
        return missing.isEmpty();
    }

    private static String file(FleetTable table) {
        return table.id() + ".parquet";
    }

    private static void delete(java.nio.file.Path folder) throws IOException {
        try (Stream<java.nio.file.Path> files = Files.walk(folder)) {
            java.nio.file.Path[] all = files.toArray(java.nio.file.Path[]::new);
            for (int i = all.length - 1; i >= 0; i--) {
                Files.deleteIfExists(all[i]);
            }
        }
    }
}
