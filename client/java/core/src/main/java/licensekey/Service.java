package licensekey;

import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Calls the client routes of the service for one product (docs/client.md, Requests). A call returns an outcome, and never throws. */
final class Service {
    /** Maximum {@code Retry-After} for which a call waits before its second attempt. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(5);

    private static final long DAY = 86_400;
    private static final Pattern SECONDS = Pattern.compile("0*[1-9][0-9]*");
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
    /** Error codes about seats. The service sends them with the status 429. */
    private static final Set<String> SEAT_CODES = Set.of("no_seats", "too_many_devices");

    private static final Pattern PAGE = Pattern.compile("(?i:https?)://.");
    private static final Set<String> LISTS = Set.of("devices", "meters");
    /** The statuses and error codes with which the service refuses {@code consume} and {@code meters}, and the name of the refusal. */
    private static final Map<String, String> USAGE_CODES = Map.of(
            "404 not_found", "unknown_key",
            "403 not_activated", "not_activated",
            "403 sign_in_required", "sign_in_required",
            "404 unknown_meter", "unknown_meter",
            "409 idempotency_mismatch", "idempotency_mismatch",
            "422 invalid_request", "invalid_request",
            "429 meter_exhausted", "meter_exhausted");

    private final String prefix;
    private final String apiKey;
    private final Transport transport;
    private final Duration timeout;
    private final Duration retryDelay;
    /** Ends when the client is closed. */
    final Waiting waiting = new Waiting();

    Service(String prefix, String apiKey, Transport transport, Duration timeout, Duration retryDelay) {
        this.prefix = prefix;
        this.apiKey = apiKey;
        this.transport = transport;
        this.timeout = timeout;
        this.retryDelay = retryDelay;
    }

    /** A value, or the fault that prevented it. */
    record Outcome<T>(@Nullable T value, @Nullable Fault fault) {
        static <T> Outcome<T> of(T value) {
            return new Outcome<>(value, null);
        }

        static <T> Outcome<T> failed(Fault fault) {
            return new Outcome<>(null, fault);
        }
    }

    /** The decision about an {@link ActivationRequest}. */
    sealed interface Decision {}

    /** The response of the service about a key and a device. Nothing in it is verified yet. */
    sealed interface Reply extends Decision {}

    /** Nobody has decided yet; {@code interval} is the time to wait before the next question, in seconds. */
    record Undecided(long interval) implements Decision {}

    /** The user has refused the activation, or nobody has approved it in time. */
    record NotApproved(State.Refusal refusal) implements Decision {}

    /**
     * A request to activate this device, which somebody approves in the browser.
     *
     * @param secret with which this device asks for the decision
     * @param interval the time to wait before the next question, in seconds
     */
    record ActivationRequest(String secret, String userCode, String url, long interval) {}

    /** A license; {@code typeName} and {@code seats} are not signed, and are information only. */
    record Granted(String token, String key, @Nullable String typeName, State.@Nullable Seats seats) implements Reply {}

    /** A valid key on a device without a seat; {@code verdict} is the header {@code X-Svc-Verdict}. */
    record NotBound(String key, String licenseId, State.Seats seats, @Nullable String verdict) implements Reply {}

    /** A refusal; {@code verdict} is the header {@code X-Svc-Verdict}. */
    record Refused(String name, @Nullable String verdict) implements Reply {}

    /** A response that contains a JSON object, whatever its content is. */
    private record Reading(int status, @Nullable String code, @Nullable String verdict, Map<String, @Nullable Object> body) {
        @Nullable Object get(String name) {
            return body.get(name);
        }

        boolean hasDetail() {
            return code != null && get("detail") instanceof String;
        }

        /** The status of the license in an error code such as {@code license_revoked}; null if there is none. */
        @Nullable String licenseStatus() {
            return status == 403 && code != null && code.startsWith("license_") ? Refusals.refusedStatus(code.substring("license_".length())) : null;
        }

        /** The fault for a response that contains no decision about the license. */
        Fault fault() {
            return status < 400 || !hasDetail() ? foreign(status) : new Fault(Fault.Kind.REJECTED, "HTTP " + status + " " + code + ": " + get("detail"));
        }
    }

    /** The fault for a response that does not come from the service, but from a captive portal or a proxy. */
    private static Fault foreign(int status) {
        return new Fault(Fault.Kind.MALFORMED, "not a response of the service: HTTP " + status);
    }

    /** Stops requests in progress and refuses later calls, with the fault {@code closed}. */
    void close() {
        waiting.end();
    }

