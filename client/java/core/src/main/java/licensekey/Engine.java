package licensekey;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls of {@link LicenseClient}, each of which blocks until it has a result (docs/client.md, Calls). */
final class Engine {
    /** Pause between a failed background request and the next one, in milliseconds. */
    private static final double RETRY_PAUSE_MS = 300_000;
    /**
     * Maximum sleep of the background timer, in milliseconds. During a sleep the clock may be changed, and the device may go to standby.
     * Therefore a longer sleep could end too late.
     */
    private static final double MAX_SLEEP_MS = 3_600_000;

    private static final double MIN_SLEEP_MS = 1000;
    /** Pause between attempts to store a record that could not be stored, in milliseconds. */
    private static final double STORE_PAUSE_MS = 10_000;
    /** The latest time seen is stored with this precision (ms), so that most starts of the app write nothing to the storage. */
    private static final double SEEN_PRECISION_MS = 60_000;

    private final long productId;
    private final Release release;
    private final Assessment.Rules rules;
    private final Service service;
    private final Cache cache;
    private final DeviceFinder finder;
    private final Metering metering;
    private final Clock clock;
    private final BiConsumer<String, Throwable> warn;
    private final BiFunction<Runnable, Duration, Runnable> schedule;

    /** Locked while the record is assessed and changed. It is never locked during a request or while a listener is called. */
    private final ReentrantLock lock = new ReentrantLock();
    /**
     * Locked while a seat is taken or freed. It is never locked while a listener is called, because the listener may call the client.
     */
    private final ReentrantLock seat = new ReentrantLock();

    private final Waiting.Shared<State> checking = new Waiting.Shared<>(this::checkOnce);
    private final Waiting.Shared<State> validating = new Waiting.Shared<>(this::validateOnce);
    private final Waiting.Background background;

    // The following fields are protected by `lock`.
    private boolean isReleaseDue;
    /** The earliest time at which the next background request may be sent, in epoch milliseconds. */
    private double askAgainAt;
    /** When the held token is due to be refreshed, in epoch milliseconds. */
    private double refreshAt = Double.POSITIVE_INFINITY;

    private Runnable stopTimer = () -> {};
    /** The state before the release of the app is compared with what the license covers; null before the first state. */
    private @Nullable State found;
    private boolean isNotifying;
    /** States that the listeners have not received yet. */
    private final Queue<State> news = new ArrayDeque<>();

    /** Completed when the client is closed. */
    private final CompletableFuture<Void> closing = new CompletableFuture<>();
    private volatile @Nullable State state;
    private final List<Consumer<? super State>> listeners = new CopyOnWriteArrayList<>();

    Engine(
            long productId,
            Release release,
            Assessment.Rules rules,
            Service service,
            Cache cache,
            DeviceFinder finder,
            Offline offline,
            Clock clock,
            BiConsumer<String, Throwable> warn,
            BiFunction<Runnable, Duration, Runnable> schedule) {
        this.productId = productId;
        this.release = release;
        this.rules = rules;
        this.service = service;
        this.cache = cache;
        this.finder = finder;
        this.metering = new Metering(this, service, cache, offline);
        this.clock = clock;
        this.warn = warn;
        this.schedule = schedule;
        this.background = new Waiting.Background(error -> warn.accept("A background task failed", error));
    }

    /** A call that was given a reply that the client trusts: a license, a refusal, or a fault. */
    private sealed interface Trusted {}

    /** A license that the service has just granted; its token was verified. */
    private record Proved(StoredRecord record, Token.Claims claims) implements Trusted {}

    /** A refusal. If it must be signed, its signature was verified. */
    private record Denied(String name, double seen, boolean isSigned) implements Trusted {}

    private record Failed(Fault fault) implements Trusted {
        static Failed untrusted(String message) {
            return new Failed(new Fault(Fault.Kind.UNTRUSTED, message));
        }
    }

    @Nullable State state() {
        return state;
    }

