package licensekey;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Manages the license of this device. Create one client per product and process. It is safe to use from several threads.
 *
 * <p>Most apps need only {@link #activate(String)}, and {@link #check} at the start. After {@code check}, {@link #state} is kept up to date,
 * and tokens and leases are renewed in the background. Faults of the network, the storage, a token or a user's input are part of the
 * result: no future completes exceptionally because of them.
 *
 * <p>A method that may wait returns a future at once. Cancelling the future doesn't end the work that the call has started, so that a seat
 * that was just taken isn't lost; the result appears in {@link #state}. Only {@link #activateInBrowser} ends when it is cancelled. The
 * threads of the client don't keep a process alive: before a command-line tool ends, it waits for {@link #idle}.
 */
public final class LicenseClient implements AutoCloseable {
    static final String VERSION = "0.2.0";

    private static final long MAX_AMOUNT = 1_000_000_000;

    private final Engine engine;

    private LicenseClient(Engine engine) {
        this.engine = engine;
    }

    /**
     * Starts with the four values that an app gets from the operator. The app may contain all four.
     *
     * @param baseUrl the service's URL, such as {@code https://licenses.example.com}
     * @param productId the product's {@code id}
     * @param apiKey the product's {@code api_key}
     * @param publicKeys the product's {@code public_key} (PEM) or its JWK set (JSON); several are allowed. Every given key is trusted, so
     *     that the service's signing key can be rotated
     */
    public static Builder builder(String baseUrl, long productId, String apiKey, String... publicKeys) {
        return new Builder(baseUrl, productId, apiKey, List.of(publicKeys));
    }

    /** Returns the latest license state; null before the first result. */
    public @Nullable State state() {
        return engine.state();
    }

    /**
     * Calls a listener whenever {@link #state} changes, in a thread of the client. In a user interface, pass the state on to its thread:
     * {@code state -> SwingUtilities.invokeLater(() -> show(state))}. The listener may call the client.
     *
     * @return ends the subscription
     */
    public Runnable subscribe(Consumer<? super State> listener) {
        return engine.subscribe(listener);
    }

    /** Whether the app may be used now and the license includes a feature, according to {@link #state}. Works offline. */
    public boolean has(String feature) {
        return engine.state() instanceof State.Licensed licensed && licensed.features().contains(feature);
    }

    /** A limit of the license, according to {@link #state}; null if the license has no such limit, or the app may not be used now. */
    public @Nullable Long limit(String name) {
        return engine.state() instanceof State.Licensed licensed ? licensed.limits().get(name) : null;
    }

    /** Like {@link #covers(Release)}, for the release of {@link Builder#release}. */
    public boolean covers() {
        return engine.covers(engine.release());
    }

    /**
     * Whether the device has a license that covers a release, according to {@link #state}. Works offline, and doesn't depend on the clock.
     */
    public boolean covers(Release release) {
        return engine.covers(release);
    }

    /** Returns this device's fingerprint in the canonical form that the service stores; null if it can't be found now. */
    public CompletableFuture<@Nullable String> fingerprint() {
        return start(engine::fingerprint);
    }

    /**
     * Checks whether the app may be used on this device. A valid cached token is accepted without the network, and is refreshed in the
     * background after half of its lifetime. Otherwise the service is asked once. Simultaneous calls share one result.
     */
    public CompletableFuture<State> check() {
        return start(engine::check);
    }

    /**
     * Asks the service now. If the service gives no decision, the result comes from the cache. If this result is {@link State.Licensed} or
     * {@link State.OfflineWithoutToken}, its {@code fault} says why there is no decision.
     */
    public CompletableFuture<State> validate() {
        return start(engine::validate);
    }

    /** Like {@link #activate(String, Labels, String)}, without labels and without another device. */
    public CompletableFuture<Result.Activation> activate(String key) {
        return activate(key, Labels.NONE, null);
    }

    /** Like {@link #activate(String, Labels, String)}, without another device. */
    public CompletableFuture<Result.Activation> activate(String key, Labels labels) {
        return activate(key, labels, null);
    }

    /**
     * Takes a seat for this device and caches its token. If the service refuses the key, the license of an earlier key stays active. If the
     * service accepts the key, the new license replaces the earlier one, and the seat of the earlier key is freed. Repeating a call is
     * harmless.
     *
     * @param key as the user typed it; at most 200 characters
     * @param replace the {@code ref} of one of the {@link #devices(String)}, whose seat this device takes over if the license is full; null:
     *     no device
     */
    public CompletableFuture<Result.Activation> activate(String key, Labels labels, @Nullable String replace) {
        var invalid = first(key(key), labels(labels), Texts.problem("replace", replace, 100, false));
        return invalid == null ? start(() -> engine.activate(Texts.trim(key), labels, replace)) : CompletableFuture.completedFuture(invalid);
    }

    /**
     * Activates this device without a typed key: the user signs in to the vendor's portal in the browser, compares the code, and chooses a
     * license. The call waits for the decision, at most ten minutes. The result is a state as of {@link #activate(String)}, or
     * {@link State.Refusal#DENIED} or {@link State.Refusal#REQUEST_EXPIRED}. The device then has a key of its own, which is used like any
     * key. A new call ends the request of an earlier one.
     *
     * <p>Cancelling the future ends the call: the client asks for the decision no more. After {@link #close}, the fault is
     * {@link Fault.Kind#CLOSED}.
     *
     * @param labels the person who approves the activation reads them. Characters that change the direction of text are removed, and the
     *     labels are cut to 200 characters
     * @param onCode shows the code until the call ends, so that the user can compare it with the code in the browser
     * @param open opens an address with the scheme {@code http} or {@code https} in the user's browser, and returns at once
     */
    public CompletableFuture<Result.Activation> activateInBrowser(Labels labels, TextHandler onCode, TextHandler open) {
        var shown = new Labels(Texts.shown(labels.name()), Texts.shown(labels.platform()));
        var invalid = labels(shown);
        if (invalid != null) return CompletableFuture.completedFuture(invalid);
        var result = new CompletableFuture<Result.Activation>();
        return result.completeAsync(() -> engine.activateInBrowser(shown, onCode, open, result), Waiting.THREADS);
    }

    /** Shows a text, or opens an address, in a thread of the client. An exception becomes a warning ({@link Builder#onWarning}). */
    public interface TextHandler {
        /** Uses a text. */
        void handle(String text) throws Exception;
    }

    /** Like {@link #trial(Labels, String)}, without labels and without an address. */
    public CompletableFuture<Result.Activation> trial() {
        return trial(Labels.NONE, null);
    }

    /**
     * Starts the product's trial, which needs no key, or continues the trial on a device that had it before. On a licensed device nothing
     * changes, and no request is sent. If the device has a key, the key is validated and never replaced.
     *
     * @param customerEmail stored with the trial; at most 254 characters; null: no address
     */
    public CompletableFuture<Result.Activation> trial(Labels labels, @Nullable String customerEmail) {
        var invalid = first(labels(labels), Texts.problem("customer_email", customerEmail, 254, false));
        return invalid == null ? start(() -> engine.trial(labels, customerEmail)) : CompletableFuture.completedFuture(invalid);
    }

    /**
     * Frees this device's seat and forgets its key and token. Needs the network only if a key is stored; a license from
     * {@link #importToken} may have no key. If the result is {@link Result.Failed}, the seat may still be taken, and this device still has
     * the license. If another key is activated during the call, that activation stays.
     */
    public CompletableFuture<Result.Deactivation> deactivate() {
        return start(engine::deactivate);
    }

    /** For uninstallers: frees this device's seat if the service can be reached, and deletes all stored data. */
    public CompletableFuture<Result.Forgotten> forget() {
        return start(engine::forget);
    }

    /** Like {@link #devices(String)}, for the key of the current activation; without a key the list is empty. */
    public CompletableFuture<Result.Devices> devices() {
        return start(() -> engine.devices(null));
    }

    /**
     * Returns the devices that have seats of a license. If the vendor doesn't let apps see the list, the result has the fault
     * {@link Fault.Kind#REJECTED}.
     */
    public CompletableFuture<Result.Devices> devices(String key) {
        var invalid = key(key);
        return invalid == null ? start(() -> engine.devices(Texts.trim(key))) : CompletableFuture.completedFuture(invalid);
    }

    /** Like {@link #free(String, String)}, for the key of the current activation; without a key nothing is freed. */
    public CompletableFuture<Result.Freeing> free(String ref) {
        var invalid = ref(ref);
        return invalid == null ? start(() -> engine.free(Texts.trim(ref), null)) : CompletableFuture.completedFuture(invalid);
    }

    /**
     * Frees the seat of another device. To free the seat of this device, use {@link #deactivate}, which also forgets the key.
     *
     * @param ref the device's {@code ref} in the result of {@link #devices(String)}
     */
    public CompletableFuture<Result.Freeing> free(String ref, String key) {
        var invalid = first(key(key), ref(ref));
        return invalid == null ? start(() -> engine.free(Texts.trim(ref), Texts.trim(key))) : CompletableFuture.completedFuture(invalid);
    }

    /** Like {@link #latest(Target)}, for every file in the channel {@code stable}. */
    public CompletableFuture<Result.Download> latest() {
        return latest(Target.ANY);
    }

    /**
     * Returns the newest release that the license covers, with its files and the headers that a download needs. The request contains the
     * current key, or the token if there is no key. Without key and token, the result contains a release only if the product's downloads
     * are public.
     */
    public CompletableFuture<Result.Download> latest(Target target) {
        return start(() -> engine.latest(target));
    }

    /** Like {@link #consume(String, long, String)}, with a random id. */
    public CompletableFuture<Result.Consumption> consume(String meter, long amount) {
        return consume(meter, amount, Texts.randomId());
    }

    /**
     * Consumes an amount of a meter of the license. The service counts it, and counts every id once. A refusal doesn't change the license
     * state. With {@link Offline#QUEUE}, the amount is stored before it is sent, and it is sent later if the service can't be reached now.
     * Amounts are sent one at a time, in the order of the calls.
     *
     * @param amount from 1 to 1,000,000,000; for a meter that allows it, a negative amount gives back
     * @param id 8 to 64 characters, for example the id of the document that is counted. To repeat a call, repeat its id
     */
    public CompletableFuture<Result.Consumption> consume(String meter, long amount, String id) {
        var invalid = first(Texts.problem("meter", meter, 64, true), amount(amount), id(id));
        return invalid == null
                ? start(() -> engine.metering().consume(Texts.trim(meter), amount, id))
                : CompletableFuture.completedFuture(invalid);
    }

    /** Returns the license's meters, as the service has counted them. */
    public CompletableFuture<Result.Meters> meters() {
        return start(engine.metering()::meters);
    }

    /** Returns the amounts that wait until they can be sent, and the amounts that were dropped. No request is sent. */
    public CompletableFuture<Result.Pending> pending() {
        return start(engine.metering()::pending);
    }

    /**
     * Returns a request for a device that is never online. The user gives this text to the operator, for example in a file or as a QR code.
     * The operator responds with a token for {@link #importToken}.
     */
    public CompletableFuture<Result.Request> offlineRequest(String key, Labels labels) {
        var invalid = first(key(key), labels(labels));
        return invalid == null ? start(() -> engine.offlineRequest(Texts.trim(key), labels)) : CompletableFuture.completedFuture(invalid);
    }

    /**
     * Licenses a device that is never online. The token is the operator's response to an {@link #offlineRequest}, or a token that is bound
     * to no device ({@link Builder#allowUnboundTokens}). An accepted token replaces the cached data.
     */
    public CompletableFuture<Result.Import> importToken(String token) {
        return start(() -> engine.importToken(token));
    }

    /** Completes when no request is in progress in the background and the cache is written. */
    public CompletableFuture<Void> idle() {
        return CompletableFuture.runAsync(engine::idle, Waiting.THREADS);
    }

    /**
     * Stops requests, timers and notifications, so that the process can end at once. The cache is still written. A call that is in progress
     * has the fault {@link Fault.Kind#CLOSED}.
     */
    @Override
    public void close() {
        engine.close(false);
    }

    /**
     * For floating licenses: frees this device's seat, and then closes the client. The key stays stored: at the next start the state is
     * {@link State.Unbound}, and the app can activate its {@code key} again. Without a network the seat is freed when its lease ends.
     */
    public CompletableFuture<Void> closeAndFreeSeat() {
        return CompletableFuture.runAsync(() -> engine.close(true), Waiting.THREADS);
    }

    private static <T> CompletableFuture<T> start(Supplier<? extends T> call) {
        return CompletableFuture.supplyAsync(call::get, Waiting.THREADS);
    }

    private static Result.@Nullable InvalidInput key(String key) {
        return Texts.problem("key", key, 200, true);
    }

    private static Result.@Nullable InvalidInput ref(String ref) {
        return Texts.problem("ref", ref, 100, true);
    }

    private static Result.@Nullable InvalidInput labels(Labels labels) {
        return first(Texts.problem("name", labels.name(), Texts.MAX_LABEL, false), Texts.problem("platform", labels.platform(), Texts.MAX_LABEL, false));
    }

    private static Result.@Nullable InvalidInput amount(long amount) {
        boolean isValid = amount != 0 && amount >= -MAX_AMOUNT && amount <= MAX_AMOUNT;
        return isValid ? null : new Result.InvalidInput("amount", "must be from -" + MAX_AMOUNT + " to " + MAX_AMOUNT + ", and not 0");
    }

    private static Result.@Nullable InvalidInput id(String id) {
        return !id.equals(Texts.trim(id)) || id.codePointCount(0, id.length()) < 8
                ? new Result.InvalidInput("id", "must have at least 8 characters, and no white space at its ends")
                : Texts.problem("id", id, 64, true);
    }

    private static Result.@Nullable InvalidInput first(Result.@Nullable InvalidInput... problems) {
        for (var problem : problems) if (problem != null) return problem;
        return null;
    }

    /** The options of a client. */
    public static final class Builder {
        private static final Pattern ADDRESS = Pattern.compile("(?i:https?)://[^\\s/?#@][^\\s?#@]*");
        private static final Pattern API_KEY = Pattern.compile("[\\x21-\\x7e]+");
        private static final Pattern STORAGE_NAME = Pattern.compile("[A-Za-z0-9_.-]{1,100}");
        private static final Duration MAX_TIME = Duration.ofMinutes(10);
        private static final Duration MAX_GRACE = Duration.ofDays(36_500);

        private final String address;
        private final long productId;
        private final String apiKey;
        private final List<String> publicKeys;
        private @Nullable String audience;
        private Callable<@Nullable String> fingerprint = () -> null;
        private Storage storage = Storage.inMemory();
        private String storageName;
        private Duration grace = Duration.ZERO;
        private Duration timeout = Duration.ofSeconds(5);
        private Duration retryDelay = Duration.ofMillis(500);
        private boolean allowsUnboundTokens;
        private Release release = new Release(null, null);
        private Offline offline = Offline.REFUSE;
        private BiConsumer<String, Throwable> onWarning =
                (message, cause) -> System.getLogger("license_key_client").log(System.Logger.Level.WARNING, message + ": " + cause);
        private @Nullable Transport transport;
        private @Nullable Ed25519 ed25519;
        private Clock clock = Clock.systemUTC();
        private BiFunction<Runnable, Duration, Runnable> schedule = Waiting::schedule;

        private Builder(String baseUrl, long productId, String apiKey, List<String> publicKeys) {
            require(ADDRESS.matcher(baseUrl).matches(), "baseUrl");
            require(productId > 0 && productId <= Json.MAX_INTEGER, "productId");
            require(API_KEY.matcher(apiKey).matches(), "apiKey");
            this.address = baseUrl.replaceFirst("/+$", "");
            URI.create(address);
            this.productId = productId;
            this.apiKey = apiKey;
            this.publicKeys = publicKeys;
            // The environments of a service, such as test and production, have different URLs, so their storage names differ.
            var place = address.replaceFirst("^(?i:https?)://", "").replaceAll("[^A-Za-z0-9.-]+", "_").toLowerCase(Locale.ROOT);
            this.storageName = Token.ISSUER + "." + productId + "." + place;
        }

        private static void require(boolean isValid, String option) {
            if (!isValid) throw new IllegalArgumentException(option + " is not valid");
        }

        /** The product's slug: tokens for another audience are refused. Without a slug, only the signing key identifies the product. */
        public Builder audience(String slug) {
            require(!Texts.trim(slug).isEmpty(), "audience");
            this.audience = slug;
            return this;
        }

        /**
         * Finds this device's fingerprint: {@code Fingerprint::ofMachine}, or {@link Fingerprint#ofApp}. The function returns null if the
         * machine has no fingerprint. In that case, or without this option, the client creates a random id once and keeps it in the
         * storage.
         */
        public Builder fingerprint(Callable<@Nullable String> source) {
            this.fingerprint = source;
            return this;
        }

        /** Keeps the license, usually a {@link FileStorage}. Default: memory, so the license is lost when the process ends. */
        public Builder storage(Storage value) {
            this.storage = value;
            return this;
        }

        /**
         * 1 to 100 letters, digits, {@code .}, {@code _} and {@code -}. The default consists of the product's id and the service's URL; set
         * a name to keep the licenses when the URL changes.
         */
        public Builder storageName(String name) {
            require(STORAGE_NAME.matcher(name).matches(), "storageName");
            this.storageName = name;
            return this;
        }

        /**
         * How long an expired token is still accepted while the service can't be asked; default: not at all. Grace ends no later than the
         * license.
         */
        public Builder grace(Duration time) {
            require(!time.isNegative() && time.compareTo(MAX_GRACE) <= 0, "grace");
            this.grace = time;
            return this;
        }

        /**
         * Maximum time for each of the two attempts of a request, and for each access to the storage; the fingerprint may take twice as
         * long. Default: 5 s, maximum: 10 min.
         */
        public Builder timeout(Duration time) {
            require(time.toMillis() > 0 && time.compareTo(MAX_TIME) <= 0, "timeout");
            this.timeout = time;
            return this;
        }

        /**
         * Pause between the two attempts of a request; a random time of up to half of the pause is added. Default: 500 ms, maximum: 10 min.
         */
        public Builder retryDelay(Duration time) {
            require(!time.isNegative() && time.compareTo(MAX_TIME) <= 0, "retryDelay");
            this.retryDelay = time;
            return this;
        }

        /**
         * Accepts tokens that the operator issued without a device: they work on every machine to which they are copied. Default: false.
         */
        public Builder allowUnboundTokens(boolean isAllowed) {
            this.allowsUnboundTokens = isAllowed;
            return this;
        }

        /**
         * This build of the app. An activation takes no seat if the license doesn't cover it. Activations and validations contain its
         * version, so that the operator sees which versions are in use.
         */
        public Builder release(Release build) {
            var releasedAt = build.releasedAt();
            require(releasedAt == null || Timestamps.isInRange(releasedAt), "release");
            // The service would refuse every request that contains this version.
            require(Texts.problem("version", build.version(), 200, false) == null, "release");
            this.release = build;
            return this;
        }

        /** What {@link LicenseClient#consume(String, long)} does with an amount if the service can't be reached. Default: {@link Offline#REFUSE}. */
        public Builder offline(Offline value) {
            this.offline = value;
            return this;
        }

        /** Receives faults that change no result, such as a cache that can't be written. Default: the logger {@code license_key_client}. */
        public Builder onWarning(BiConsumer<String, Throwable> listener) {
            this.onWarning = listener;
            return this;
        }

        /** Sends HTTP requests. Default: the JDK's HTTP client. */
        public Builder transport(Transport value) {
            this.transport = value;
            return this;
        }

        /** Verifies signatures. Default: the platform's implementation. */
        public Builder ed25519(Ed25519 value) {
            this.ed25519 = value;
            return this;
        }

        /** The clock, for tests of your app. */
        public Builder clock(Clock value) {
            this.clock = value;
            return this;
        }

        /** Runs a task once after a time, and returns a function that cancels it. */
        Builder schedule(BiFunction<Runnable, Duration, Runnable> value) {
            this.schedule = value;
            return this;
        }

        /**
         * Creates the client, without a request and without an access to the storage.
         *
         * @throws IllegalArgumentException if a public key is not valid
         * @throws IllegalStateException if this platform has no Ed25519, and the option {@link #ed25519} is not set
         */
        public LicenseClient build() {
            var keys = VerifyKey.of(publicKeys, ed25519 == null ? VerifyKey.ofPlatform() : ed25519);
            var rules = new Assessment.Rules(keys, audience, allowsUnboundTokens, grace.toMillis());
            BiConsumer<String, Throwable> warn = (message, cause) -> {
                try {
                    onWarning.accept(message, cause);
                } catch (RuntimeException error) {
                    // The app's own function failed, and there is nobody else to warn.
                }
            };
            var service = new Service(
                    address + "/v1/products/" + productId + "/",
                    apiKey,
                    transport == null ? HttpTransport.ofDefaults() : transport,
                    timeout,
                    retryDelay);
            var cache = new Cache(storage, storageName, timeout, retryDelay.dividedBy(2), warn);
            var finder = new DeviceFinder(fingerprint, cache, timeout.multipliedBy(2), warn);
            return new LicenseClient(new Engine(productId, release, rules, service, cache, finder, offline, clock, warn, schedule));
        }
    }
}
