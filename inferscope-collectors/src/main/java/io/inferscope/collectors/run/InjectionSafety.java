package io.inferscope.collectors.run;

import io.inferscope.collectors.os.OwnProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Prevents unsafe injection: of code that other users can change, and of any code into programs with other rights than
 * InferScope's.
 */
final class InjectionSafety {
    private static final int SET_USER = 04000;
    private static final int SET_GROUP = 02000;

    private InjectionSafety() {}

    /**
     * Returns why a file of the installation must not be loaded into a program: other users can write to it or to a
     * folder in its path. Empty if it is safe.
     *
     * @param home the installation's folder, which contains the file
     */
    static String problem(Path file, Path home) {
        Path top = home.toAbsolutePath().normalize();
        Path at = file.toAbsolutePath().normalize();
        try {
            for (; at != null && at.startsWith(top); at = at.getParent()) {
                if (isOpenToOthers(at)) {
                    return at + " can be written to by other users, so nothing of it is loaded into programs; "
                            + "make it yours alone: chmod go-w " + at;
                }
            }
            return "";
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /** A group named like the file's owner is private, and umask 002 is usual with it. */
    private static boolean isOpenToOthers(Path path) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class);
        Set<PosixFilePermission> granted = attributes.permissions();
        boolean ownGroup =
                attributes.group().getName().equals(attributes.owner().getName());
        return granted.contains(PosixFilePermission.OTHERS_WRITE)
                || (granted.contains(PosixFilePermission.GROUP_WRITE) && !ownGroup);
    }

    /**
     * Returns whether a program is setuid or setgid to another user or group, or has file capabilities: injected code
     * would have these rights.
     */
    static boolean hasOtherRights(Path program) {
        try {
            Map<String, Object> file = Files.readAttributes(program, "unix:mode,uid,gid");
            Map<String, Object> own = Files.readAttributes(Path.of("/proc/self"), "unix:uid,gid");
            int mode = (Integer) Objects.requireNonNull(file.get("mode"));
            boolean otherUser = (mode & SET_USER) != 0 && !Objects.equals(file.get("uid"), own.get("uid"));
            boolean otherGroup = (mode & SET_GROUP) != 0 && !Objects.equals(file.get("gid"), own.get("gid"));
            return otherUser
                    || otherGroup
                    || OwnProcess.hasCapabilities(program.toString().getBytes(NativeText.charset()));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
            return false;
        }
    }
}