    Runnable subscribe(Consumer<? super State> listener) {
        // Each subscription is an object of its own, even if a listener subscribes twice.
        Consumer<State> own = listener::accept;
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    boolean covers(Release other) {
        var current = state;
        if (current instanceof State.Licensed licensed) return licensed.updates().covers(other);
        return current instanceof State.Refused refused && refused.updates() != null && refused.updates().covers(other);
    }

    Metering metering() {
        return metering;
    }

    Release release() {
        return release;
    }

    /** The version of the app, as requests name it; null if it isn't known. */
    private @Nullable String version() {
        return Texts.filled(release.version());
    }

    @Nullable String fingerprint() {
        var device = identify().device;
        return device.fault() == null ? device.id() : null;
    }

    State check() {
        return notifying(checking::run);
    }

    State validate() {
        return notifying(validating::run);
    }

    State activate(String key, Labels labels, @Nullable String replace) {
        return notifying(() -> takeSeat(key, activation(labels, replace)));
    }

    Map<String, @Nullable Object> activation(Labels labels, @Nullable String replace) {
        Map<String, @Nullable Object> fields = fields(labels);
        fields.put("replace", Texts.filled(replace));
        Map<String, @Nullable Object> known = new LinkedHashMap<>();
        if (version() != null) known.put("version", version());
        if (release.releasedAt() != null) known.put("released_at", Timestamps.format(release.releasedAt()));
        fields.put("release", known.isEmpty() ? null : known);
        return fields;
    }

    private static Map<String, @Nullable Object> fields(Labels labels) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("name", Texts.filled(labels.name()));
        fields.put("platform", Texts.filled(labels.platform()));
        return fields;
    }

    Result.Devices devices(@Nullable String key) {
        var found = identify();
        if (found.device.fault() != null) return new Result.Failed(found.device.fault());
        var asked = key == null ? found.record.key() : key;
        if (asked == null) return new Result.DeviceList(List.of());
        var devices = service.devices(asked, found.device.id());
        return devices.value() == null ? failed(devices.fault()) : new Result.DeviceList(devices.value());
    }

    private static Result.Failed failed(@Nullable Fault fault) {
        return new Result.Failed(Objects.requireNonNull(fault));
    }

    Result.Download latest(Target target) {
        var found = identify();
        var fault = found.device.fault();
        if (fault != null && fault.kind() == Fault.Kind.STORAGE) return new Result.Failed(fault);
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("platform", Texts.filled(target.platform()));
        fields.put("arch", Texts.filled(target.arch()));
        fields.put("channel", Texts.filled(target.channel()));
        var version = Texts.filled(target.version());
        fields.put("version", version == null ? version() : version);
        var latest = service.latest(found.record.key(), found.record.token(), fields);
        return latest.value() == null ? failed(latest.fault()) : latest.value();
    }

    Result.Freeing free(String ref, @Nullable String key) {
        return changingSeats(() -> {
            var found = identify();
            if (found.device.fault() != null) return new Result.Failed(found.device.fault());
            var asked = key == null ? found.record.key() : key;
            if (asked == null) return new Result.Deactivated(false);
            var freed = service.free(asked, null, ref, false);
            return freed.value() == null ? failed(freed.fault()) : new Result.Deactivated(freed.value());
        });
    }

    State trial(Labels labels, @Nullable String customerEmail) {
        return notifying(() -> {
            var licensed = locked(() -> {
                var assessment = assess();
                return assessment.problem() == null ? publish(assessment.state(null), null, null) : null;
            });
            if (licensed != null) return licensed;
            if (identify().record.key() != null) return validating.run();
            var fields = fields(labels);
            fields.put("customer_email", Texts.filled(customerEmail));
            return takeSeat(null, fields);
        });
    }

    Result.Deactivation deactivate() {
        metering.sendBeforeFreeing();
        return notifying(() -> changingSeats(() -> {
            var assessment = locked(this::assess);
            var freed = freeSeat(assessment.record(), assessment.device());
            if (freed.value() == null) return failed(freed.fault());
            boolean isChanged = locked(() -> {
                var kept = changeKey(assessment.record(), current -> current.emptied(assessment.time()));
                if (kept != null) publish(new State.Unbound(null), null, null);
                return kept != null;
            });
            if (!isChanged) overtaken();
            return new Result.Deactivated(freed.value());
        }));
    }

    Result.Forgotten forget() {
        metering.sendBeforeFreeing();
        return notifying(() -> changingSeats(() -> {
            while (true) {
                var found = identify();
                var freed = freeSeat(found.record, found.device);
                // If another process has activated a key in the meantime, the next round frees the seat of that key and deletes its data as
                // well.
                boolean isCleared = locked(() -> {
                    invalidate();
                    boolean isDeleted = cache.clear(found.record);
                    if (isDeleted) {
                        metering.forget();
                        publish(new State.Unbound(null), null, null);
                    }
                    return isDeleted;
                });
                if (isCleared) return new Result.Forgotten(Boolean.TRUE.equals(freed.value()), freed.fault());
            }
        }));
    }

