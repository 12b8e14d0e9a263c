package io.inferscope.formats.archive;

import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdInputStream;
import io.inferscope.formats.common.TemporaryFolder;
import io.inferscope.timeline.FileProblem;
import io.inferscope.timeline.importer.BlockInputStream;
import io.inferscope.timeline.importer.InflationBound;
import io.inferscope.timeline.importer.RefusedInputException;
import io.inferscope.timeline.importer.TraceSource;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
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

    private static final int BUFFER_BYTES = 1 << 16;
    private static final String LOOK_INSIDE = "if you trust it, unpack it yourself and name the recording";

    private final InflationBound bound;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final List<String> damage = new ArrayList<>();
    private int files;

    Unpacker(long sizeBytes) {
        bound = new InflationBound("archive", () -> sizeBytes);
    }

    /** Returns what could not be unpacked, in words. */
    List<String> damage() {
        return damage;
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
                Path packed = Files.move(one, one.resolveSibling(name(one) + ".packed"));
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
        TarArchiveInputStream tar = new TarArchiveInputStream(in);
        for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
            Path place = place(entry.getName(), into);
            if (entry.isFile() && !entry.isLink() && !entry.isSymbolicLink() && tar.canReadEntryData(entry)) {
                write(tar, place, written);
            } else if (!entry.isDirectory()) {
                damage.add(entry.getName() + " is skipped: it is not a plain file");
            }
        }
    }

    private void zip(Path file, Path into, List<Path> written) throws IOException {
        try (ZipFile zip = ZipFile.builder().setPath(file).get()) {
            Enumeration<ZipArchiveEntry> entries = zip.getEntriesInPhysicalOrder();
            while (entries.hasMoreElements()) {
                ZipArchiveEntry entry = entries.nextElement();
                Path place = place(entry.getName(), into);
                if (entry.isDirectory()) {
                    continue;
                }
                if (entry.isUnixSymlink() || !zip.canReadEntryData(entry)) {
                    boolean secret = entry.getGeneralPurposeBit().usesEncryption();
                    damage.add(entry.getName() + " is left aside: "
                            + (secret ? "it is encrypted" : "it is packed in an unknown way"));
                    continue;
                }
                try (InputStream in = zip.getInputStream(entry)) {
                    write(counted(in), place, written);
                }
            }
        }
    }

    /** Counts inflated bytes, including those that are only skipped in an archive. */
    private InputStream counted(InputStream in) {
        return new BlockInputStream() {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int read = in.read(bytes, offset, length);
                bound.inflated(read);
                return read;
            }
        };
    }

    /**
     * Returns where a file of an archive is written. Only names below the folder are accepted; others are attempts to
     * write elsewhere.
     */
    private static Path place(String name, Path into) throws RefusedInputException {
        try {
            Path place = into.resolve(name).normalize();
            if (!Path.of(name).isAbsolute() && place.startsWith(into)) {
                return place;
            }
        } catch (InvalidPathException noName) {
            // Refused, too.
        }
        throw new RefusedInputException(
                "refused: its file " + name + " would be written outside of the folder it is unpacked to", LOOK_INSIDE);
    }

    private void write(InputStream in, Path place, List<Path> written) throws IOException {
        if (++files > MAX_FILES) {
            throw new RefusedInputException("refused: more than " + MAX_FILES + " files are in it", LOOK_INSIDE);
        }
        if (Files.exists(place)) {
            damage.add(name(place) + " is in it twice: the first one is used");
            return;
        }
        OutputStream out = opened(place);
        written.add(place);
        try (out) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
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
            return Files.newOutputStream(place, java.nio.file.StandardOpenOption.CREATE_NEW);
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
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(0, dot) : name + ".unpacked";
    }
}
