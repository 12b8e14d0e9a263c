package io.inferscope.cli.run;

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
     * @param keys returns -1 where no key has come for a while
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
        } catch (IOException gone) { // A terminal that was closed has no keys; SIGHUP ends the view.
            over = true;
        }
    }

    /** Stops listening and gives the keys back. */
    @Override
    public void close() {
        over = true;
        try {
            thread.join(MOST_MS);
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
        try {
            keys.close();
        } catch (IOException gone) {
            over = true; // A terminal that is gone needs no mode.
        }
    }
}
