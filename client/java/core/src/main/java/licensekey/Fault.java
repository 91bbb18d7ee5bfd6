package licensekey;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why the service gave no decision.
 *
 * @param message a text for logs; it contains neither a license key nor a credential
 * @param retryAfter how long the service asks the client to wait; null if it doesn't ask
 */
public record Fault(Kind kind, String message, @Nullable Duration retryAfter) {
    /** What happened. */
    public enum Kind {
        /** No connection, or the connection broke. */
        UNREACHABLE,
        /** No complete response within the time limit. */
        TIMEOUT,
        /** The service failed (status 5xx), or asks the client to wait (status 429). */
        BUSY,
        /** The service refuses the request because of a mistake in the app's configuration, such as a wrong API key. */
        REJECTED,
        /** The response does not come from the service, but for example from a captive portal. */
        MALFORMED,
        /** The response contains a token or a refusal that could not be verified. */
        UNTRUSTED,
        /** The token in the response has already expired by this device's clock, so the clock is ahead. */
        CLOCK,
        /** This device could not be identified, so no request was sent. */
        DEVICE,
        /**
         * The stored data can't be read, or this device's random id can't be stored, so no request was sent. In {@link State.Licensed}: the
         * license can't be stored now; the client tries again automatically.
         */
        STORAGE,
        /** The client was closed before or during the call. */
        CLOSED;

        /** The name in lower case, as in the clients of other languages. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Fault(Kind kind, String message) {
        this(kind, message, null);
    }
}
