package licensekey;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Consumes amounts of meters, and sends the stored ones (docs/client.md, Limits and meters). */
final class Metering {
    /**
     * Maximum age of an amount, in milliseconds: 29 days. The service remembers an id for 30 days, so an older amount could be counted
     * twice.
     */
    private static final long MAX_AGE_MS = 29L * 86_400_000;

    private static final Result.UsageRefusal NO_KEY = new Result.UsageRefusal("no_key", "this device has no key");
    private static final Fault NOT_READ = new Fault(Fault.Kind.STORAGE, "the license cache was not read");

    private final Engine engine;
    private final Service service;
    private final Cache cache;
    private final AmountQueue queue;
    private final boolean isQueueing;
    /** Locked while stored amounts are sent. It is taken before the lock of the engine, and never while that one is held. */
    private final ReentrantLock sending = new ReentrantLock();

    // The following fields are protected by the lock of the engine.
    /** True if the stored amounts will be sent in the background. */
    private boolean isSendDue;
    /** True if this process knows of stored amounts that could not be sent. */
    private boolean isWaiting;

    Metering(Engine engine, Service service, Cache cache, Offline offline) {
        this.engine = engine;
        this.service = service;
        this.cache = cache;
        this.queue = new AmountQueue(cache);
        this.isQueueing = offline == Offline.QUEUE;
    }

    Result.Consumption consume(String meter, long amount, String id) {
        var held = engine.assessed();
        var record = held.record();
        var fault = held.device().fault();
        if (fault != null && fault.kind() == Fault.Kind.STORAGE) return new Result.NotConsumed(id, fault);
        if (record.key() == null) return NO_KEY;
        var license = held.claims() == null ? null : held.claims().sub();
        var entry = new AmountQueue.Entry(id, meter, amount, (long) Math.floor(held.time()), record.key(), license, null);
        if (isQueueing) return consumeInTurn(entry);
        return result(entry, send(entry));
    }

    private static Result.Consumption result(AmountQueue.Entry entry, Service.Outcome<Result.Consumption> sent) {
        return sent.value() == null ? new Result.NotConsumed(entry.id(), Objects.requireNonNull(sent.fault())) : sent.value();
    }

    Result.Meters meters() {
        var held = engine.assessed();
        var fault = held.device().fault();
        var key = held.record().key();
        if (fault != null) return new Result.Failed(fault);
        if (key == null) return NO_KEY;
        var meters = service.meters(key, held.device().id());
        return meters.value() == null ? new Result.Failed(Objects.requireNonNull(meters.fault())) : meters.value();
    }

    Result.Pending pending() {
        var content = queue.content();
        if (content == null) return new Result.Failed(NOT_READ);
        return new Result.PendingAmounts(
                content.waiting().stream()
                        .map(entry -> new Result.PendingAmount(entry.id(), entry.meter(), entry.amount(), Instant.ofEpochMilli(entry.at())))
                        .toList(),
                content.dropped().stream()
                        .map(entry -> new Result.DroppedAmount(
                                entry.id(), entry.meter(), entry.amount(), Instant.ofEpochMilli(entry.at()), String.valueOf(entry.reason())))
                        .toList());
    }

    /** Stores an amount and sends it, unless older amounts wait. */
    private Result.Consumption consumeInTurn(AmountQueue.Entry entry) {
        var place = queue.add(entry);
        if (place == AmountQueue.Place.FULL) return new Result.UsageRefusal("queue_full", "too many amounts are waiting");
        if (place == AmountQueue.Place.MISMATCH)
            return new Result.UsageRefusal("idempotency_mismatch", "another meter or amount is waiting with this id");
        var queued = new Result.Queued(entry.id());
        if (place == AmountQueue.Place.BEHIND && isBehind()) return queued;
        return sending(() -> {
            boolean isStored = place != AmountQueue.Place.NOT_STORED;
            var oldest = queue.oldest();
            if (isStored && oldest != null && !oldest.id().equals(entry.id())) {
                engine.locked(() -> isWaiting = true);
                sendInBackground();
                return queued;
            }
            var sent = send(entry);
            var fault = sent.fault();
            if (fault != null && fault.kind() != Fault.Kind.REJECTED) {
                if (!isStored) return new Result.NotConsumed(entry.id(), new Fault(Fault.Kind.STORAGE, "the amount was neither sent nor stored"));
                waitToSend(fault);
                return queued;
            }
            queue.settle(entry, null);
            return result(entry, sent);
        });
    }

