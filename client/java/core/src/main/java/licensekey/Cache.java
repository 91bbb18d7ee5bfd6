package licensekey;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the record and this device's random id in the app's storage. Processes with the same storage see each other's changes. While the
 * storage can't be read or written, the client uses its copy of the record in memory. This copy is written as soon as the storage works.
 */
final class Cache {
    /**
     * Maximum number of attempts to store a text. On Windows a virus scanner may keep a file open for some time, so that the file can't be
     * replaced. With the default pause the attempts take about a second.
     */
    private static final int WRITE_ATTEMPTS = 5;

    private final Storage storage;
    private final String name;
    private final String deviceName;
    private final String queueName;
    private final Duration timeout;
    private final Duration pause;
    private final BiConsumer<String, Throwable> warn;
    private final Waiting waiting = new Waiting();
    /**
     * Locked while a change is written to the storage. If the storage takes longer than the time limit, the lock stays locked until the
     * storage has finished, and later changes wait for it.
     */
    private final ReentrantLock changing = new ReentrantLock();

    // The following fields are protected by the monitor of this object, which is never held during an access to the storage.
    private StoredRecord current = StoredRecord.EMPTY;
    /** The stored text that was last read or written; null before the first access. */
    private @Nullable String known;
    /** True while memory is newer than the storage: a write is in progress, or has failed. */
    private boolean isAhead;
    /** True if the last attempt to write the record in memory has failed. */
    private boolean hasFailed;
    /** The random id, after it was read or created. */
    private @Nullable String deviceId;

    /**
     * Creates a cache without accessing the storage.
     *
     * @param timeout maximum time for one access
     * @param pause pause between two attempts to store a text
     */
    Cache(Storage storage, String name, Duration timeout, Duration pause, BiConsumer<String, Throwable> warn) {
        this.storage = storage;
        this.name = name;
        this.deviceName = name + ".device";
        this.queueName = name + ".queue";
        this.timeout = timeout;
        this.pause = pause;
        this.warn = warn;
    }

    /** Returns the record. If it can't be read, the copy of this process is used; null if this process has never read the record. */
    @Nullable StoredRecord load() {
        if (!isKnown() || !changing.isLocked()) {
            var text = attempt("The license cache was not read", () -> read(name));
            if (text != null) {
                adopt(text);
                settle();
            }
        }
        synchronized (this) {
            return known == null ? null : current;
        }
    }

    /** False while the last change is only in memory, because it could not be written. */
    synchronized boolean isStored() {
        return !(isAhead && hasFailed);
    }

    /**
     * Computes a new record from the current one, atomically across processes. This process uses the new record even if it can't be stored.
     *
     * @param make returns null if the record must stay unchanged, because it contains another activation than expected
     * @return the new record; null if nothing was changed, because {@code make} returned null, or because this process has never read the
     *     record
     */
    @Nullable StoredRecord change(Change make) {
        var decision = new Decision(make);
        update(decision::take, WRITE_ATTEMPTS);
        // If the storage has failed or takes too long, the change is made in memory.
        if (isKnown()) decision.take();
        return decision.made;
    }

    /** Computes a changed record; null if it stays unchanged. */
    interface Change {
        @Nullable StoredRecord of(StoredRecord current);
    }

    /** A change that is made once: in the storage's thread, or, if that takes too long, in the caller's thread. */
    private final class Decision {
        private final Change make;
        private boolean isTaken;
        private volatile @Nullable StoredRecord made;

        Decision(Change make) {
            this.make = make;
        }

        void take() {
            synchronized (Cache.this) {
                if (isTaken) return;
                isTaken = true;
                made = make.of(current);
                if (made != null) {
                    isAhead = true;
                    current = made;
                }
            }
        }
    }

    /**
     * Runs a task with the lock that keeps two processes from taking or freeing seats ({@code seat}), or from sending stored amounts
     * ({@code sending}), at the same time. If the lock can't be taken in time, or if {@code waiting} is ended, the task runs without it. This is
     * safe, because every change of the record checks the expected activation, and the service counts each amount once.
     */
    <T> T exclusively(String what, Waiting waiting, Supplier<T> task) {
        Closeable lock = null;
        try {
            // The maximum wait is the time that two requests of another process may take, each with two attempts.
            lock = waiting.within(timeout.multipliedBy(5), () -> storage.lock(name + "." + what), this::release);
        } catch (Waiting.EndedException closed) {
            // The client is being closed, and its requests have ended.
        } catch (Exception error) {
            warn.accept("The license cache was not locked", error);
        }
        try {
            return task.get();
        } finally {
            if (lock != null) release(lock);
        }
    }

    private void release(Closeable lock) {
        try {
            lock.close();
        } catch (IOException error) {
            warn.accept("The license cache was not unlocked", error);
        }
    }

    /** Returns the text of the queue of amounts, which is empty if there is none; null if it can't be read. */
    @Nullable String queueText() {
        return attempt("The queue of amounts was not read", () -> read(queueName));
    }

