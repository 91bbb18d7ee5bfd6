package licensekey;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A public key of a product.
 *
 * @param kid the key's id; null for a key that is tried for every token, regardless of the key id in the token
 * @param bytes the 32 bytes of the key
 */
record VerifyKey(@Nullable String kid, byte[] bytes, Ed25519 ed25519) {
    private static final int SIGNATURE_BYTES = 64;
    /** The order of the group (RFC 8032, section 5.1). */
    private static final BigInteger GROUP_ORDER = BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));

    private static final BigInteger FIELD_PRIME = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));
    /**
     * The y-coordinates of the points of small order. A public key must not be such a point, because anybody could forge signatures for
     * this key.
     */
    private static final Set<BigInteger> SMALL_ORDER = Set.of(
            BigInteger.ZERO,
            BigInteger.ONE,
            FIELD_PRIME.subtract(BigInteger.ONE),
            new BigInteger("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16),
            new BigInteger("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16));

    /** The first bytes of every Ed25519 key as SubjectPublicKeyInfo (RFC 8410). */
    private static final byte[] KEY_INFO = HexFormat.of().parseHex("302a300506032b6570032100");

    private static final Pattern PEM = Pattern.compile("-----BEGINPUBLICKEY-----MCowBQYDK2VwAyEA([A-Za-z0-9+/]{43}=)-----ENDPUBLICKEY-----");

    /**
     * Returns the keys of PEMs and JWK sets. Keys of a set that are not Ed25519 signature keys are left out.
     *
     * @throws IllegalArgumentException if a PEM is not an Ed25519 public key, or if a set has no usable key
     */
    static List<VerifyKey> of(List<String> sources, Ed25519 ed25519) {
        var found = new ArrayList<VerifyKey>();
        for (var source : sources) {
            var pem = PEM.matcher(Texts.withoutWhiteSpace(source));
            var keys = pem.matches()
                    ? List.of(new VerifyKey(null, Base64.getDecoder().decode(pem.group(1)), ed25519))
                    : ofSet(Json.member(Json.parse(source), "keys"), ed25519);
            keys = keys.stream().filter(VerifyKey::isTrustworthy).toList();
            if (keys.isEmpty()) throw new IllegalArgumentException("publicKeys: not an Ed25519 key: neither PEM nor JWK set");
            found.addAll(keys);
        }
        if (found.isEmpty()) throw new IllegalArgumentException("publicKeys is empty");
        return found;
    }

    private static List<VerifyKey> ofSet(@Nullable Object jwks, Ed25519 ed25519) {
        var keys = new ArrayList<VerifyKey>();
        if (jwks instanceof List<?> list)
            for (var jwk : list) {
                var bytes = Json.member(jwk, "x") instanceof String x ? Json.fromBase64Url(x) : null;
                if (bytes != null && is(jwk, "kty", "OKP") && is(jwk, "crv", "Ed25519") && isOrAbsent(jwk, "use", "sig") && isOrAbsent(jwk, "alg", "EdDSA"))
                    keys.add(new VerifyKey(Json.text(Json.member(jwk, "kid")), bytes, ed25519));
            }
        return keys;
    }

    private static boolean is(@Nullable Object jwk, String name, String value) {
        return value.equals(Json.member(jwk, name));
    }

    private static boolean isOrAbsent(@Nullable Object jwk, String name, String value) {
        return !Objects.requireNonNull(Json.object(jwk)).containsKey(name) || is(jwk, name, value);
    }

    private boolean isTrustworthy() {
        var y = number(bytes).clearBit(255);
        return bytes.length == 32 && y.compareTo(FIELD_PRIME) < 0 && !SMALL_ORDER.contains(y);
    }

    boolean verifies(byte[] message, byte[] signature) {
        if (signature.length != SIGNATURE_BYTES || number(Arrays.copyOfRange(signature, 32, SIGNATURE_BYTES)).compareTo(GROUP_ORDER) >= 0) return false;
        try {
            return ed25519.verify(bytes, message, signature);
        } catch (GeneralSecurityException error) {
            return false;
        }
    }

    private static BigInteger number(byte[] littleEndian) {
        var bigEndian = new byte[littleEndian.length];
        for (int place = 0; place < bigEndian.length; place++) bigEndian[place] = littleEndian[bigEndian.length - 1 - place];
        return new BigInteger(1, bigEndian);
    }

    /**
     * The JDK's implementation.
     *
     * @throws IllegalStateException if this platform has none
     */
    static Ed25519 ofPlatform() {
        try {
            var keys = KeyFactory.getInstance("Ed25519");
            Signature.getInstance("Ed25519");
            return (publicKey, message, signature) -> {
                var info = ByteBuffer.allocate(KEY_INFO.length + publicKey.length).put(KEY_INFO).put(publicKey).array();
                var verifier = Signature.getInstance("Ed25519");
                verifier.initVerify(keys.generatePublic(new X509EncodedKeySpec(info)));
                verifier.update(message);
                return verifier.verify(signature);
            };
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("This platform has no Ed25519: set the option ed25519", error);
        }
    }
}
