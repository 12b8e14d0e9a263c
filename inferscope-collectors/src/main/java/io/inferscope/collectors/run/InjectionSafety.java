package io.inferscope.collectors.run;

import io.inferscope.collectors.os.OwnProcess;
import io.inferscope.timeline.files.WholeFile;
import io.inferscope.timeline.text.ShellText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

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
                if (WholeFile.isOpenToOthers(at)) {
                    return at + " can be written to by other users, so nothing of it is loaded into programs; "
                            + "make it yours alone: chmod go-w " + ShellText.quoted(at.toString());
                }
            }
            return "";
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
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
