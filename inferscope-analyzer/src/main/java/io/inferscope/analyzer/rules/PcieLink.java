package io.inferscope.analyzer.rules;

import java.util.List;
import java.util.regex.Pattern;

/**
 * How fast the link between host and a device can be in one direction: 16 lanes of 8, 16 or 32 GT/s less the 128b/130b line code (PCI Express Base
 * Specification 3.0, 4.0, 5.0). Which generation a device has is in its data sheet.
 */
final class PcieLink {
    private static final double GEN3 = 16 * 8e9 * 128 / 130 / 8;
    private static final double GEN4 = 2 * GEN3;
    private static final double GEN5 = 4 * GEN3;

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

    /** Returns the rate in one direction in bytes per second, 0 for a device that is not known. */
    static double bytesPerSecond(String deviceName) {
        for (Row row : ROWS) {
            if (row.device.matcher(deviceName).find()) {
                return row.bytesPerSecond;
            }
        }
        return 0;
    }
}
