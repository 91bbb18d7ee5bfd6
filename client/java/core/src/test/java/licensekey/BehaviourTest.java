package licensekey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.Closeable;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the behaviour vectors (docs/client.md, Behaviour vectors). If a vector fails, apps in two languages on one device treat the same
 * license differently.
 */
class BehaviourTest {
    @TestFactory
    Stream<DynamicTest> behaviour() {
        return everyCase("behaviour");
    }

    @TestFactory
    Stream<DynamicTest> meters() {
        return everyCase("meters");
    }

    @TestFactory
    Stream<DynamicTest> signIn() {
        return everyCase("sign-in");
    }

    private static Stream<DynamicTest> everyCase(String file) {
        var content = Vectors.read(file);
        return Vectors.objects(content.get("cases")).stream().map(each -> dynamicTest(Vectors.text(each, "name"), () -> {
            var settings = new HashMap<>(Vectors.object(content.get("settings")));
            settings.putAll(each.get("settings") == null ? Map.of() : Vectors.object(each.get("settings")));
            var run = new Case(settings, each.get("stored") == null ? Map.of() : Vectors.object(each.get("stored")), Json.write(each));
            for (var step : Vectors.objects(each.get("steps"))) {
                var expected = new TreeMap<String, @Nullable Object>();
                for (var name : List.of("result", "state", "requests", "stored", "wakes_after")) expected.put(name, step.get(name));
                if (step.containsKey("sign_in")) expected.put("sign_in", step.get("sign_in"));
                assertEquals(sorted(expected), sorted(run.step(step)));
            }
        }));
    }

