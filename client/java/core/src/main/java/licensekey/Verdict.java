package licensekey;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A refusal that the service signs and sends in the response header {@code X-Svc-Verdict}.
 *
 * @param problem the name of the first check that fails; null if the verdict is valid
 * @param status the signed status; empty if there is a problem
 * @param iat when the verdict was signed, in epoch milliseconds
 */
record Verdict(@Nullable String problem, String status, double iat) {
    /**
     * What a verdict must contain. Values that are null are not compared.
     *
     * @param audience the product's slug, from the app's options or from the held token
     * @param licenseId the license's id in the held token
     * @param tokenIat the {@code iat} of the held token (epoch ms). A verdict that is older than the token no longer applies
     */
    record Expectation(@Nullable String audience, @Nullable String licenseId, String fingerprint, @Nullable Double tokenIat) {}

    private static Verdict problem(String name) {
        return new Verdict(name, "", 0);
    }

    /**
     * Verifies a verdict in a response to a request of this client. The verdict's times are not compared with this device's clock, because
     * a revoked license must not stay valid on a device with a wrong clock.
     */
    static Verdict verify(List<VerifyKey> keys, String text, Expectation expected) {
        var opened = Jws.open(keys, text, "verdict+jwt");
        var claims = opened.claims();
        if (claims == null) return problem(String.valueOf(opened.problem()));
        var status = Texts.statusName(claims.get("status"));
        var iat = Timestamps.numericDate(claims.get("iat"));
        boolean hasTexts = Stream.of("iss", "aud", "sub", "fingerprint").map(claims::get).allMatch(String.class::isInstance);
        if (!hasTexts || status == null || iat == null) return problem("claims");
        if (!Token.ISSUER.equals(claims.get("iss"))) return problem("issuer");
        if (expected.audience != null && !expected.audience.equals(claims.get("aud"))) return problem("audience");
        if (expected.licenseId != null && !expected.licenseId.equals(claims.get("sub"))) return problem("license");
        if (!expected.fingerprint.equals(claims.get("fingerprint"))) return problem("fingerprint");
        if (expected.tokenIat != null && iat * 1000 < expected.tokenIat) return problem("older_than_token");
        return new Verdict(null, status, iat * 1000);
    }
}
