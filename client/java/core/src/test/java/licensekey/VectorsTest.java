package licensekey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.ThrowingConsumer;

/**
 * Tests tokens, verdicts, fingerprints, coverage and requests. If a test fails, this client accepts something that other clients of the
 * service refuse, or refuses something that they accept.
 */
class VectorsTest {
    private static Stream<DynamicTest> each(String file, String list, ThrowingConsumer<Map<String, @Nullable Object>> test) {
        var content = Vectors.read(file);
        return Vectors.objects(content.get(list)).stream().map(vector -> {
            var given = new HashMap<>(content.get("defaults") == null ? Map.of() : Vectors.object(content.get("defaults")));
            if (vector.get("given") != null) given.putAll(Vectors.object(vector.get("given")));
            given.putAll(vector);
            return dynamicTest(Vectors.text(vector, "name"), () -> test.accept(given));
        });
    }

    @TestFactory
    Stream<DynamicTest> tokens() {
        assertEquals(Token.CLOCK_SKEW_MS, Objects.requireNonNull(Json.number(Vectors.read("tokens").get("clock_skew"))) * 1000);
        return each("tokens", "tokens", vector -> {
            for (var key : List.of(Vectors.text(vector, "public_key_pem"), Json.write(vector.get("jwks")))) {
                var expected = new Token.Expectation(
                        Vectors.text(vector, "fingerprint"), Json.text(vector.get("audience")), Boolean.TRUE.equals(vector.get("allow_unbound_tokens")));
                double now = Objects.requireNonNull(Json.number(vector.get("now"))) * 1000;
                var verified = Token.verify(VerifyKey.of(List.of(key), VerifyKey.ofPlatform()), Vectors.text(vector, "token"), expected, claims -> now);
                assertEquals(vector.get("problem"), verified.problem());
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> verdicts() {
        return each("verdicts", "verdicts", vector -> {
            var issuedAt = Json.number(vector.get("token_issued_at"));
            var expected = new Verdict.Expectation(
                    Json.text(vector.get("audience")),
                    Json.text(vector.get("license_id")),
                    Vectors.text(vector, "fingerprint"),
                    issuedAt == null ? null : (Double) (issuedAt * 1000));
            var keys = VerifyKey.of(List.of(Vectors.text(vector, "public_key_pem")), VerifyKey.ofPlatform());
            var verified = Verdict.verify(keys, Vectors.text(vector, "verdict"), expected);
            assertEquals(vector.get("problem"), verified.problem());
            assertEquals(vector.getOrDefault("status", ""), verified.status());
        });
    }

    @TestFactory
    Stream<DynamicTest> fingerprints() {
        var app = Vectors.text(Vectors.read("fingerprints"), "app");
        return each("fingerprints", "fingerprints", vector -> {
            var platform = Vectors.text(vector, "platform");
            var shown = Vectors.text(vector, "shown");
            assertEquals(vector.get("machine_id"), Fingerprint.parseMachineId(platform, shown));
            assertEquals(vector.get("fingerprint"), Fingerprint.ofMachine(platform, path -> shown, command -> shown));
            assertEquals(vector.get("app_fingerprint"), Fingerprint.ofApp(app, platform, path -> shown, command -> shown));
        });
    }

    @TestFactory
    Stream<DynamicTest> coverage() {
        return each("coverage", "cases", vector -> {
            var updates = new State.Updates(Timestamps.parseInstant(vector.get("updates_until")), Json.integer(vector.get("max_major")));
            var release = new Release(Json.text(vector.get("version")), Timestamps.parseInstant(vector.get("released_at")));
            assertEquals(vector.get("covered"), updates.covers(release));
        });
    }

    /** This client only writes requests; the operator's tools read them. */
    @TestFactory
    Stream<DynamicTest> requests() {
        return each("requests", "requests", vector -> {
            var request = Json.object(vector.get("request"));
            if (request == null || !Vectors.text(vector, "name").matches("with labels|without labels")) return;
            var written = new OfflineRequest(
                            Objects.requireNonNull(Json.integer(request.get("product"))),
                            Vectors.text(request, "key"),
                            Vectors.text(request, "fingerprint"),
                            Json.text(request.get("name")),
                            Json.text(request.get("platform")))
                    .write();
            assertEquals(vector.get("text"), written);
        });
    }
}
