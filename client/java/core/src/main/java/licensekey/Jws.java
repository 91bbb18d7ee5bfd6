package licensekey;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A compact JWS (RFC 7515) with EdDSA over Ed25519 (RFC 8037), the form in which the service signs tokens and verdicts.
 *
 * @param claims the signed claims; null if there is a problem
 * @param problem the name of the first check that fails; null if there is none
 */
record Jws(@Nullable Map<String, @Nullable Object> claims, @Nullable String problem) {
    /** Maximum length of an accepted token, in characters; a longer one is not parsed. */
    private static final int MAX_LENGTH = 8192;

    private static Jws problem(String name) {
        return new Jws(null, name);
    }

    /** Opens a JWS whose header has the given {@code typ}, and that one of the keys has signed. */
    static Jws open(List<VerifyKey> keys, String text, String typ) {
        var parts = text.length() > MAX_LENGTH ? new String[0] : text.split("\\.", -1);
        if (parts.length != 3) return problem("malformed");
        var header = Json.object(Json.decode(Json.fromBase64Url(parts[0])));
        var claims = Json.object(Json.decode(Json.fromBase64Url(parts[1])));
        var signature = Json.fromBase64Url(parts[2]);
        if (header == null || claims == null || signature == null) return problem("malformed");
        // The client chooses the algorithm, and uses only the given keys. A token can't choose another algorithm, and a key within the
        // token is never used.
        if (!"EdDSA".equals(header.get("alg"))) return problem("algorithm");
        if (!typ.equals(header.get("typ"))) return problem("type");
        if (header.containsKey("crit")) return problem("critical");
        var content = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
        for (var key : keys) {
            boolean mayHaveSigned = key.kid() == null || !header.containsKey("kid") || key.kid().equals(header.get("kid"));
            if (mayHaveSigned && key.verifies(content, signature)) return new Jws(claims, null);
        }
        return problem("signature");
    }
}
