package io.inferscope.collectors.run;

import io.inferscope.collectors.host.HostSampler;
import io.inferscope.collectors.jvm.FlightRecordings;
import io.inferscope.collectors.jvm.RecordingPlan;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Makes the JVMs of a run record themselves. Fails open: a run without flight recordings is still a run. */
final class JvmRecording {
    /**
     * Read by the launcher {@code java}, from JDK 9 on. JAVA_TOOL_OPTIONS would reach every JVM, but make each print a
     * message.
     */
    private static final String VARIABLE = "JDK_JAVA_OPTIONS";

    private final CaptureOptions options;
    private final RecordingPlan plan;
    private String failure = "";
    private @Nullable FlightRecordings recordings;

    JvmRecording(CaptureOptions options) {
        this.options = options;
        plan = new RecordingPlan(options.spoolDirectory(), options.maxSpoolBytes(), 0, true);
    }

    /** Sets the options that make the launcher record from the start, if requested. */
    void prepare(ChildEnvironment environment) {
        if (options.jfr() != JfrMode.START) {
            return;
        }
        try {
            String old = environment.text(VARIABLE, NativeText.charset());
            String all = plan.startOptions() + (old.isEmpty() ? "" : " " + old);
            environment.set(VARIABLE, all.getBytes(NativeText.charset()));
        } catch (IOException | IllegalArgumentException e) {
            failure = "flight recordings cannot begin with the JVM: " + e.getMessage();
        }
    }

    void watch(@Nullable HostSampler sampler) {
        if (sampler != null && options.jfr() != JfrMode.OFF) {
            try {
                recordings = new FlightRecordings(sampler.processes(), plan);
            } catch (OutOfMemoryError e) { // Of threads.
                failure = "no flight recordings: " + e.getMessage();
            }
        }
    }

    void finish(SpoolWriter writer) {
        if (recordings != null) {
            recordings.stop(writer);
        }
        if (!failure.isEmpty()) {
            writer.write(new SpoolRecord.Coverage("jfr:start", failure, 0, 1, 0, 2));
        }
    }
}
