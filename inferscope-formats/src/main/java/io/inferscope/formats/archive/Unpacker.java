package io.inferscope.formats.archive;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdInputStream;
import io.inferscope.formats.common.TemporaryFolder;
import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.importer.BlockInputStream;
import io.inferscope.timeline.importer.InflationBound;
import io.inferscope.timeline.importer.RefusedInputException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * Unpacks one input file and the archives in it. All output is below the given folder and limited relative to the
 * file's size. The content before damage is unpacked.
 */
final class Unpacker {
    /** A folder of recordings has dozens. */
    private static final int MAX_FILES = 10_000;
    /** Deepest nesting: a build's artefact is a zip that may contain an archive. Deeper archives are not unpacked. */
    private static final int MAX_DEPTH = 3;

    /** Memory limit; `xz -9` needs 65 MiB. */
    private static final int XZ_MEMORY_KIB = 256 << 10;

    /** NAME_MAX of Linux. */
    private static final int MAX_NAME_BYTES = 255;
    /** PATH_MAX of Linux, with the end of the text. */
    private static final int MAX_PATH_BYTES = 4095;

    /** Types of members, POSIX.1-2017, pax, "typeflag". */
    private static final String PLAIN_FILES = "\u0000" + "07";

    private static final int BUFFER_BYTES = 1 << 16;
    private static final String LOOK_INSIDE = "if you trust it, unpack it yourself and name the recording";

    private final InflationBound readBound;
    private final InflationBound writtenBound;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final List<String> damage = new ArrayList<>();
    /** The members that are not unpacked, by the reason. */
    private final Map<String, NameList> leftAside = new LinkedHashMap<>();

    private int files;

    Unpacker(long sizeBytes) {
        readBound = new InflationBound("archive", () -> sizeBytes);
        writtenBound = new InflationBound("archive", () -> sizeBytes);
    }

    /** Returns what could not be unpacked, in words. */
    List<String> damage() {
        List<String> all = new ArrayList<>(damage);
        leftAside.forEach((why, names) -> all.add("left aside (" + why + "): " + names));
        return all;
    }

    /**
     * Unpacks a file into a folder.
     *
     * @throws RefusedInputException if the file is malicious
     * @throws IOException if nothing of it can be unpacked
     */
    void unpack(Path file, Path into) throws IOException {
        unpack(file, name(file), into, 1);
    }

    private void unpack(Path file, String name, Path into, int depth) throws IOException {
        List<Path> written = new ArrayList<>();
        try {
            unpack(file, Packing.of(file), name, into, written);
        } catch (RefusedInputException | TemporaryFolderException e) {
            throw e;
        } catch (IOException
                | MalformedInputException
                | IllegalArgumentException
                | IndexOutOfBoundsException e) { // ZstdInputStream throws all of them.
            String why = e instanceof EOFException
                    ? "it ends too early"
                    : e instanceof IOException io ? FileProblem.reason(io) : FileProblem.oneLine(e);
            if (written.isEmpty()) {
                throw new IOException("damaged, and nothing in it can be unpacked: " + why, e);
            }
            damage.add(name + " is damaged (" + why + "): the part before the damage is used");
        }
        for (Path one : written) {
            if (depth < MAX_DEPTH && Packing.isPacked(one)) {
                // A name that no member has.
                Path packed = Files.move(one, Files.createTempFile(one.getParent(), "", ""), REPLACE_EXISTING);
                try {
                    unpack(packed, name(one), Files.createDirectories(one), depth + 1);
                } catch (RefusedInputException | TemporaryFolderException e) {
                    throw e;
                } catch (IOException e) { // The other files in it can be used.
                    damage.add(name(one) + " in " + name + ": " + FileProblem.reason(e));
                } finally {
                    Files.delete(packed);
                }
            }
        }
    }