    /** A value as text in which the order of members doesn't matter. */
    private static String sorted(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            var members = new TreeMap<String, String>();
            map.forEach((name, member) -> members.put((String) name, sorted(member)));
            return members.toString();
        }
        return value instanceof List<?> list ? list.stream().map(BehaviourTest::sorted).toList().toString() : String.valueOf(value);
    }

    /** A result in the format of the vectors. Members for people are left out. */
    private static @Nullable Object toJson(@Nullable Object value) throws ReflectiveOperationException {
        if (value instanceof Instant time) return Timestamps.format(time);
        if (value instanceof Duration time) return (double) time.toSeconds();
        if (value instanceof Long number) return (double) number;
        if (value instanceof Enum<?> name) return name.toString();
        if (value instanceof List<?> list) {
            var items = new ArrayList<@Nullable Object>();
            for (var item : list) items.add(toJson(item));
            return items;
        }
        if (value instanceof Map<?, ?> map) {
            var members = new HashMap<String, @Nullable Object>();
            for (var member : map.entrySet()) members.put((String) member.getKey(), toJson(member.getValue()));
            return members;
        }
        if (!(value instanceof java.lang.Record)) return value;
        var members = new LinkedHashMap<String, @Nullable Object>();
        if (value instanceof Result result) members.put("status", result.status());
        for (var component : value.getClass().getRecordComponents()) {
            var name = component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
            var member = component.getAccessor().invoke(value);
            if (name.equals("limits") && Map.of().equals(member)) continue;
            boolean isOptional = Set.of("fault", "key", "reason", "retry_after").contains(name) || (value instanceof State.Refused && name.equals("updates"));
            if (!name.equals("message") && !(member instanceof State.Refusal) && !(isOptional && member == null)) members.put(name, toJson(member));
        }
        return members;
    }

    /** A storage whose operations fail if the test case says so. */
    private static final class ScriptedStorage extends Storage.Memory {
        private final String record;
        private @Nullable String fault;
        private double failingRenames;
        /** The text that replaces the record when the client next takes its lock. */
        private @Nullable String between;

        ScriptedStorage(String record) {
            this.record = record;
        }

        private void failIf(String what) throws IOException {
            if (what.equals(fault)) throw new IOException("the storage is " + what);
        }

        @Override
        public @Nullable String get(String name) throws IOException {
            failIf("unreadable");
            return super.get(name);
        }

        @Override
        public void set(String name, String text) throws IOException {
            failIf("unwritable");
            if (failingRenames-- > 0) throw new IOException("the file is in use");
            super.set(name, text);
        }

        @Override
        public void remove(String name) throws IOException {
            failIf("unwritable");
            super.remove(name);
        }

        @Override
        public Closeable lock(String name) throws IOException {
            var lock = super.lock(name);
            if (name.equals(record) && between != null) super.set(name, between);
            if (name.equals(record)) between = null;
            return lock;
        }
    }

    /** Runs a test case: controls the clock, the network, the device and the storage of its clients. */
    private static final class Case {
        private static final Pattern MADE_ID = Pattern.compile("\\b[0-9a-f]{64}\\b");

        private final Map<String, @Nullable Object> settings;
        private final String name;
        private final ScriptedStorage storage;
        /** The whole case. Ids of 64 hex digits that are not in it were made by the client. */
        private final String given;
        private final Map<String, LicenseClient> clients = new HashMap<>();
        private final Map<String, @Nullable Double> wakesAfter = new HashMap<>();
        private final Queue<@Nullable Object> responses = new LinkedList<>();
        /** The responses to the questions of an activation in the browser. */
        private final Queue<@Nullable Object> polls = new LinkedList<>();
        private final List<Object> requests = new ArrayList<>();
        private final List<Object> pauses = new ArrayList<>();
        private final Map<String, @Nullable Object> signIn = new HashMap<>();
        private double now;
        private @Nullable String fingerprint;

        Case(Map<String, @Nullable Object> settings, Map<String, @Nullable Object> stored, String given) throws IOException {
            this.settings = settings;
            var address = Vectors.text(settings, "base_url").replaceAll("^https?://", "").replaceAll("[^a-z0-9.-]+", "_");
            this.name = "license-key-service." + Json.integer(settings.get("product_id")) + "." + address;
            this.storage = new ScriptedStorage(name);
            this.given = given;
            if (stored.containsKey("record")) storage.set(name, written(stored.get("record")));
            if (stored.containsKey("device")) storage.set(name + ".device", Vectors.text(stored, "device"));
            if (stored.containsKey("queue")) storage.set(name + ".queue", written(stored.get("queue")));
        }

        private static String written(@Nullable Object value) {
            return value instanceof String text ? text : Json.write(value);
        }

        Map<String, @Nullable Object> step(Map<String, @Nullable Object> step) throws Exception {
            now = Objects.requireNonNull(Json.number(step.get("now")));
            if (step.containsKey("fingerprint")) fingerprint = Json.text(step.get("fingerprint"));
            storage.fault = Json.text(step.get("storage"));
            storage.failingRenames = Objects.requireNonNullElse(Json.number(step.get("failing_renames")), 0.0);
            responses.addAll(Vectors.list(step.get("responses")));
            polls.addAll(Vectors.list(step.get("polls")));
            requests.clear();
            pauses.clear();
            signIn.clear();
            var of = Objects.requireNonNullElse(Json.text(step.get("client")), "first");
            if (Boolean.TRUE.equals(step.get("restart"))) clients.remove(of);
            var client = clients.computeIfAbsent(of, this::start);
            var arguments = step.get("arguments") == null ? Map.<String, @Nullable Object>of() : Vectors.object(step.get("arguments"));
            var called = call(client, Vectors.text(step, "call"), arguments);
            var result = toJson(called instanceof CompletableFuture<?> future ? future.get() : called);
            client.idle().get();
            assertEquals(0, responses.size() + polls.size(), "responses that were not asked for");
            storage.fault = null;
            storage.between = null;
            var stored = new HashMap<String, @Nullable Object>();
            stored.put("record", parsed(storage.get(name)));
            stored.put("device", storage.get(name + ".device"));
            if (storage.get(name + ".queue") != null) stored.put("queue", parsed(storage.get(name + ".queue")));
            var seen = new LinkedHashMap<String, @Nullable Object>();
            seen.put("result", result);
            seen.put("state", toJson(client.state()));
            if (!signIn.isEmpty()) seen.put("sign_in", signIn);
            seen.put("requests", requests);
            seen.put("stored", stored);
            seen.put("wakes_after", wakesAfter.get(of));
            var text = MADE_ID.matcher(Json.write(seen)).replaceAll(id -> given.contains(id.group()) ? id.group() : "<random id>");
            return Vectors.object(Json.parse(text, Vectors.LEVELS));
        }

        private static @Nullable Object parsed(@Nullable String text) {
            return text == null ? null : Objects.requireNonNullElse(Json.parse(text, Vectors.LEVELS), text);
        }

        private LicenseClient start(String of) {
            var builder = Vectors.client(settings)
                    .grace(Duration.ofDays(Objects.requireNonNull(Json.integer(settings.get("grace_days")))))
                    .allowUnboundTokens(Boolean.TRUE.equals(settings.get("allow_unbound_tokens")))
                    .offline("queue".equals(settings.get("offline")) ? Offline.QUEUE : Offline.REFUSE)
                    .storage(storage)
                    .fingerprint(() -> {
                        if ("fails".equals(fingerprint)) throw new IOException("access denied");
                        return fingerprint;
                    })
                    .transport(this::respond)
                    .clock(Vectors.clock(() -> Instant.ofEpochMilli((long) (now * 1000))))
                    .schedule((task, after) -> {
                        if (!polls.isEmpty()) {
                            pauses.add(after.toMillis() / 1000.0);
                            now += after.toMillis() / 1000.0;
                            task.run();
                            return () -> {};
                        }
                        wakesAfter.put(of, after.toMillis() / 1000.0);
                        return () -> wakesAfter.put(of, null);
                    });
            var release = settings.get("release");
            return (release == null ? builder : builder.release(release(Vectors.object(release)))).build();
        }

        private static Release release(Map<String, @Nullable Object> release) {
            return new Release(Json.text(release.get("version")), Timestamps.parseInstant(release.get("released_at")));
        }

        private Transport.Response respond(Transport.Request request) throws IOException {
            var asked = new HashMap<String, @Nullable Object>(Map.of("method", request.method(), "path", request.url().getPath()));
            if (request.body() == null) {
                var query = new HashMap<String, Object>();
                for (var field : Objects.requireNonNullElse(request.url().getRawQuery(), "").split("&")) {
                    var parts = field.split("=", 2);
                    if (parts.length == 2) query.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
                }
                var headers = new HashMap<String, Object>();
                request.headers().forEach((header, value) -> {
                    if (header.toLowerCase(Locale.ROOT).matches("x-license-.*|x-svc-token")) headers.put(header.toLowerCase(Locale.ROOT), value);
                });
                asked.put("query", query);
                asked.put("headers", headers);
            } else {
                asked.put("body", Json.decode(request.body()));
            }
            requests.add(asked);
            var next = (request.url().getPath().endsWith("/poll") ? polls : responses).remove();
            if (next instanceof String problem) throw new IOException(problem);
            var response = Vectors.object(next);
            now = Objects.requireNonNullElse(Json.number(response.get("clock")), now);
            if (response.containsKey("meanwhile")) storage.set(name, Json.write(response.get("meanwhile")));
            storage.between = response.containsKey("between") ? Json.write(response.get("between")) : null;
            if (response.get("storage") != null) storage.fault = Json.text(response.get("storage"));
            var headers = new HashMap<String, String>();
            if (response.get("headers") != null)
                Vectors.object(response.get("headers")).forEach((header, value) -> headers.put(header.toLowerCase(Locale.ROOT), (String) value));
            var status = Objects.requireNonNull(Json.integer(response.get("status"))).intValue();
            return new Transport.Response(status, headers, written(response.get("body")).getBytes(StandardCharsets.UTF_8));
        }

        private @Nullable Object call(LicenseClient client, String call, Map<String, @Nullable Object> given) {
            var labels = new Labels(Json.text(given.get("name")), Json.text(given.get("platform")));
            var key = Json.text(given.get("key"));
            switch (call) {
                case "check":
                    return client.check();
                case "validate":
                    return client.validate();
                case "activate":
                    return client.activate(Objects.requireNonNull(key), labels, Json.text(given.get("replace")));
                case "activate_in_browser":
                    signIn.put("code", null);
                    signIn.put("url", null);
                    signIn.put("pauses", pauses);
                    return client.activateInBrowser(labels, code -> signIn.put("code", code), url -> signIn.put("url", url));
                case "trial":
                    return client.trial(labels, Json.text(given.get("customer_email")));
                case "deactivate":
                    return client.deactivate();
                case "forget":
                    return client.forget();
                case "devices":
                    return key == null ? client.devices() : client.devices(key);
                case "free":
                    var ref = Vectors.text(given, "ref");
                    return key == null ? client.free(ref) : client.free(ref, key);
                case "latest":
                    var version = Json.text(given.get("version"));
                    return client.latest(new Target(labels.platform(), Json.text(given.get("arch")), Json.text(given.get("channel")), version));
                case "offline_request":
                    return client.offlineRequest(Objects.requireNonNull(key), labels);
                case "import_token":
                    return client.importToken(Vectors.text(given, "token"));
                case "consume":
                    var amount = Objects.requireNonNull(Json.integer(given.get("amount")));
                    var id = Json.text(given.get("id"));
                    var meter = Vectors.text(given, "meter");
                    return id == null ? client.consume(meter, amount) : client.consume(meter, amount, id);
                case "meters":
                    return client.meters();
                case "pending":
                    return client.pending();
                case "limit":
                    return client.limit(Vectors.text(given, "limit"));
                case "fingerprint":
                    return client.fingerprint();
                case "covers":
                    return given.isEmpty() ? client.covers() : client.covers(release(given));
                case "has":
                    return client.has(Vectors.text(given, "feature"));
                case "close":
                    if (Boolean.TRUE.equals(given.get("release"))) return client.closeAndFreeSeat();
                    client.close();
                    return null;
                default:
                    throw new IllegalArgumentException(call);
            }
        }
    }
}