    /** Whether this process knows that older amounts could not be sent. If the pause has ended, they are sent in the background. */
    private boolean isBehind() {
        return engine.locked(() -> {
            if (isWaiting && !engine.isPausing()) sendInBackground();
            return isWaiting;
        });
    }

    /** Sends an amount with the key of its license. */
    private Service.Outcome<Result.Consumption> send(AmountQueue.Entry entry) {
        var held = engine.assessed();
        if (held.device().fault() != null) return Service.Outcome.failed(held.device().fault());
        boolean isOfHeldLicense = held.claims() != null && held.claims().sub().equals(entry.license());
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("key", isOfHeldLicense && held.record().key() != null ? held.record().key() : entry.key());
        fields.put("fingerprint", held.device().id());
        fields.put("meter", entry.meter());
        fields.put("amount", entry.amount());
        fields.put("id", entry.id());
        return service.consume(fields);
    }

    /** Sends the stored amounts, the oldest first, until the service can't be reached. */
    private boolean sendAmounts() {
        return sending(() -> {
            while (true) {
                var entry = queue.oldest();
                engine.locked(() -> {
                    boolean wasWaiting = isWaiting;
                    isWaiting = entry != null;
                    if (wasWaiting && !isWaiting) engine.sleep();
                    return true;
                });
                if (entry == null) return true;
                var sent = sendStored(entry);
                if (sent.fault() != null) {
                    waitToSend(sent.fault());
                    return false;
                }
                queue.settle(entry, sent.value() instanceof Result.UsageRefusal refusal ? refusal.reason() : null);
            }
        });
    }

    /**
     * Sends a stored amount, unless it is too old. This device's clock may be wrong, so before an amount is dropped, the service is asked
     * for the time, which is in its token.
     */
    private Service.Outcome<Result.Consumption> sendStored(AmountQueue.Entry entry) {
        var held = engine.assessed();
        if (held.device().fault() != null) return Service.Outcome.failed(held.device().fault());
        long now = (long) Math.floor(held.time());
        // The clock was ahead when the amount was consumed. Its age counts from now.
        if (entry.at() > now) queue.correctTime(entry, now);
        if (now - entry.at() >= MAX_AGE_MS) {
            var key = held.record().key() == null ? entry.key() : held.record().key();
            var issuedAt = engine.askForTime(String.valueOf(key), held);
            if (issuedAt.fault() != null) return Service.Outcome.failed(issuedAt.fault());
            if (issuedAt.value() != null && issuedAt.value() - entry.at() >= MAX_AGE_MS)
                return Service.Outcome.of(new Result.UsageRefusal("too_old", "it waited for 29 days"));
        }
        return send(entry);
    }

    private void waitToSend(Fault fault) {
        engine.locked(() -> {
            isWaiting = true;
            engine.pauseAfter(fault);
            engine.sleep();
            return true;
        });
    }

    /** Whether stored amounts wait for the end of the pause. The caller has the lock of the engine. */
    boolean isWaiting() {
        return isWaiting;
    }

    /** Called after the stored data was deleted. The caller has the lock of the engine. */
    void forget() {
        isWaiting = false;
    }

    /** Has the stored amounts sent. */
    void sendInBackground() {
        engine.locked(() -> {
            if (isQueueing && !isSendDue) {
                isSendDue = true;
                engine.submit(() -> {
                    engine.locked(() -> isSendDue = false);
                    sendAmounts();
                });
            }
            return true;
        });
    }

    /** Sends the stored amounts before this device's seat is freed, because the device can't consume afterwards. */
    void sendBeforeFreeing() {
        if (isQueueing) sendAmounts();
    }

    /** Only one thread of one process at a time sends stored amounts. */
    private <T> T sending(Supplier<T> task) {
        sending.lock();
        try {
            return cache.exclusively("sending", service.waiting, task);
        } finally {
            sending.unlock();
        }
    }
}