    private void unpack(Path file, Packing packing, String name, Path into, List<Path> written) throws IOException {
        if (packing == Packing.ZIP) {
            zip(file, into, written);
            return;
        }
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
                InputStream inflated = inflated(file, packing, raw)) {
            InputStream in = new BufferedInputStream(counted(inflated), BUFFER_BYTES);
            in.mark(Packing.HEAD_BYTES);
            byte[] head = in.readNBytes(Packing.HEAD_BYTES);
            in.reset();
            if (Packing.of(head) == Packing.TAR) {
                tar(in, into, written);
            } else {
                write(in, into.resolve(withoutEnding(name)), written);
            }
        }
    }

    private static InputStream inflated(Path file, Packing packing, InputStream raw) throws IOException {
        return switch (packing) {
            case GZIP -> new TraceSource(file).open();
            case ZSTD -> new ZstdInputStream(raw);
            case XZ -> new XZInputStream(raw, XZ_MEMORY_KIB);
            case BZIP2 -> new BZip2CompressorInputStream(raw, true);
            default -> raw;
        };
    }

    private void tar(InputStream in, Path into, List<Path> written) throws IOException {
        TarMembers tar = new TarMembers(in);
        for (TarArchiveEntry entry = tar.nextMember(); entry != null; entry = tar.nextMember()) {
            String name = entry.getName();
            Path place = entry.isDirectory() ? null : placed(name, into, problem(entry));
            if (place != null) {
                write(tar, place, written);
            }
        }
    }

    private static String problem(TarArchiveEntry entry) {
        if (entry.isSparse()) {
            return "sparse"; // 10 KB of archive describe a file of any size.
        }
        return PLAIN_FILES.indexOf(entry.getLinkFlag()) >= 0 ? "" : "not a plain file";
    }

    private void zip(Path file, Path into, List<Path> written) throws IOException {
        try (ZipFile zip = ZipFile.builder().setPath(file).get()) {
            Enumeration<ZipArchiveEntry> entries = zip.getEntriesInPhysicalOrder();
            while (entries.hasMoreElements()) {
                ZipArchiveEntry entry = entries.nextElement();
                Path place = entry.isDirectory() ? null : placed(entry.getName(), into, problem(zip, entry));
                if (place != null) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        write(in, place, written);
                    }
                }
            }
        }
    }

    private static String problem(ZipFile zip, ZipArchiveEntry entry) {
        if (entry.isUnixSymlink()) {
            return "not a plain file";
        }
        boolean secret = entry.getGeneralPurposeBit().usesEncryption();
        return zip.canReadEntryData(entry) ? "" : secret ? "encrypted" : "packed in an unknown way";
    }

    /** Counts inflated bytes, including those that are only skipped in an archive. */
    private InputStream counted(InputStream in) {
        return new BlockInputStream() {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int read = in.read(bytes, offset, length);
                readBound.inflated(read);
                return read;
            }
        };
    }

    /**
     * Returns where a member is written; null if it is left aside.
     *
     * @param problem why it cannot be unpacked, empty if it can
     * @throws RefusedInputException if its name leads out of the folder, an attempt to write elsewhere
     */
    private @Nullable Path placed(String name, Path into, String problem) throws RefusedInputException {
        String why = problem;
        Path place = null;
        try {
            place = into.resolve(name).normalize();
            if (Path.of(name).isAbsolute() || !place.startsWith(into)) {
                throw new RefusedInputException(
                        "refused: its file " + NameList.shortened(name)
                                + " would be written outside of the folder it is unpacked to",
                        LOOK_INSIDE);
            }
            why = why.isEmpty() ? conflict(place, into) : why;
        } catch (InvalidPathException e) {
            why = "not a name of a file";
        }
        if (!why.isEmpty()) {
            leftAside.computeIfAbsent(why, first -> new NameList()).add(name);
            return null;
        }
        return place;
    }

    /** Returns why a file cannot have its name, empty if it can. */
    private static String conflict(Path place, Path into) {
        if (place.equals(into)) {
            return "not a name of a file";
        }
        if (place.getNameCount() - into.getNameCount() - 1 > InputFiles.MAX_DEPTH) {
            return "its folder is nested too deep";
        }
        if (bytes(place) > MAX_PATH_BYTES
                || StreamSupport.stream(place.spliterator(), false).anyMatch(part -> bytes(part) > MAX_NAME_BYTES)) {
            return "the name is too long for a file";
        }
        for (Path above = place.getParent(); above != null && !above.equals(into); above = above.getParent()) {
            if (Files.isRegularFile(above)) {
                return "its folder is a file in it, too";
            }
        }
        return Files.exists(place) ? "in it twice, the first is used" : "";
    }

    private static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    private void write(InputStream in, Path place, List<Path> written) throws IOException {
        if (++files > MAX_FILES) {
            throw new RefusedInputException("refused: more than " + MAX_FILES + " files are in it", LOOK_INSIDE);
        }
        OutputStream out = opened(place);
        written.add(place);
        try (out) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                writtenBound.inflated(read);
                try {
                    out.write(buffer, 0, read);
                } catch (IOException full) {
                    throw new TemporaryFolderException(full);
                }
            }
        }
    }

    private static OutputStream opened(Path place) throws TemporaryFolderException {
        try {
            Files.createDirectories(place.getParent());
            return Files.newOutputStream(place, StandardOpenOption.CREATE_NEW);
        } catch (IOException e) {
            throw new TemporaryFolderException(e);
        }
    }

    /** Nothing is wrong with the archive. */
    private static final class TemporaryFolderException extends IOException {
        private static final long serialVersionUID = 1L;

        TemporaryFolderException(IOException cause) {
            super(TemporaryFolder.unusable(FileProblem.reason(cause), cause).getMessage(), cause);
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static String withoutEnding(String name) {
        String stem = name.substring(0, Math.max(0, name.lastIndexOf('.')));
        return stem.isBlank() || stem.matches("\\.+") ? name : stem;
    }
}