    /**
     * Sends a {@code validate}, {@code activate} or {@code trial}, which are safe to repeat, because a device that already has a seat takes
     * no second seat.
     *
     * @param token the device's token, with which the service can sign that the license no longer exists
     */
    Outcome<Reply> ask(String operation, Map<String, @Nullable Object> fields, @Nullable String token) {
        var called = call(operation, fields, token == null ? Map.of() : Map.of("X-Svc-Token", token));
        var reading = called.value();
        if (reading == null) return new Outcome<>(null, called.fault());
        var reply = operation.equals("validate") ? validationReply(reading) : activationReply(operation, reading);
        // If the key in the response differs from the key in the request, the token doesn't prove which key is right, so the client keeps
        // the key that it sent. Otherwise a server that pretends to be the service could replace the license's key.
        if (reply instanceof Granted granted && fields.get("key") instanceof String sent && !Texts.isSameKey(granted.key, sent))
            reply = new Granted(granted.token, sent, granted.typeName, granted.seats);
        return reply == null ? Outcome.failed(reading.fault()) : Outcome.of(reply);
    }

    /** The devices of a license. */
    Outcome<List<Result.Device>> devices(String key, String fingerprint) {
        var called = call("devices", Map.of("key", key, "fingerprint", fingerprint), Map.of());
        var reading = called.value();
        if (reading == null) return new Outcome<>(null, called.fault());
        var devices = new ArrayList<Result.Device>();
        if (!(reading.get("list") instanceof List<?> list)) return Outcome.failed(reading.fault());
        for (var item : list) {
            var device = device(item);
            if (device == null) return Outcome.failed(reading.fault());
            devices.add(device);
        }
        return Outcome.of(List.copyOf(devices));
    }

    /**
     * The newest release that a license covers, and the headers of the request, because downloads need the same headers. If both a key and
     * a token exist, the key is sent.
     */
    Outcome<Result.Latest> latest(@Nullable String key, @Nullable String token, Map<String, @Nullable Object> fields) {
        var license = new HashMap<String, String>();
        if (key != null) license.put("x-license-key", key);
        else if (token != null) license.put("x-license-token", token);
        var called = call("releases/latest", fields, license);
        var reading = called.value();
        if (reading == null) return new Outcome<>(null, called.fault());
        license.put("x-api-key", apiKey);
        boolean isWhole = reading.status == 200 && reading.body.containsKey("update") && reading.body.containsKey("newest");
        var update = update(reading.get("update"));
        var newest = newest(reading.get("newest"));
        if (!isWhole || (update == null && reading.get("update") != null) || (newest == null && reading.get("newest") != null))
            return Outcome.failed(reading.fault());
        return Outcome.of(new Result.Latest(update, newest, Map.copyOf(license)));
    }

