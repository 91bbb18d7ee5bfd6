package licensekey;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** Activates a device by a sign-in in the browser (docs/client.md, Sign in instead of a key). */
final class BrowserActivation {
    /** How long a request can be approved, in seconds. */
    private static final long LIFETIME = 600;
    /** Minimum pause between two questions for the decision, in seconds. */
    private static final long MIN_PAUSE = 1;
    /** By how many seconds the client waits longer after a question that failed (RFC 8628, section 3.5). */
    private static final long SLOW_DOWN = 5;

    private final Engine engine;
    private final Service service;
    private final BiConsumer<String, Throwable> warn;

    BrowserActivation(Engine engine, Service service, BiConsumer<String, Throwable> warn) {
        this.engine = engine;
        this.service = service;
        this.warn = warn;
    }

    /** @param ended ends the call when it is completed */
    State run(Labels labels, LicenseClient.TextHandler onCode, LicenseClient.TextHandler open, CompletableFuture<?> ended) {
        var before = engine.assessed();
        var device = before.device();
        if (device.fault() != null) return engine.locked(() -> engine.concludeFault(device.fault(), before));
        var fields = engine.activation(labels, null);
        fields.put("fingerprint", device.id());
        var asked = service.requestActivation(fields);
        var request = asked.value();
        if (request == null) return engine.concludeSignIn(Service.Outcome.failed(Objects.requireNonNull(asked.fault())), device);
        tell(onCode, request.userCode());
        tell(open, request.url());
        return engine.concludeSignIn(decision(request, device.id(), ended), device);
    }

    /** Calls a function of the app, and passes its fault on as a warning. */
    private void tell(LicenseClient.TextHandler handler, String text) {
        try {
            handler.handle(text);
        } catch (Exception error) {
            warn.accept("The sign-in could not be shown", error);
        }
    }

    /**
     * Asks for the decision about a request until there is one, or until the pauses have lasted as long as the request. The pauses are
     * counted, because the clock may be set meanwhile.
     */
    private Service.Outcome<Service.Decision> decision(Service.ActivationRequest request, String fingerprint, CompletableFuture<?> ended) {
        long interval = request.interval();
        long slower = 0;
        long retryAfter = 0;
        long left = LIFETIME;
        while (left > 0) {
            long pause = Math.min(Math.max(Math.max(interval + slower, retryAfter), MIN_PAUSE), left);
            if (!engine.pause(Duration.ofSeconds(pause), ended))
                return Service.Outcome.failed(new Fault(Fault.Kind.CLOSED, "the client was closed, or the app has ended the call"));
            left -= pause;
            var asked = service.poll(request.secret(), fingerprint);
            var fault = asked.fault();
            if (asked.value() instanceof Service.Undecided undecided) {
                interval = undecided.interval();
                retryAfter = 0;
            } else if (fault == null || fault.kind() == Fault.Kind.REJECTED) {
                return asked;
            } else {
                slower += SLOW_DOWN;
                retryAfter = fault.retryAfter() == null ? 0 : fault.retryAfter().toSeconds();
            }
        }
        return Service.Outcome.of(new Service.NotApproved(State.Refusal.REQUEST_EXPIRED));
    }
}
