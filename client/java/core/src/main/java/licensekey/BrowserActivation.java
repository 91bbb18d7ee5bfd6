package licensekey;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** Activates a device by a sign-in in the browser (docs/client.md, Sign in instead of a key). */
final class BrowserActivation {
    /** How long a request can be approved. */
    private static final Duration LIFETIME = Duration.ofMinutes(10);
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

    /** Asks for the decision about a request until there is one. */
    private Service.Outcome<Service.Decision> decision(Service.ActivationRequest request, String fingerprint, CompletableFuture<?> ended) {
        double expiresAt = engine.now() + LIFETIME.toMillis();
        long interval = request.interval();
        long slower = 0;
        long retryAfter = 0;
        while (engine.pause(Duration.ofSeconds(Math.min(Math.max(interval + slower, retryAfter), LIFETIME.toSeconds())), ended)) {
            var asked = service.poll(request.secret(), fingerprint);
            var fault = asked.fault();
            if (asked.value() instanceof Service.Undecided undecided) {
                interval = undecided.interval();
                retryAfter = 0;
            } else if (fault == null || fault.kind() == Fault.Kind.REJECTED) {
                return asked;
            } else if (engine.now() >= expiresAt) {
                return Service.Outcome.of(new Service.NotApproved(State.Refusal.REQUEST_EXPIRED));
            } else {
                slower += SLOW_DOWN;
                retryAfter = fault.retryAfter() == null ? 0 : fault.retryAfter().toSeconds();
            }
        }
        return Service.Outcome.failed(new Fault(Fault.Kind.CLOSED, "the client was closed, or the app has ended the call"));
    }
}