    Result.Request offlineRequest(String key, Labels labels) {
        var device = identify().device;
        if (device.fault() != null) return new Result.Failed(device.fault());
        var request = new OfflineRequest(productId, key, device.id(), Texts.filled(labels.name()), Texts.filled(labels.platform()));
        return new Result.RequestText(request.write());
    }

    Result.Import importToken(String token) {
        var text = Texts.withoutWhiteSpace(token);
        return notifying(() -> locked(() -> {
            while (true) {
                var before = assess();
                var record = before.record();
                var imported = Assessment.of(rules, record, before.device(), before.now(), text, found -> importTime(found.iat(), before));
                var claims = imported.claims();
                if (imported.problem() != null || claims == null)
                    return new Result.InvalidToken(Objects.requireNonNullElse(imported.problem(), "malformed"));
                var key = before.isOfLicense(claims) ? record.key() : null;
                var kept = changeActivation(record, current -> new StoredRecord(
                        key, text, imported.time(), null, imported.device().kind(), null, null, current.verdicts(), current.releaseWith(current.key(), key)));
                if (kept != null) return publish(Assessment.licensed(State.Source.CACHE, claims, kept, null, claims.exp()), claims, kept);
            }
        }));
    }

    /**
     * The time at which an imported token is verified; this time is then stored as the latest time seen. Normally it is the token's time of
     * issue or the latest time seen, whichever is later. There are two exceptions. If the imported token is newer than the held one, the
     * clock replaces the latest time seen, so that an import corrects a wrong time from a clock that was ahead. If the token was issued
     * more than a day later than the clock shows, its time is ignored.
     */
    private static double importTime(double iat, Assessment before) {
        double base = before.claims() != null && iat > before.claims().iat() ? before.now() : before.time();
        return iat - before.now() > Token.CLOCK_BEHIND_MS ? base : Math.max(base, iat);
    }

    /** Returns when no background request is in progress and the cache is written. */
    void idle() {
        background.await();
        locked(() -> {
            cache.settle();
            return true;
        });
        notifyListeners();
    }

    void close(boolean freesSeat) {
        closing.complete(null);
        locked(() -> {
            stopTimer.run();
            return true;
        });
        if (freesSeat) releaseSeat();
        notifyListeners();
        service.close();
        listeners.clear();
        idle();
    }

    private void releaseSeat() {
        metering.sendBeforeFreeing();
        changingSeats(() -> {
            var assessment = locked(this::assess);
            var record = assessment.record();
            var key = record.key();
            if (record.token() == null || key == null || freeSeat(record, assessment.device()).value() == null) return false;
            return locked(() -> {
                var kept = changeKey(record, current -> new StoredRecord(
                        key, null, assessment.time(), "unbound", current.device(), null, null, current.verdicts(), current.release()));
                if (kept != null) publish(new State.Unbound(key), null, null);
                return kept != null;
            });
        });
    }

    /** Frees this device's seat. Returns whether a seat was freed, or why the result is unknown. */
    private Service.Outcome<Boolean> freeSeat(StoredRecord record, DeviceFinder.Device device) {
        var fault = device.fault();
        if (fault != null && fault.kind() == Fault.Kind.STORAGE) return Service.Outcome.failed(fault);
        if (record.key() == null) return Service.Outcome.of(false);
        return fault == null ? service.free(record.key(), device.id(), null, false) : Service.Outcome.failed(fault);
    }

    private State checkOnce() {
        lock.lock();
        Assessment assessment;
        State cached = null;
        try {
            assessment = assess();
            var record = assessment.record();
            var claims = assessment.claims();
            if (assessment.now() >= askAgainAt) {
                metering.sendInBackground();
                if (!record.release().isEmpty()) releaseInBackground();
            }
            if (assessment.problem() == null && claims != null) {
                if (record.key() != null && assessment.now() >= Math.max(Assessment.refreshTime(claims), askAgainAt)) submit(validating::run);
                cached = publish(assessment.state(null), claims, record);
            }
        } finally {
            lock.unlock();
        }
        var result = cached == null ? validating.run() : cached;
        keepTime(assessment);
        return result;
    }