    /**
     * Frees the seat of the device with the given fingerprint or ref. Returns whether there was a seat.
     *
     * @param givesUpUnknown if true, and if the service doesn't know the key, the outcome is false instead of a fault
     */
    Outcome<Boolean> free(String key, @Nullable String fingerprint, @Nullable String ref, boolean givesUpUnknown) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("key", key);
        fields.put("fingerprint", fingerprint);
        fields.put("device", ref);
        var called = call("deactivate", fields, Map.of());
        var reading = called.value();
        if (reading == null) return new Outcome<>(null, called.fault());
        if (reading.status == 200 && reading.get("freed") instanceof Boolean freed) return Outcome.of(freed);
        var fault = reading.fault();
        boolean isUnknown = fault.kind() == Fault.Kind.REJECTED && "not_found".equals(reading.code);
        return givesUpUnknown && isUnknown ? Outcome.of(false) : Outcome.failed(fault);
    }

    /** Consumes an amount of a meter. A request with the same {@code id} consumes nothing more, so it is safe to repeat. */
    Outcome<Result.Consumption> consume(Map<String, @Nullable Object> fields) {
        var called = call("consume", fields, Map.of());
        var reading = called.value();
        if (reading == null) return new Outcome<>(null, called.fault());
        var meter = reading.status == 200 ? meter(reading.body) : null;
        var refusal = usageRefusal(reading);
        if (meter != null) return Outcome.of(new Result.Consumed(meter));
        return refusal == null ? Outcome.failed(reading.fault()) : Outcome.of(refusal);
    }

    /** The meters of a license. */
    Outcome<Result.Meters> meters(String key, String fingerprint) {
        var called = call("meters", Map.of("key", key, "fingerprint", fingerprint), Map.of());
        var reading = called.value();
        if (reading == null) return new Outcome<>(null, called.fault());
        var refusal = usageRefusal(reading);
        if (refusal != null) return Outcome.of(refusal);
        var meters = new ArrayList<Result.Meter>();
        if (!(reading.get("list") instanceof List<?> list)) return Outcome.failed(reading.fault());
        for (var item : list) {
            var meter = meter(item);
            if (meter == null) return Outcome.failed(reading.fault());
            meters.add(meter);
        }
        return Outcome.of(new Result.MeterList(List.copyOf(meters)));
    }

    private static Result.@Nullable UsageRefusal usageRefusal(Reading reading) {
        var reason = reading.licenseStatus() == null ? USAGE_CODES.get(reading.status + " " + reading.code) : reading.licenseStatus();
        return reason == null || !reading.hasDetail() ? null : new Result.UsageRefusal(reason, String.valueOf(reading.get("detail")));
    }

    private static Result.@Nullable Meter meter(@Nullable Object value) {
        var name = Json.filled(Json.member(value, "meter"));
        var used = Json.count(Json.member(value, "used"));
        var included = Json.count(Json.member(value, "included"));
        var remaining = Json.count(Json.member(value, "remaining"));
        var period = Json.filled(Json.member(value, "period"));
        var end = value instanceof Map<?, ?> map && map.containsKey("resets_at") ? map.get("resets_at") : "";
        var resetsAt = Timestamps.parseInstant(end);
        boolean isDamaged = end != null && resetsAt == null;
        if (isDamaged || name == null || used == null || included == null || remaining == null || period == null) return null;
        return new Result.Meter(name, used, included, remaining, period, resetsAt);
    }

    /** Creates a request that somebody approves in the browser. It ends the previous request of this device. */
    Outcome<ActivationRequest> requestActivation(Map<String, @Nullable Object> fields) {
        var called = call("activation-requests", fields, Map.of());
        var reading = called.value();
        if (reading == null) return new Outcome<>(null, called.fault());
        var secret = Json.filled(reading.get("request"));
        var userCode = Json.filled(reading.get("user_code"));
        var url = Json.filled(reading.get("url"));
        var interval = Json.count(reading.get("interval"));
        if (reading.status != 201 || secret == null || userCode == null || url == null || interval == null) return Outcome.failed(reading.fault());
        // The app opens this address, so it must not be one that starts a program.
        if (!PAGE.matcher(url).lookingAt() || !Texts.withoutWhiteSpace(url).equals(url)) return Outcome.failed(reading.fault());
        return Outcome.of(new ActivationRequest(secret, userCode, url, interval));
    }

    /** Asks once for the decision about a request. */
    Outcome<Decision> poll(String secret, String fingerprint) {
        var called = attempt("activation-requests/poll", Map.of("request", secret, "fingerprint", fingerprint), Map.of());
        var reading = called.value();
        if (reading == null) return new Outcome<>(null, called.fault());
        var decision = decision(reading);
        return decision == null ? Outcome.failed(reading.fault()) : Outcome.of(decision);
    }

    private static @Nullable Decision decision(Reading reading) {
        // A refusal of the approved license has the form of a refused activation. An unknown request is `expired`, and never 404.
        if (reading.status != 200) return reading.status == 404 ? null : activationReply("activate", reading);
        return switch (String.valueOf(reading.get("status"))) {
            case "pending" -> {
                var interval = Json.count(reading.get("interval"));
                yield interval == null ? null : new Undecided(interval);
            }
            case "denied" -> new NotApproved(State.Refusal.DENIED);
            case "expired" -> new NotApproved(State.Refusal.REQUEST_EXPIRED);
            case "approved" -> grantIn(reading.get("activation"));
            default -> null;
        };
    }

    private static @Nullable Granted grantIn(@Nullable Object body) {
        var license = Json.member(body, "license");
        var token = Json.filled(Json.member(body, "offline_token"));
        var key = Json.filled(Json.member(license, "key"));
        var typeName = Json.filled(Json.member(Json.member(license, "license_type"), "name"));
        return token == null || key == null ? null : new Granted(token, key, typeName, StoredRecord.seats(Json.member(body, "seats")));
    }

    /** For a valid key on a device without a seat, the response has neither device nor token. */
    private static @Nullable NotBound notBoundIn(Reading reading) {
        var key = Json.filled(Json.member(reading.get("license"), "key"));
        var id = Json.integer(Json.member(reading.get("license"), "id"));
        var seats = StoredRecord.seats(reading.get("seats"));
        boolean isOther = reading.body.containsKey("device") || reading.body.containsKey("offline_token") || Texts.statusName(reading.get("status")) == null;
        return isOther || key == null || id == null || seats == null ? null : new NotBound(key, id.toString(), seats, reading.verdict);
    }

    /**
     * Returns the reply in a response to a validation; null if it contains no reply of the service. A refusal without a verdict must have
     * exactly the members {@code valid} and {@code status}. A refusal with a verdict may have further members, because the verdict can
     * prove that the refusal comes from the service.
     */
    private static @Nullable Reply validationReply(Reading reading) {
        var name = Refusals.refusedStatus(reading.get("status"));
        if (reading.status != 200) return null;
        if (Boolean.TRUE.equals(reading.get("valid"))) {
            var granted = grantIn(reading.body);
            return granted == null ? notBoundIn(reading) : granted;
        }
        if (!Boolean.FALSE.equals(reading.get("valid")) || name == null || (reading.verdict == null && reading.body.size() != 2)) return null;
        return new Refused(name.equals("invalid") ? "unknown_key" : name, reading.verdict);
    }

    private static @Nullable Reply activationReply(String operation, Reading reading) {
        var code = reading.code;
        if (reading.status == 200 || reading.status == 201) return grantIn(reading.body);
        if (code == null || !reading.hasDetail()) return null;
        String name = null;
        if (reading.status == 403 && code.equals("release_not_covered")) name = "not_covered";
        else if (reading.status == 403 && code.equals("sign_in_required")) name = code;
        else if (reading.licenseStatus() != null) name = reading.licenseStatus();
        else if (reading.status == 404 && code.equals("not_found")) name = operation.equals("trial") ? "no_trial" : "unknown_key";
        else if (reading.status == 429 && SEAT_CODES.contains(code)) name = code;
        return name == null ? null : new Refused(name, reading.verdict);
    }

    private static Result.@Nullable Device device(@Nullable Object value) {
        var ref = Json.filled(Json.member(value, "ref"));
        var name = Json.text(Json.member(value, "name"));
        var platform = Json.text(Json.member(value, "platform"));
        var activatedAt = Timestamps.parseInstant(Json.member(value, "activated_at"));
        var lastSeenOn = Json.member(value, "last_seen_on");
        if (ref == null || name == null || platform == null || activatedAt == null || !isTextOrNull(lastSeenOn)) return null;
        return Json.member(value, "this") instanceof Boolean isThis
                ? new Result.Device(ref, name, platform, activatedAt, (String) lastSeenOn, isThis)
                : null;
    }

    private static boolean isTextOrNull(@Nullable Object value) {
        return value == null || value instanceof String;
    }

    private static Result.@Nullable Update update(@Nullable Object value) {
        var version = Json.filled(Json.member(value, "version"));
        var channel = Json.filled(Json.member(value, "channel"));
        var releasedAt = Timestamps.parseInstant(Json.member(value, "released_at"));
        var notes = Json.member(value, "notes");
        if (version == null || channel == null || releasedAt == null || !isTextOrNull(notes)) return null;
        if (!(Json.member(value, "artifacts") instanceof List<?> list)) return null;
        var artifacts = new ArrayList<Result.Artifact>();
        for (var item : list) {
            var artifact = artifact(item);
            if (artifact == null) return null;
            artifacts.add(artifact);
        }
        return new Result.Update(version, channel, releasedAt, (String) notes, List.copyOf(artifacts));
    }

    private static Result.@Nullable Artifact artifact(@Nullable Object value) {
        var filename = Json.filled(Json.member(value, "filename"));
        var platform = Json.filled(Json.member(value, "platform"));
        var arch = Json.filled(Json.member(value, "arch"));
        var size = Json.count(Json.member(value, "size"));
        var sha256 = Json.filled(Json.member(value, "sha256"));
        var sha512 = Json.filled(Json.member(value, "sha512"));
        var signature = Json.member(value, "signature");
        var url = Json.filled(Json.member(value, "url"));
        if (filename == null || platform == null || arch == null || size == null || sha256 == null || sha512 == null || url == null) return null;
        if (signature != null && Json.filled(signature) == null) return null;
        return new Result.Artifact(filename, platform, arch, size, sha256, sha512, (String) signature, url);
    }

    private static Result.@Nullable Newest newest(@Nullable Object value) {
        var version = Json.filled(Json.member(value, "version"));
        var releasedAt = Timestamps.parseInstant(Json.member(value, "released_at"));
        if (version == null || releasedAt == null) return null;
        return Json.member(value, "covered") instanceof Boolean covered ? new Result.Newest(version, releasedAt, covered) : null;
    }

    /** Sends a request. After a fault that may be temporary, the request is sent a second time. */
    private Outcome<Reading> call(String operation, Map<String, ? extends @Nullable Object> fields, Map<String, String> license) {
        var first = attempt(operation, fields, license);
        if (first.fault() == null || waiting.isEnded()) return first;
        var wait = Objects.requireNonNullElse(first.fault().retryAfter(), Duration.ZERO);
        if (wait.compareTo(MAX_WAIT) > 0) return first;
        var pause = Duration.ofNanos((long) (retryDelay.toNanos() * (1 + ThreadLocalRandom.current().nextDouble() / 2)));
        waiting.pause(pause.compareTo(wait) > 0 ? pause : wait);
        return attempt(operation, fields, license);
    }

    private Outcome<Reading> attempt(String operation, Map<String, ? extends @Nullable Object> fields, Map<String, String> license) {
        try {
            var request = request(operation, fields, license);
            return read(operation, waiting.within(timeout, () -> transport.send(request)));
        } catch (Waiting.EndedException error) {
            return Outcome.failed(new Fault(Fault.Kind.CLOSED, "client closed"));
        } catch (TimeoutException | SocketTimeoutException error) {
            return Outcome.failed(new Fault(Fault.Kind.TIMEOUT, "no response within " + timeout.toMillis() + " ms"));
        } catch (Exception error) {
            return Outcome.failed(new Fault(Fault.Kind.UNREACHABLE, String.valueOf(error)));
        }
    }

    private Transport.Request request(String operation, Map<String, ? extends @Nullable Object> fields, Map<String, String> license) {
        var given = new LinkedHashMap<String, @Nullable Object>(fields);
        given.values().removeIf(Objects::isNull);
        var headers = new HashMap<>(license);
        headers.put("X-API-Key", apiKey);
        if (operation.equals("validate") || operation.equals("releases/latest")) {
            var query = given.entrySet().stream().map(field -> field.getKey() + "=" + encoded((String) field.getValue())).collect(Collectors.joining("&"));
            return new Transport.Request("GET", URI.create(prefix + operation + "?" + query), headers, null, timeout);
        }
        headers.put("Content-Type", "application/json");
        return new Transport.Request("POST", URI.create(prefix + operation), headers, Json.write(given).getBytes(StandardCharsets.UTF_8), timeout);
    }

    private static String encoded(@Nullable String text) {
        return URLEncoder.encode(String.valueOf(text), StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static Outcome<Reading> read(String operation, Transport.Response response) {
        int status = response.status();
        // Not every HTTP library removes the white space around a value.
        Map<String, String> headers = new HashMap<>();
        response.headers().forEach((name, value) -> { if (value != null) headers.put(name, Texts.trim(value)); });
        var code = Json.filled(headers.get("x-svc-error-code"));
        if (REDIRECTS.contains(status)) return Outcome.failed(new Fault(Fault.Kind.UNREACHABLE, "the response is a redirect: HTTP " + status));
        if (status >= 500 || (status == 429 && (code == null || code.equals("rate_limited"))))
            return Outcome.failed(new Fault(Fault.Kind.BUSY, "HTTP " + status, retryAfter(headers.get("retry-after"))));
        if (response.body().length > Transport.MAX_RESPONSE_BYTES) return Outcome.failed(foreign(status));
        var parsed = Json.decode(response.body());
        // The lists of devices and meters are the only responses that are not objects.
        boolean isList = LISTS.contains(operation) && status == 200 && parsed != null;
        var body = isList ? Map.of("list", parsed) : Json.object(parsed);
        if (body == null) return Outcome.failed(foreign(status));
        return Outcome.of(new Reading(status, code, headers.get("x-svc-verdict"), Objects.requireNonNull(Json.object(body))));
    }

    /** The time to wait according to {@code Retry-After} (RFC 9110, section 10.2.3), at most a day. A date or 0 is ignored. */
    private static @Nullable Duration retryAfter(@Nullable String header) {
        return header != null && SECONDS.matcher(header).matches() ? Duration.ofSeconds((long) Math.min(Double.parseDouble(header), DAY)) : null;
    }
}