    /**
     * Replaces the text of the queue of amounts, atomically across processes.
     *
     * @param make returns the new text; null if the text must stay unchanged
     * @return whether the text was replaced
     */
    boolean changeQueueText(Function<String, @Nullable String> make) {
        var isStored = attempt("The queue of amounts was not written", () -> {
            try (var lock = storage.lock(queueName)) {
                var text = make.apply(read(queueName));
                if (text != null) store(queueName, text, WRITE_ATTEMPTS);
                return text != null;
            }
        });
        return Boolean.TRUE.equals(isStored);
    }

    /** If the last write failed, tries to write once more. */
    void settle() {
        boolean mustWrite;
        synchronized (this) {
            mustWrite = isAhead;
        }
        if (mustWrite) update(() -> {}, 1);
    }

    /**
     * Returns the random id of this device, which is created once.
     *
     * @throws Exception if a stored id may exist but can't be read, or if a new id can't be stored
     */
    String randomId() throws Exception {
        synchronized (this) {
            if (deviceId != null) return deviceId;
        }
        var found = waiting.within(timeout, this::findDeviceId);
        synchronized (this) {
            deviceId = found;
        }
        return found;
    }

    private String findDeviceId() throws Exception {
        try (var lock = storage.lock(deviceName)) {
            var kept = read(deviceName);
            if (!Texts.isDeviceId(kept)) {
                store(deviceName, Texts.randomId(), WRITE_ATTEMPTS);
                kept = read(deviceName);
            }
            if (!Texts.isDeviceId(kept)) throw new IOException("the id was not stored");
            return kept;
        }
    }

    /** Deletes everything that is stored, if the record's key is still the expected one. Returns whether it was deleted. */
    boolean clear(StoredRecord expected) {
        var hasOtherKey = new boolean[1];
        var isDecided = new boolean[1];
        update(() -> {
            synchronized (this) {
                isDecided[0] = true;
                hasOtherKey[0] = !Objects.equals(current.key(), expected.key());
            }
            if (!hasOtherKey[0]) remove();
        }, 1);
        // A record that can't be read is deleted as well.
        if (!isDecided[0]) attempt("The license cache was not deleted", () -> {
            remove();
            return true;
        });
        return !hasOtherKey[0];
    }

    private void remove() {
        synchronized (this) {
            current = StoredRecord.EMPTY;
            isAhead = false;
            deviceId = null;
            if (known != null) known = "";
        }
        for (var each : List.of(name, deviceName, queueName))
            try {
                storage.remove(each);
            } catch (Exception error) {
                warn.accept("The license cache was not deleted", error);
            }
    }

    private synchronized boolean isKnown() {
        return known != null;
    }

    private String read(String each) throws IOException {
        var text = storage.get(each);
        return text == null ? "" : text;
    }

    /**
     * Replaces the record in memory with the text that was read from the storage. There is one exception: if the stored text is unchanged,
     * and the record in memory contains changes that are not stored yet, the record in memory stays. If an activation was only in memory,
     * and another process has stored another key in the meantime, the seat of the first key must be freed.
     */
    private synchronized void adopt(String text) {
        if (isAhead && text.equals(known)) return;
        var stored = StoredRecord.parse(text);
        var lost = isAhead && current.token() != null ? current.key() : null;
        isAhead = lost != null && !Texts.isSameKey(stored.key(), lost);
        known = text;
        current = isAhead ? stored.withRelease(stored.releaseWith(lost, stored.key())) : stored;
    }

    /** Reads the record, calls {@code decide}, which may change it, and writes the changed record. This is atomic across processes. */
    private void update(Runnable decide, int attempts) {
        var isWritten = attempt("The license cache was not written", () -> {
            changing.lock();
            try (var lock = storage.lock(name)) {
                adopt(read(name));
                decide.run();
                write(attempts);
                return true;
            } finally {
                changing.unlock();
            }
        });
        if (isWritten == null)
            synchronized (this) {
                hasFailed = true;
            }
    }

    private void write(int attempts) throws Exception {
        StoredRecord record;
        synchronized (this) {
            if (!isAhead) return;
            record = current;
        }
        var text = record.write();
        store(name, text, attempts);
        synchronized (this) {
            hasFailed = false;
            known = text;
            if (current == record) isAhead = false;
        }
    }

    private void store(String each, String text, int attempts) throws Exception {
        for (int left = attempts; left > 1; left--)
            try {
                storage.set(each, text);
                return;
            } catch (Exception error) {
                Thread.sleep(pause.toMillis());
            }
        storage.set(each, text);
    }

    /** Returns null, and warns, if the storage failed. */
    private <T> @Nullable T attempt(String problem, Callable<T> task) {
        try {
            return waiting.within(timeout, task);
        } catch (Exception error) {
            warn.accept(problem, error);
            return null;
        }
    }
}