    private State validateOnce() {
        var before = locked(this::assess);
        var record = before.record();
        var device = before.device();
        if (device.fault() != null || record.key() == null) return locked(() -> concludeFault(device.fault(), before));
        var reply = service.ask("validate", validation(record.key(), device.id()), record.token());
        var concluded = locked(() -> {
            var current = assess();
            return current.record().isSameActivation(record) ? conclude(verified(reply, current, true), current) : null;
        });
        return concluded == null ? overtaken() : concluded;
    }

    /** The fields of a validation that tells the service the version of the app. */
    private Map<String, @Nullable Object> validation(String key, String fingerprint) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(Map.of("key", key, "fingerprint", fingerprint));
        fields.put("version", version());
        return fields;
    }

    /**
     * Called if another call or another process has changed the activation, so that the result of this call no longer applies. Returns the
     * state of the new activation.
     */
    private State overtaken() {
        locked(() -> {
            invalidate();
            return true;
        });
        return checking.run();
    }

    /** Activates a key, or starts a trial if {@code key} is null. */
    private State takeSeat(@Nullable String key, Map<String, @Nullable Object> fields) {
        return changingSeats(() -> {
            var before = locked(this::assess);
            var device = before.device();
            if (device.fault() != null) return locked(() -> concludeFault(device.fault(), before));
            if (key == null && before.record().key() != null) return overtaken();
            Map<String, @Nullable Object> sent = new LinkedHashMap<>();
            sent.put("key", key);
            sent.putAll(fields);
            sent.put("fingerprint", device.id());
            var reply = service.ask(key == null ? "trial" : "activate", sent, null);
            var seats = key != null && reply.value() instanceof Service.Refused refused && refused.name().equals("no_seats") ? seatsOf(key, device.id()) : null;
            var expected = new Expected(before.record(), before.record().key(), key == null ? this::changeActivation : this::changeKey);
            var taken = locked(() -> {
                var current = assess();
                return seatTaken(key, reply, seats, expected, current.with(current.record(), device));
            });
            return taken == null ? overtaken() : taken;
        });
    }

    State activateInBrowser(Labels labels, LicenseClient.TextHandler onCode, LicenseClient.TextHandler open, CompletableFuture<?> ended) {
        return notifying(() -> new BrowserActivation(this, service, warn).run(labels, onCode, open, ended));
    }

    /** Waits some time. Returns false if the wait was ended by closing the client, or by completing {@code ended}. */
    boolean pause(Duration time, CompletableFuture<?> ended) {
        if (closing.isDone() || ended.isDone()) return false;
        var over = new CompletableFuture<Void>();
        var stop = schedule.apply(() -> over.complete(null), time);
        CompletableFuture.anyOf(over, closing, ended).exceptionally(cancelled -> null).join();
        stop.run();
        return over.isDone();
    }

    /** The state after the decision about an activation in the browser, or after the fault that prevented it. */
    State concludeSignIn(Service.Outcome<Service.Decision> decision, DeviceFinder.Device device) {
        return changingSeats(() -> {
            var taken = locked(() -> {
                var current = assess();
                var fault = decision.fault();
                if (fault != null) {
                    var result = current.offline(fault);
                    return fault.kind() == Fault.Kind.CLOSED ? result : publishUnlessLicensed(result, current);
                }
                if (decision.value() instanceof Service.NotApproved ended)
                    return publishUnlessLicensed(new State.Refused(ended.refusal(), null, null), current);
                // If no token tells the license of the held key, the key may be one of the same license. Freeing its seat would free the
                // new one.
                var replaced = current.claims() == null ? null : current.record().key();
                var expected = new Expected(current.record(), replaced, this::changeKey);
                var reply = Service.Outcome.of((Service.Reply) Objects.requireNonNull(decision.value()));
                return seatTaken(null, reply, null, expected, current.with(current.record(), device));
            });
            return taken == null ? overtaken() : taken;
        });
    }

    /**
     * What a call that takes a seat has found before its request.
     *
     * @param replaced the key whose seat is freed, unless the new key has the same seat; null if there is none
     * @param change changes the record if it still has the activation that was found
     */
    private record Expected(
            StoredRecord record, @Nullable String replaced, BiFunction<StoredRecord, Cache.Change, @Nullable StoredRecord> change) {}

    /**
     * The state after a reply that may grant a seat; null if the activation has changed during the request.
     *
     * @param key the key that was sent; null if none was sent
     */
    private @Nullable State seatTaken(
            @Nullable String key, Service.Outcome<Service.Reply> reply, State.@Nullable Seats seats, Expected expected, Assessment current) {
        boolean isHeld = Texts.isSameKey(current.record().key(), key);
        var verified = verified(reply, current, isHeld);
        if (verified instanceof Proved proved) {
            var granted = proved.record;
            var replaced = current.isOfLicense(proved.claims) ? null : expected.replaced;
            var kept = expected.change.apply(expected.record, held -> granted(granted, held, replaced));
            if (kept != null) return concludeGrant(kept, proved.claims);
            // The reply comes too late, because another process has activated a key during the request.
            if (!assess().isOfLicense(proved.claims)) change(held -> held.withRelease(held.releaseWith(granted.key(), held.key())));
            releaseInBackground();
            return null;
        }
        // If another key can't be activated, the held license stays, and the result says that the other key was not activated.
        if (verified instanceof Failed failed)
            return isHeld ? conclude(verified, current) : publishUnlessLicensed(current.offline(failed.fault), current);
        var denied = (Denied) verified;
        if (isHeld && (denied.isSigned || Refusals.isSignable(denied.name) || !current.isProtected()))
            return conclude(denied, seats == null ? current : current.with(current.record().withSeats(seats), current.device()));
        return publishUnlessLicensed(Refusals.state(denied.name, null, seats), current);
    }

    /**
     * Asks for the seat numbers for the state {@code no_seats}, because the refusal doesn't contain them. The service stores no version of
     * a device without a seat, so this request contains none.
     */
    private State.@Nullable Seats seatsOf(String key, String fingerprint) {
        var reply = service.ask("validate", new LinkedHashMap<>(Map.of("key", key, "fingerprint", fingerprint)), null);
        return reply.value() instanceof Service.NotBound found ? found.seats() : null;
    }

    /** The state if there is no decision from the service; {@code fault} is what prevented it, null if nothing did. */
    State concludeFault(@Nullable Fault fault, Assessment assessment) {
        if (fault != null) {
            askAgainAt = assessment.now() + pauseOf(fault);
        }
        return publish(assessment.state(fault), assessment.claims(), assessment.record());
    }

    /** The pause between background requests after a fault, in milliseconds. */
    private static double pauseOf(Fault fault) {
        return Math.max(RETRY_PAUSE_MS, fault.retryAfter() == null ? 0 : fault.retryAfter().toMillis());
    }

    /** Begins the pause between background requests, unless it ends later already. The caller has the lock. */
    void pauseAfter(Fault fault) {
        askAgainAt = Math.max(askAgainAt, now() + pauseOf(fault));
    }

    /** Whether background requests must wait. The caller has the lock. */
    boolean isPausing() {
        return now() < askAgainAt;
    }

    /** Stores the service's decision about the held key; returns null if the activation has changed since the request. */
    private @Nullable State conclude(Trusted reply, Assessment assessment) {
        var record = assessment.record();
        if (reply instanceof Failed failed) return concludeFault(failed.fault, assessment);
        if (reply instanceof Proved proved) {
            var kept = changeActivation(record, current -> granted(proved.record, current, null));
            return kept == null ? null : concludeGrant(kept, proved.claims);
        }
        var denied = (Denied) reply;
        var kept = changeActivation(record, current -> new StoredRecord(
                current.key(),
                null,
                denied.seen,
                denied.name,
                current.device(),
                current.typeName(),
                record.seats(),
                denied.isSigned || current.verdicts(),
                current.release()));
        return kept == null ? null : publish(Refusals.state(denied.name, kept.key(), kept.seats()), null, null);
    }

    /** The record with a new grant. The seat of the replaced key is freed later. */
    private static StoredRecord granted(StoredRecord granted, StoredRecord current, @Nullable String replaced) {
        return new StoredRecord(
                granted.key(),
                granted.token(),
                granted.seen(),
                null,
                granted.device(),
                granted.typeName(),
                granted.seats(),
                current.verdicts(),
                current.releaseWith(replaced, granted.key()));
    }

    /** The state after a grant was stored. */
    private State concludeGrant(StoredRecord kept, Token.Claims claims) {
        // Ends the pause between background requests. If the pause began while the clock was ahead, it could otherwise last for days after
        // the clock is corrected.
        askAgainAt = 0;
        metering.sendInBackground();
        if (!kept.release().isEmpty()) releaseInBackground();
        return publish(Assessment.licensed(State.Source.NETWORK, claims, kept, null, claims.exp()), claims, kept);
    }

    /** Runs a task in the background, and calls the listeners if it changed the state. */
    void submit(Runnable task) {
        background.submit(() -> notifying(() -> {
            task.run();
            return true;
        }));
    }

    private void releaseInBackground() {
        if (!isReleaseDue) {
            isReleaseDue = true;
            submit(this::releaseOldSeats);
        }
    }

    /**
     * Frees the seats of replaced keys, but never the seat of the held key. A key is removed from the list if its seat was freed, if the
     * service doesn't know the key, or if it is the held key again. After a fault the key stays in the list. No seat is freed while the
     * storage may still contain the replaced key, because the app would start with this key after a crash.
     */
    private void releaseOldSeats() {
        changingSeats(() -> {
            var keys = locked(() -> {
                isReleaseDue = false;
                return identify().record.release();
            });
            keys.forEach(this::releaseOldSeat);
            return true;
        });
    }

    private void releaseOldSeat(String key) {
        var found = identify();
        if (found.device.fault() != null || !found.record.release().contains(key) || !cache.isStored()) return;
        boolean isHeld = Texts.isSameKey(found.record.key(), key);
        var freed = isHeld ? Service.Outcome.of(false) : service.free(key, found.device.id(), null, true);
        locked(() -> {
            if (freed.value() == null) askAgainAt = Math.max(askAgainAt, now() + RETRY_PAUSE_MS);
            else cache.change(current -> current.withRelease(current.release().stream().filter(other -> !other.equals(key)).toList()));
            return true;
        });
        // If another process has activated the same key in the meantime, that process needs the seat, so the key is activated again.
        var record = identify().record;
        var current = record.key();
        if (freed.value() != null && !isHeld && current != null && record.token() != null && Texts.isSameKey(current, key))
            submit(() -> takeSeat(current, activation(Labels.NONE, null)));
    }

    double now() {
        return clock.millis();
    }

    /** The record and this device. */
    private record Found(StoredRecord record, DeviceFinder.Device device) {}

    /** Reads the record and finds this device. The device has a fault if this process has never read the record. */
    private Found identify() {
        return locked(() -> {
            var record = cache.load();
            if (record == null)
                return new Found(StoredRecord.EMPTY, DeviceFinder.Device.unknown(new Fault(Fault.Kind.STORAGE, "the license cache was not read")));
            return new Found(record, finder.find(record));
        });
    }

    /** Verifies the held token for this device, without a network. */
    private Assessment assess() {
        var found = identify();
        return Assessment.of(rules, found.record, found.device, now());
    }

    /** {@link #assess}, for callers that don't have the lock. */
    Assessment assessed() {
        return locked(this::assess);
    }

    /**
     * Asks the service for the time (epoch ms) by validating a key: the time at which it issued its token. Neither value nor fault: the
     * service refused the key, and gave no time. The record stays unchanged.
     */
    Service.Outcome<@Nullable Double> askForTime(String key, Assessment held) {
        var fingerprint = held.device().id();
        var reply = service.ask("validate", validation(key, fingerprint), held.record().token());
        if (!(reply.value() instanceof Service.Granted granted)) return new Service.Outcome<>(null, reply.fault());
        var claims = Token.verify(rules.keys(), granted.token(), rules.expectation(fingerprint), Token.Claims::iat).claims();
        return claims == null
                ? Service.Outcome.failed(new Fault(Fault.Kind.UNTRUSTED, "token not accepted"))
                : new Service.Outcome<>(claims.iat(), null);
    }

    /**
     * The new latest time that is known to have passed, after a signed token or verdict has arrived. If the clock and its time of issue
     * differ by at most the clock tolerance, the clock is right, even if the previous latest time is later. Otherwise the result is the
     * later of the two: a clock that is behind the time of issue is wrong, but a clock that is ahead may be right, because the response may
     * be old.
     */
    private static double latestTime(double iat, Assessment assessment) {
        return Math.abs(assessment.now() - iat) <= Token.CLOCK_SKEW_MS ? assessment.now() : Math.max(assessment.time(), iat);
    }

    /**
     * Verifies the content of a reply. A reply grants a license only if it contains a valid token. A refusal of the held key is verified if
     * the held license is protected ({@link Assessment#isProtected}). In that case a reply that says that the key is unknown is never
     * trusted without a verdict. If the service is known to sign its refusals, a refusal that can be signed must be signed.
     */
    private Trusted verified(Service.Outcome<Service.Reply> outcome, Assessment assessment, boolean isAboutHeldKey) {
        var reply = outcome.value();
        if (reply == null) return new Failed(Objects.requireNonNull(outcome.fault()));
        if (reply instanceof Service.Granted granted) return verifiedGrant(granted, assessment);
        var name = reply instanceof Service.Refused refused ? refused.name() : "unbound";
        var verdict = reply instanceof Service.Refused refused ? refused.verdict() : ((Service.NotBound) reply).verdict();
        var held = assessment.claims();
        var unsigned = new Denied(name, assessment.time(), false);
        boolean isProtected = isAboutHeldKey && assessment.isProtected();
        if (verdict != null && (Refusals.isSignable(name) || name.equals("unknown_key"))) {
            var audience = rules.audience() == null && held != null ? held.aud() : rules.audience();
            var about = isAboutHeldKey ? held : null;
            var expected = new Verdict.Expectation(
                    audience, about == null ? null : about.sub(), assessment.device().id(), about == null ? null : (Double) about.iat());
            var found = Verdict.verify(rules.keys(), verdict, expected);
            if (found.problem() == null)
                return new Denied(found.status().equals("unknown") ? "unknown_key" : found.status(), latestTime(found.iat(), assessment), true);
            return isProtected ? Failed.untrusted("verdict not accepted: " + found.problem()) : unsigned;
        }
        if (!isProtected) return unsigned;
        if (name.equals("unknown_key")) return Failed.untrusted("the service does not know a key that it has licensed");
        if (!Refusals.isSignable(name)) return unsigned;
        if (assessment.isSigning()) return Failed.untrusted("the refusal is not signed");
        boolean isOfOther = reply instanceof Service.NotBound found
                && (held == null || !found.licenseId().equals(held.sub()) || !Texts.isSameKey(assessment.record().key(), found.key()));
        return isOfOther ? Failed.untrusted("the response is about another license") : unsigned;
    }

    private Trusted verifiedGrant(Service.Granted reply, Assessment assessment) {
        var device = assessment.device();
        if (device.fault() != null) return new Failed(device.fault());
        var verified = Token.verify(rules.keys(), reply.token(), rules.expectation(device.id()), claims -> latestTime(claims.iat(), assessment));
        var claims = verified.claims();
        if ("expired".equals(verified.problem()))
            return new Failed(new Fault(Fault.Kind.CLOCK, "the clock is ahead: the new token has already expired"));
        if (verified.problem() != null || claims == null) return Failed.untrusted("token not accepted: " + verified.problem());
        double seen = latestTime(claims.iat(), assessment);
        return new Proved(
                new StoredRecord(reply.key(), reply.token(), seen, null, device.kind(), reply.typeName(), reply.seats(), false, List.of()), claims);
    }

    /**
     * Stores the latest time that is known to have passed, at most once a minute. It does so in the background, so that a lock that another
     * process has left behind doesn't delay the app's start.
     */
    private void keepTime(Assessment assessment) {
        var record = assessment.record();
        double time = assessment.time();
        if (record.token() == null || time - Objects.requireNonNullElse(record.seen(), 0.0) < SEEN_PRECISION_MS) return;
        submit(() -> cache.change(current -> current.isSameActivation(record)
                ? current.withSeen(Math.max(time, Objects.requireNonNullElse(current.seen(), 0.0)))
                : null));
    }

    /** Changes the record. Later calls don't share the result of a check in progress, because it may be about the old record. */
    private @Nullable StoredRecord change(Cache.Change make) {
        invalidate();
        return cache.change(make);
    }

    /** Changes the record if it still has the expected key and token. */
    private @Nullable StoredRecord changeActivation(StoredRecord expected, Cache.Change make) {
        return change(current -> current.isSameActivation(expected) ? make.of(current) : null);
    }

    /**
     * Changes the record if it still has the expected key. This is the comparison for calls that have the lock for seats: meanwhile only a
     * refresh can have stored another token, and that token is about the same seat.
     */
    private @Nullable StoredRecord changeKey(StoredRecord expected, Cache.Change make) {
        return change(current -> Objects.equals(current.key(), expected.key()) ? make.of(current) : null);
    }

    private void invalidate() {
        checking.forget();
        validating.forget();
    }

    /** Publishes a state only if the device is not licensed. If the service refuses another key, a licensed device keeps its state. */
    private State publishUnlessLicensed(State result, Assessment assessment) {
        return assessment.state(null) instanceof State.Licensed ? result : publish(result, null, null);
    }

    /** Makes a state the latest one; {@code claims} and {@code record} belong to the held token, and determine when to refresh it. */
    private State publish(State next, Token.@Nullable Claims claims, @Nullable StoredRecord record) {
        var result = next;
        if (result instanceof State.Licensed licensed && licensed.fault() == null && !cache.isStored())
            result = new State.Licensed(
                    licensed.source(),
                    licensed.license(),
                    licensed.features(),
                    licensed.limits(),
                    licensed.updates(),
                    licensed.seats(),
                    licensed.leaseExpiresAt(),
                    licensed.offlineUntil(),
                    new Fault(Fault.Kind.STORAGE, "the license was not stored"));
        refreshAt = claims != null && record != null && record.key() != null ? Assessment.refreshTime(claims) : Double.POSITIVE_INFINITY;
        found = result;
        sleep();
        // The token of a license that doesn't cover this release is still refreshed, because the operator may extend the license, or the
        // user may install an older release.
        if (result instanceof State.Licensed licensed && !licensed.updates().covers(release))
            result = new State.Refused(State.Refusal.NOT_COVERED, null, licensed.updates());
        if (!result.equals(state)) {
            state = result;
            news.add(result);
        }
        return result;
    }

    /**
     * Schedules the next check for the time at which the state may change: when the token ends, when it is due to be refreshed, when the
     * pause after a failed request ends, or when a record that could not be stored is to be stored again. The caller has the lock.
     */
    void sleep() {
        stopTimer.run();
        double now = now();
        double wakeAt = Double.POSITIVE_INFINITY;
        if (found instanceof State.Licensed licensed) {
            double end = licensed.offlineUntil().toEpochMilli();
            wakeAt = licensed.source() == State.Source.GRACE
                    ? Math.min(end, askAgainAt)
                    : Math.min(end + Token.CLOCK_SKEW_MS, Math.max(refreshAt, askAgainAt));
        } else if (found instanceof State.OfflineWithoutToken offline && offline.fault() != null && askAgainAt > now) {
            wakeAt = askAgainAt;
        }
        if (metering.isWaiting()) wakeAt = Math.min(wakeAt, askAgainAt);
        if (!cache.isStored()) wakeAt = Math.min(wakeAt, now + STORE_PAUSE_MS);
        if (closing.isDone() || Double.isInfinite(wakeAt)) return;
        var sleep = Duration.ofMillis((long) Math.min(Math.max(wakeAt - now, MIN_SLEEP_MS), MAX_SLEEP_MS));
        stopTimer = schedule.apply(() -> submit(checking::run), sleep);
    }

    /** Only one thread of one process at a time takes or frees seats. */
    private <T> T changingSeats(Supplier<T> task) {
        seat.lock();
        try {
            return cache.exclusively("seat", service.waiting, task);
        } finally {
            seat.unlock();
        }
    }

    <T extends @Nullable Object> T locked(Supplier<T> task) {
        lock.lock();
        try {
            return task.get();
        } finally {
            lock.unlock();
        }
    }

    /** Calls the listeners after a task, without a lock. */
    private <T> T notifying(Supplier<T> task) {
        try {
            return task.get();
        } finally {
            notifyListeners();
        }
    }

    /** Passes every state to the listeners, in order, from one thread at a time. */
    private void notifyListeners() {
        while (true) {
            State next;
            lock.lock();
            try {
                if (isNotifying || news.isEmpty()) return;
                isNotifying = true;
                next = news.remove();
            } finally {
                lock.unlock();
            }
            try {
                listeners.forEach(listener -> inform(listener, next));
            } finally {
                locked(() -> isNotifying = false);
            }
        }
    }

    private void inform(Consumer<? super State> listener, State next) {
        try {
            listener.accept(next);
        } catch (RuntimeException error) {
            warn.accept("A listener failed", error);
        }
    }
}
