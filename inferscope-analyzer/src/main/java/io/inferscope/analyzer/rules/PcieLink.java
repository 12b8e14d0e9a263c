package io.inferscope.analyzer.rules;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The highest rate of the link between host and device in one direction: lanes of 2.5 to 64 GT/s minus the line code
 * (PCI Express Base Specification: 8b/10b in 1.0 and 2.0, 128b/130b in 3.0 to 5.0, flits of 242 in 256 bytes in 6.0).
 * The driver reports generation and lanes; if they are not recorded, the device's best link by its data sheet is used,
 * with 16 lanes.
 */
final class PcieLink {
    /** Bytes a second of one lane, by generation from 1. */
    private static final double[] LANE = {
        2.5e9 / 10, 5e9 / 10, 8e9 / 8 * 128 / 130, 16e9 / 8 * 128 / 130, 32e9 / 8 * 128 / 130, 64e9 / 8 * 242 / 256
    };

    private static final double GEN3 = 16 * LANE[2];
    private static final double GEN4 = 16 * LANE[3];
    private static final double GEN5 = 16 * LANE[4];

    /** NVLink-C2C of Grace Hopper and Grace Blackwell: 900 GB/s, both directions together (NVIDIA GH200 data sheet). */
    private static final double C2C = 450e9;

    private record Row(Pattern device, double bytesPerSecond) {}

    /** The first that matches decides. */
    private static final List<Row> ROWS = List.of(
            row("\\b(GH200|GB200|GB300)\\b", C2C),
            row("\\b(H100|H200|H20|H800|B100|B200|B300|MI300X?|MI325X?|MI350X?|MI355X?|RTX PRO 6000)\\b", GEN5),
            row("\\b(A100|A800|A40|A30|A10G?|A16|A2|L40S?|L4|L20|MI210|MI250X?|RTX A\\d{4}|RTX (3|4)\\d{3})\\b", GEN4),
            row("\\b(V100|T4|P100|P40|P4|MI50|MI100|RTX 20\\d\\d)\\b", GEN3));

    private PcieLink() {}

    private static Row row(String device, double bytesPerSecond) {
        return new Row(Pattern.compile(device, Pattern.CASE_INSENSITIVE), bytesPerSecond);
    }

    /** Returns whether a device's link is not PCI Express. */
    static boolean isOther(String deviceName) {
        return bytesPerSecond(deviceName) == C2C;
    }

    /** Returns the rate of a link in one direction in bytes per second, 0 for a generation that is not known. */
    static double bytesPerSecond(int generation, int lanes) {
        return generation < 1 || generation > LANE.length ? 0 : lanes * LANE[generation - 1];
    }

    /** Returns the best rate in one direction in bytes per second, 0 for a device that is not known. */
    static double bytesPerSecond(String deviceName) {
        for (Row row : ROWS) {
            if (row.device.matcher(deviceName).find()) {
                return row.bytesPerSecond;
            }
        }
        return 0;
    }
}
