package io.inferscope.collectors.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A machine made of the files that a text lists: {@code == PATH} begins a file, whose lines follow; {@code == PATH -> TARGET} is a
 * link, {@code == PATH/} a folder, {@code == PATH *} a program, {@code $ NAME=VALUE} a variable. Resources in machines/ are such texts.
 */
final class MachineFixture implements SystemCallProbes {
    private static final String HOOKS = """
            module\tpath\trecords\tversions
            vllm.v1.engine.core\tEngineCore.step\tvllm.step\t0.10.1
            vllm.v1.engine.processor\tProcessor.process\tvllm.inputs\t0.9.0
            vllm.v1.engine.input\tInput.process\tvllm.inputs\t
            vllm.v1.engine.detokenizer\tDetokenizer.update\tvllm.detokenize\t0.10.1
            jax._src.compiler\tcompile\tcompile\t
            """;

    private final Path root;
    private final Map<String, String> environment = new HashMap<>(Map.of("PATH", "/usr/local/bin:/usr/bin"));
    int memoryError;
    int perfError;

    MachineFixture(Path root) {
        this.root = root;
    }

    /** Adds the files of a resource. */
    MachineFixture recorded(String name) {
        try (var in = MachineFixture.class.getResourceAsStream("/machines/" + name + ".txt")) {
            return with(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds the files of a text. */
    MachineFixture with(String text) {
        String[] parts = text.split("(?m)^== ", -1);
        Arrays.stream(parts[0].split("\n", -1))
                .filter(line -> line.startsWith("$ "))
                .forEach(line -> {
                    String[] pair = line.substring(2).split("=", 2);
                    environment.put(pair[0], pair[1]);
                });
        Arrays.stream(parts).skip(1).forEach(this::add);
        return this;
    }

    private void add(String part) {
        int end = part.indexOf('\n');
        String head = end < 0 ? part : part.substring(0, end);
        String content = end < 0 ? "" : part.substring(end + 1);
        String[] link = head.split(" -> ", 2);
        boolean program = link[0].endsWith(" *");
        Path file = root.resolve(link[0].replace(" *", "").substring(1));
        try {
            if (link[0].endsWith("/")) {
                Files.createDirectories(file);
                return;
            }
            Files.createDirectories(file.getParent());
            if (link.length > 1) {
                Files.createSymbolicLink(file, Path.of(link[1]));
                return;
            }
            Files.deleteIfExists(file);
            Files.writeString(file, content);
            if (program) {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts a file of this machine in the place of another, and keeps that one's permissions. */
    MachineFixture copied(Path file, String path) throws IOException {
        Path at = root.resolve(machine().real(path).substring(1));
        Files.createDirectories(at.getParent());
        Files.write(
                at,
                Files.readAllBytes(file),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        return this;
    }

    /** Takes a file away. */
    MachineFixture without(String path) {
        try {
            Files.delete(root.resolve(path.substring(1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    Machine machine() {
        return new Machine(root, environment, this);
    }

    /** Returns what the doctor says of a command on this machine. */
    Doctor.Result examine(String... command) {
        Doctor.Place place = new Doctor.Place("/opt/inferscope/agent.so", true, HOOKS, "/home/a/outputs", 100 << 20);
        return new Doctor(machine(), List.of(command), Path.of("/home/a"), place).examine();
    }

    /** Returns what the doctor says of one collector. */
    CollectorCheck check(String id, String... command) {
        return examine(command).checks().stream()
                .filter(check -> check.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public int readMemory() {
        return memoryError;
    }

    @Override
    public int openPerfEvent() {
        return perfError;
    }
}
