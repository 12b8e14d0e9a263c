package io.inferscope.cli.run;

import io.inferscope.collectors.os.ThreadEnd;
import java.io.IOException;
import java.io.InputStream;

/** Ends a view at the key q, as other viewers do. */
final class QuitKey implements AutoCloseable {
    private static final long MOST_MS = 1_000;

    private final InputStream keys;
    private final Runnable quit;
    private final Thread thread = new Thread(this::run, "inferscope-keys");
    private volatile boolean over;

    /**
     * Starts to listen.
     *
     * @param keys returns -1 if no key was pressed for a while
     * @param quit called once, on another thread
     */
    QuitKey(InputStream keys, Runnable quit) {
        this.keys = keys;
        this.quit = quit;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!over) {
                int key = keys.read();
                if (key == 'q' || key == 'Q') {
                    quit.run();
                    return;
                }
            }
        } catch (IOException gone) { // The terminal was closed; SIGHUP ends the view.
            over = true;
        }
    }

    /** Stops listening and restores the terminal's mode. */
    @Override
    public void close() {
        over = true;
        ThreadEnd.awaitEnd(thread, MOST_MS);
        try {
            keys.close();
        } catch (IOException gone) {
            over = true; // The terminal no longer exists.
        }
    }
}
