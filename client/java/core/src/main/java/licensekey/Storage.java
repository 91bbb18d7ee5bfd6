package licensekey;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a few small texts, each with a name. Every method may throw an exception, or take too long; the client then continues without the
 * storage. The client calls the methods from several threads. {@link FileStorage} is the usual storage.
 */
public interface Storage {
    /** Returns the text with that name; null if there is none. */
    @Nullable String get(String name) throws IOException;

    /** Stores a text, completely or not at all. */
    void set(String name, String text) throws IOException;

    /** Deletes the text with that name, if there is one. */
    void remove(String name) throws IOException;

    /**
     * Waits for the lock with that name, which only one process and thread at a time may hold. The result releases the lock; it may be
     * closed by another thread.
     */
    Closeable lock(String name) throws IOException;

    /** Returns a storage in memory. Its content is lost when the process ends. */
    static Storage inMemory() {
        return new Memory();
    }

    /** The storage of {@link #inMemory}. */
    class Memory implements Storage {
        private final Map<String, String> texts = new ConcurrentHashMap<>();
        private final Map<String, Semaphore> locks = new ConcurrentHashMap<>();

        /** Creates an empty storage. */
        protected Memory() {}

        @Override
        public @Nullable String get(String name) throws IOException {
            return texts.get(name);
        }

        @Override
        public void set(String name, String text) throws IOException {
            texts.put(name, text);
        }

        @Override
        public void remove(String name) throws IOException {
            texts.remove(name);
        }

        @Override
        public Closeable lock(String name) throws IOException {
            // A thread other than the one that took the lock may release it.
            var lock = locks.computeIfAbsent(name, key -> new Semaphore(1));
            lock.acquireUninterruptibly();
            return lock::release;
        }
    }
}
