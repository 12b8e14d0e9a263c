package io.inferscope.collectors.doctor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The state of NVIDIA's driver, from the kernel and the file system. Formats: the driver's README, "The /proc
 * Interface"; MIG's capabilities: the MIG user guide, "Device Nodes and Capabilities".
 *
 * @param version of the kernel module, such as {@code 570.86.15}; empty when none is loaded
 * @param models the GPUs that the module knows, in the order of their bus addresses
 * @param nodes the GPUs' device files, such as {@code /dev/nvidia0}
 * @param closed the device files that this user may not open
 * @param onBus NVIDIA display controllers and accelerators on the PCI bus
 * @param library path of libcuda.so.1, empty if not found
 * @param countersForAdmin whether hardware counters are for the administrator alone
 * @param migInstances number of MIG (Multi-Instance GPU) instances
 * @param wsl whether this is the Windows Subsystem for Linux
 */
record NvidiaDriver(
        String version,
        List<String> models,
        List<String> nodes,
        List<String> closed,
        int onBus,
        String library,
        boolean countersForAdmin,
        int migInstances,
        boolean wsl) {
    private static final String PROC = "/proc/driver/nvidia";
    private static final Pattern VERSION = Pattern.compile("(?m)^NVRM version:.*?\\s(\\d{3,}\\.\\d+(?:\\.\\d+)?)\\s");
    private static final Pattern MODEL = Pattern.compile("(?m)^Model:[ \\t]*+(\\S.*)$");
    private static final Pattern ADMIN_ONLY = Pattern.compile("(?m)^RmProfilingAdminOnly:\\s*1\\s*$");

    /** A virtual GPU's name ends with its profile: memory in GB and series (vGPU user guide, "Virtual GPU types"). */
    private static final Pattern VIRTUAL = Pattern.compile(".*-\\d+[ABCQ]|GRID .*");

    static final String BUS = "/sys/bus/pci/devices";
    static final String NVIDIA = "0x10de"; // PCI vendors: pci.ids
    static final String AMD = "0x1002";
    private static final List<String> SHARED_NODES = List.of("/dev/nvidiactl", "/dev/nvidia-uvm");

    static NvidiaDriver of(Machine machine) {
        List<String> nodes = new ArrayList<>();
        machine.list("/dev").stream()
                .filter(name -> name.matches("nvidia\\d+"))
                .forEach(name -> nodes.add("/dev/" + name));
        List<String> closed = new ArrayList<>(nodes);
        SHARED_NODES.stream().filter(machine::exists).forEach(closed::add);
        closed.removeIf(machine::isOpen);
        Matcher version = VERSION.matcher(machine.text(PROC + "/version"));
        return new NvidiaDriver(
                version.find() ? version.group(1) : "",
                models(machine),
                List.copyOf(nodes),
                List.copyOf(closed),
                onBus(machine, NVIDIA),
                Libraries.find(machine, "libcuda.so.1"),
                ADMIN_ONLY.matcher(machine.text(PROC + "/params")).find(),
                migInstances(machine),
                machine.exists("/dev/dxg"));
    }

    private static List<String> models(Machine machine) {
        return machine.list(PROC + "/gpus").stream()
                .map(address -> MODEL.matcher(machine.text(PROC + "/gpus/" + address + "/information")))
                .filter(Matcher::find)
                .map(model -> model.group(1).strip())
                .toList();
    }

    private static int migInstances(Machine machine) {
        return (int) machine.list(PROC + "/capabilities").stream()
                .flatMap(gpu -> machine.list(PROC + "/capabilities/" + gpu + "/mig").stream())
                .filter(name -> name.matches("gi\\d+"))
                .count();
    }

    /** Returns how many GPUs of a vendor are on the bus: base classes 03 (display) and 12 (processing accelerator). */
    static int onBus(Machine machine, String vendor) {
        return (int) machine.list(BUS).stream()
                .map(address -> BUS + "/" + address)
                .filter(folder -> machine.text(folder + "/vendor").strip().equals(vendor))
                .filter(folder -> machine.text(folder + "/class").matches("0x(03|12)[0-9a-f]{4}\\s*"))
                .count();
    }

    /** Returns the driver's branch, such as 570, 0 when there is no driver. */
    int branch() {
        return version.isEmpty() ? 0 : Integer.parseInt(version.substring(0, version.indexOf('.')));
    }

    /** Returns whether this machine has anything of NVIDIA's. */
    boolean isAnything() {
        return !version.isEmpty() || !nodes.isEmpty() || onBus > 0 || (wsl && !library.isEmpty());
    }

    boolean hasDevice() {
        return !nodes.isEmpty() || (wsl && !library.isEmpty());
    }

    boolean isVirtual() {
        return models.stream().anyMatch(model -> VIRTUAL.matcher(model).matches());
    }

    /** Returns a short list of the GPUs: {@code 2 x NVIDIA H100 80GB HBM3}. */
    String devices() {
        if (models.isEmpty()) {
            int count = Math.max(nodes.size(), onBus);
            return wsl ? "the GPU of Windows" : count + (count == 1 ? " NVIDIA GPU" : " NVIDIA GPUs");
        }
        return counted(models);
    }

    /** Returns how often there is each of some GPUs, in the order of the first ones. */
    static String counted(List<String> gpus) {
        return gpus.stream()
                .distinct()
                .map(gpu -> Map.entry(gpu, Collections.frequency(gpus, gpu)))
                .map(gpu -> gpu.getValue() == 1 ? gpu.getKey() : gpu.getValue() + " x " + gpu.getKey())
                .collect(Collectors.joining(", "));
    }
}
