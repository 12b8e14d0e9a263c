import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** Threads, a child, signals, properties, a deep recursion, hooks at the end: Program NAME [ARGUMENT...]. */
final class Program {
    private Program() {}

    public static void main(String[] words) throws Exception {
        switch (words[0]) {
            case "work":
                System.out.println(LongStream.range(0, 3_000_000).parallel().map(n -> n * n % 7).sum());
                Thread daemon = new Thread(() -> { while (true) { Thread.onSpinWait(); } });
                daemon.setDaemon(true);
                daemon.start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
                Process child = new ProcessBuilder("sh", words[1]).inheritIO().start();
                System.out.println(child.waitFor());
                System.exit(300);
                break;
            case "state":
                Map<String, String> all = new TreeMap<>(System.getenv());
                all.forEach((name, value) -> System.out.println(name + "=" + value));
                System.out.println(System.getProperty("user.dir") + System.getProperty("a"));
                System.out.println(java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments());
                Thread.sleep(1500);
                break;
            case "throws":
                Thread other = new Thread(() -> { throw new IllegalStateException("thread"); }, "other");
                other.start();
                other.join();
                throw new IllegalArgumentException("main");
            case "deep":
                try {
                    deep(0);
                } catch (StackOverflowError expected) {
                    System.out.println("overflow");
                }
                break;
            case "input":
                System.out.println(new String(System.in.readAllBytes(), "UTF-8"));
                break;
            default:
                System.exit(99);
        }
    }

    private static int deep(int n) {
        return deep(n + 1) + 1;
    }
}
