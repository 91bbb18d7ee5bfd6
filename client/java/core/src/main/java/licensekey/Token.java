package licensekey;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Verifies offline tokens without a network. */
final class Token {
    /** Maximum tolerated difference between a device's clock and the service's clock, in milliseconds. */
    static final double CLOCK_SKEW_MS = 300_000;

    /**
     * How far a device's clock may be behind the latest time seen, in milliseconds. A day is allowed, because a wrong time zone can set a
     * clock back by several hours, and wrong time zones are more common than clocks that were set back on purpose.
     */
    static final double CLOCK_BEHIND_MS = 86_400_000;

    /** The issuer in all tokens and verdicts of the service. */
    static final String ISSUER = "license-key-service";

    private static final Pattern LICENSE_ID = Pattern.compile("[1-9][0-9]{0,15}");

    private Token() {}

    /**
     * The claims of a token. Times are in epoch milliseconds.
     *
     * @param aud the product's slug
     * @param sub the license's id
     * @param fingerprint the device to which the token is bound; null if it is bound to none
     * @param limits numbers by name that the app reads, such as the maximum number of projects
     * @param licenseEnd when the license expires; infinite if it never expires
     * @param updatesUntil the last release date that the license covers; null if there is no such limit
     * @param maxMajor the highest major version that the license covers; null if there is no such limit
     * @param leaseEnd when the seat's lease ends; null if the seat has no lease
     * @param verdicts whether the service signs its refusals; an unsigned refusal then does not end the license
     */
    record Claims(
            String aud,
            String sub,
            double iat,
            double exp,
            double nbf,
            @Nullable String fingerprint,
            String kind,
            List<String> features,
            Map<String, Long> limits,
            double licenseEnd,
            @Nullable Double updatesUntil,
            @Nullable Long maxMajor,
            @Nullable Double leaseEnd,
            boolean verdicts) {}

    /**
     * The result of verifying a token.
     *
     * @param problem the name of the first check that fails; null for a valid token
     * @param claims the claims, if all checks except {@code from_the_future} and {@code expired} have passed; otherwise null
     */
    record Verification(@Nullable String problem, @Nullable Claims claims) {}

    /**
     * The expected values of a token's claims, except the times.
     *
     * @param audience the product's slug; not compared if it is null
     */
    record Expectation(String fingerprint, @Nullable String audience, boolean allowsUnboundTokens) {}

    /**
     * Verifies a token.
     *
     * @param timeOf computes the time of the verification (epoch ms), which may depend on the token's claims
     */
    static Verification verify(List<VerifyKey> keys, String token, Expectation expected, ToDoubleFunction<Claims> timeOf) {
        var opened = Jws.open(keys, token, "JWT");
        if (opened.claims() == null) return new Verification(opened.problem(), null);
        var claims = claimsOf(opened.claims());
        if (claims == null) return new Verification("claims", null);
        if (!ISSUER.equals(opened.claims().get("iss"))) return new Verification("issuer", null);
        if (expected.audience != null && !claims.aud.equals(expected.audience)) return new Verification("audience", null);
        if (claims.fingerprint == null) {
            if (!expected.allowsUnboundTokens) return new Verification("unbound", null);
        } else if (!claims.fingerprint.equals(Texts.canonicalFingerprint(expected.fingerprint))) return new Verification("fingerprint", null);
        double now = timeOf.applyAsDouble(claims);
        if (Math.max(claims.iat, claims.nbf) > now + CLOCK_SKEW_MS) return new Verification("from_the_future", claims);
        return new Verification(now >= claims.exp + CLOCK_SKEW_MS ? "expired" : null, claims);
    }

    private static @Nullable Claims claimsOf(Map<String, @Nullable Object> claims) {
        var aud = Json.text(claims.get("aud"));
        var sub = Json.text(claims.get("sub"));
        var kind = Json.text(claims.get("kind"));
        var fingerprint = Json.text(claims.get("fingerprint"));
        var iat = Timestamps.numericDate(claims.get("iat"));
        var exp = Timestamps.numericDate(claims.get("exp"));
        var nbf = Timestamps.numericDate(claims.getOrDefault("nbf", 0.0));
        var end = claims.getOrDefault("license_expires_at", "");
        var licenseEnd = end == null ? (Double) Double.POSITIVE_INFINITY : Timestamps.parse(end);
        var features = claims.getOrDefault("features", List.of()) instanceof List<?> list && list.stream().allMatch(String.class::isInstance)
                ? list.stream().map(String.class::cast).toList()
                : null;
        var limits = limitsOf(claims.getOrDefault("limits", Map.of()));
        var updatesUntil = Timestamps.parse(claims.get("updates_until"));
        var leaseEnd = Timestamps.parse(claims.get("lease_expires_at"));
        var maxMajor = Json.count(claims.get("max_major"));
        boolean isDamaged = aud == null
                || !(claims.get("iss") instanceof String)
                || limits == null
                || (fingerprint == null && claims.containsKey("fingerprint"))
                || (updatesUntil == null && claims.get("updates_until") != null)
                || (leaseEnd == null && claims.get("lease_expires_at") != null)
                || (maxMajor == null && claims.containsKey("max_major"));
        if (isDamaged || sub == null || kind == null || iat == null || exp == null || nbf == null || licenseEnd == null || features == null) return null;
        if (!LICENSE_ID.matcher(sub).matches() || Long.parseLong(sub) > Json.MAX_INTEGER) return null;
        boolean verdicts = Boolean.TRUE.equals(claims.get("verdicts"));
        return new Claims(
                aud, sub, iat * 1000, exp * 1000, nbf * 1000, fingerprint, kind, features, limits, licenseEnd, updatesUntil, maxMajor, leaseEnd, verdicts);
    }

    /** Returns null if the value has another form. */
    private static @Nullable Map<String, Long> limitsOf(@Nullable Object value) {
        var limits = new HashMap<String, Long>();
        if (!(value instanceof Map<?, ?> map)) return null;
        for (var entry : map.entrySet()) {
            var limit = Json.count(entry.getValue());
            if (limit == null) return null;
            limits.put((String) entry.getKey(), limit);
        }
        return Map.copyOf(limits);
    }
}
