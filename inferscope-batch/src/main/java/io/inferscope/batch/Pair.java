package io.inferscope.batch;

import java.nio.file.Path;

/**
 * One model, one mode and one tracer. Each pair is traced by a process of its own.
 *
 * @param model the model
 * @param mode {@code eval} or {@code train}
 * @param tracer the tracer
 */
public record Pair(ModelRef model, String mode, TracerInfo tracer) {
    /** Returns its folder: {@code <output>/<model>/<mode>/<tracer>}. */
    public Path folder(Path output) {
        return parent(output).resolve(tracer.name());
    }

    Path parent(Path output) {
        return output.resolve(model.folder()).resolve(mode);
    }

    /** Returns a path in the same parent folder whose name cannot be that of a result folder. */
    Path beside(Path output, String ending) {
        return parent(output).resolve("." + tracer.name() + ending);
    }

    Path lockFile(Path output) {
        return output.resolve(".locks").resolve(model.folder() + "__" + mode + "__" + tracer.name() + ".lock");
    }

    @Override
    public String toString() {
        return model.folder() + " " + mode + " " + tracer.name();
    }
}
