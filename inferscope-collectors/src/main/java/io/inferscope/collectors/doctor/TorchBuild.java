package io.inferscope.collectors.doctor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The platform of an installed torch, from its {@code torch/version.py}.
 *
 * @param version of torch, empty when it is not installed
 * @param cuda the CUDA version, empty when it was built without
 * @param hip the HIP version of AMD's ROCm, empty when it was built without
 */
record TorchBuild(String version, String cuda, String hip) {
    static final TorchBuild NONE = new TorchBuild("", "", "");

    static TorchBuild of(Machine machine, PythonInstallation python) {
        for (String site : python.sites()) {
            String text = machine.text(site + "/torch/version.py");
            if (!text.isEmpty()) {
                return new TorchBuild(value(text, "__version__"), value(text, "cuda"), value(text, "hip"));
            }
        }
        return NONE;
    }

    private static String value(String text, String name) {
        Matcher line = Pattern.compile("(?m)^" + name + "(?:\\s*:[^=]*)?\\s*=\\s*'([^']*)'")
                .matcher(text);
        return line.find() ? line.group(1) : "";
    }

    boolean isThere() {
        return !version.isEmpty();
    }

    String describe() {
        String device = cuda.isEmpty() ? hip.isEmpty() ? "CPU only" : "for HIP " + hip : "for CUDA " + cuda;
        return "torch " + version + " (" + device + ")";
    }
}
