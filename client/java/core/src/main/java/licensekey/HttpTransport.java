package licensekey;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.util.Locale;
import java.util.stream.Collectors;

/** Sends requests with the HTTP client of the JDK. The class is loaded only if it is used, because Android lacks that client. */
final class HttpTransport implements Transport {
    private final HttpClient client;

    HttpTransport(HttpClient client) {
        this.client = client;
    }

    static Transport ofDefaults() {
        return new HttpTransport(HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .executor(Waiting.THREADS)
                .build());
    }

    @Override
    public Response send(Request request) throws IOException, InterruptedException {
        var body = request.body() == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(request.body());
        var asked = HttpRequest.newBuilder(request.url()).method(request.method(), body).timeout(request.timeout());
        request.headers().forEach(asked::header);
        asked.header("User-Agent", "license-key-client-java/" + LicenseClient.VERSION);
        HttpResponse<InputStream> response;
        try {
            response = client.send(asked.build(), HttpResponse.BodyHandlers.ofInputStream());
        } catch (HttpTimeoutException error) {
            throw (SocketTimeoutException) new SocketTimeoutException(error.getMessage()).initCause(error);
        }
        var headers = response.headers().map().entrySet().stream()
                .collect(Collectors.toMap(header -> header.getKey().toLowerCase(Locale.ROOT), header -> header.getValue().get(0)));
        try (var stream = response.body()) {
            // The timeout of the request ends when the headers arrive. Without a limit for the whole response, a server that sends single
            // bytes for ever would occupy a thread for ever.
            var cancel = Waiting.schedule(() -> close(stream), request.timeout());
            try {
                return new Response(response.statusCode(), headers, stream.readNBytes(MAX_RESPONSE_BYTES + 1));
            } finally {
                cancel.run();
            }
        }
    }

    private static void close(InputStream stream) {
        try {
            stream.close();
        } catch (IOException error) {
            // The thread that reads the stream gets an exception, too.
        }
    }
}
