package licensekey;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP requests. The default is {@link Transport#ofJdk}. Replace it on a platform without {@code java.net.http}, such as Android, or
 * in tests of your app.
 */
@FunctionalInterface
public interface Transport {
    /** Maximum size of a response, in bytes. A transport may stop reading one byte after this maximum. */
    int MAX_RESPONSE_BYTES = 1_048_576;

    /**
     * Sends a request, and returns the complete response, whatever its status is. The transport must not follow redirects, because only the
     * service may receive the license key.
     *
     * @throws java.net.SocketTimeoutException if there is no complete response within the time limit
     * @throws IOException if there is no complete response for another reason
     */
    Response send(Request request) throws IOException, InterruptedException;

    /**
     * A request.
     *
     * @param body null for GET
     * @param timeout after this time the client no longer waits for the response
     */
    record Request(String method, URI url, Map<String, String> headers, byte @Nullable [] body, Duration timeout) {}

    /**
     * A response.
     *
     * @param headers with names in lower case
     */
    record Response(int status, Map<String, String> headers, byte[] body) {}

    /**
     * Returns a transport with the HTTP client of the JDK, which uses the JVM's proxies and certificates.
     *
     * @param client a client of yours, for example with a login for a proxy; it must not follow redirects
     */
    static Transport ofJdk(java.net.http.HttpClient client) {
        return new HttpTransport(client);
    }
}
