package licensekey;

import java.security.GeneralSecurityException;

/**
 * Verifies Ed25519 signatures (RFC 8032). The client uses the JDK's implementation. On a platform without it, such as Android, pass an
 * implementation to {@link LicenseClient.Builder#ed25519}.
 */
@FunctionalInterface
public interface Ed25519 {
    /**
     * Whether a public key has signed a message.
     *
     * @param publicKey 32 bytes (RFC 8032, section 5.1.5)
     * @param signature 64 bytes, whose second half is below the order of the group
     * @throws GeneralSecurityException if the signature is malformed; the client then treats it as wrong
     */
    boolean verify(byte[] publicKey, byte[] message, byte[] signature) throws GeneralSecurityException;
}
