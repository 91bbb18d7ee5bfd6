package licensekey;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Runs tasks with time limits. After {@link #end}, current waits end, and later waits end at once. */
final class Waiting {
    private static final ThreadFactory DAEMONS = task -> {
        var thread = new Thread(task, "license-key-client");
        // No thread of the client keeps a process alive.
        thread.setDaemon(true);
        return thread;
    };

    /** Runs the work of all clients of this process. The number of threads has no limit, because a task may hang in the storage. */
    static final ThreadPoolExecutor THREADS =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), DAEMONS);

    /** Starts tasks later. Its only thread must not be blocked, so each task is passed on to {@link #THREADS}. */
    private static final ScheduledThreadPoolExecutor TIMER = new ScheduledThreadPoolExecutor(1, DAEMONS);

    static {
        TIMER.setRemoveOnCancelPolicy(true);
    }

    private final Set<CompletableFuture<?>> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean isEnded;

    /** All waits were ended. */
    static final class EndedException extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** Runs a task once after a time. The result cancels it. */
    static Runnable schedule(Runnable task, Duration after) {
        var timer = TIMER.schedule(() -> THREADS.execute(task), after.toMillis(), TimeUnit.MILLISECONDS);
        return () -> timer.cancel(false);
    }

    /** Runs a task again and again until the result is called. */
    static Runnable repeat(Runnable task, Duration every) {
        var timer = TIMER.scheduleWithFixedDelay(() -> THREADS.execute(task), every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
        return () -> timer.cancel(false);
    }

    boolean isEnded() {
        return isEnded;
    }

    void end() {
        isEnded = true;
        pending.forEach(future -> future.completeExceptionally(new EndedException()));
    }

    /** Returns after a time, or when all waits are ended. */
    void pause(Duration time) {
        var over = new CompletableFuture<Void>();
        var stop = schedule(() -> over.complete(null), time);
        try {
            result(over, time.plusSeconds(1));
        } catch (Exception ended) {
            stop.run();
        }
    }

    /** Like {@link #within(Duration, Callable, Consumer)}, for results that need no cleanup. */
    <T> T within(Duration limit, Callable<T> task) throws Exception {
        return within(limit, task, late -> {});
    }

    /**
     * Runs a task in another thread, and returns its result or throws its exception. If the wait ends first, the task continues.
     *
     * @param onLate receives the result of a task that ends after the wait
     * @throws TimeoutException if the task takes longer than the limit
     * @throws EndedException if all waits are ended
     */
    <T> T within(Duration limit, Callable<T> task, Consumer<T> onLate) throws Exception {
        if (isEnded) throw new EndedException();
        var future = new CompletableFuture<T>();
        THREADS.execute(() -> {
            try {
                var value = task.call();
                if (!future.complete(value)) onLate.accept(value);
            } catch (Throwable error) {
                future.completeExceptionally(error);
            }
        });
        return result(future, limit);
    }

    private <T> T result(CompletableFuture<T> future, Duration limit) throws Exception {
        pending.add(future);
        try {
            if (isEnded) future.completeExceptionally(new EndedException());
            // The future is completed by the first of the three: the task, the time limit, or `end`. Therefore a result is either returned
            // or passed to `onLate`, and never lost.
            return future.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).get();
        } catch (ExecutionException error) {
            if (error.getCause() instanceof Exception cause) throw cause;
            throw error;
        } finally {
            pending.remove(future);
        }
    }

    /** Runs a task. Calls during a run share the result of this run. After {@link #forget}, the next call starts a new run. */
    static final class Shared<T> {
        private final Supplier<T> task;
        private CompletableFuture<T> current = CompletableFuture.failedFuture(new EndedException());

        Shared(Supplier<T> task) {
            this.task = task;
        }

        synchronized void forget() {
            current = CompletableFuture.failedFuture(new EndedException());
        }

        T run() {
            var own = new CompletableFuture<T>();
            CompletableFuture<T> shared;
            synchronized (this) {
                shared = current.isDone() ? own : current;
                current = shared;
            }
            if (shared == own)
                try {
                    own.complete(task.get());
                } catch (Throwable error) {
                    own.completeExceptionally(error);
                }
            return shared.join();
        }
    }

    /** Runs tasks one after the other. */
    static final class Background {
        private final Consumer<Throwable> onError;
        private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
        private final ThreadLocal<Boolean> isInside = ThreadLocal.withInitial(() -> false);

        Background(Consumer<Throwable> onError) {
            this.onError = onError;
        }

        synchronized void submit(Runnable task) {
            last = last.thenRunAsync(() -> run(task), THREADS);
        }

        private void run(Runnable task) {
            isInside.set(true);
            try {
                task.run();
            } catch (Throwable error) {
                onError.accept(error);
            } finally {
                isInside.remove();
            }
        }

        /** Returns when no task is left; inside a task it returns at once. */
        void await() {
            CompletableFuture<Void> seen = null;
            while (!isInside.get() && seen != last()) {
                seen = last();
                seen.join();
            }
        }

        private synchronized CompletableFuture<Void> last() {
            return last;
        }
    }
}
