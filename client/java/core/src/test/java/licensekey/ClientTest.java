package licensekey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the client with real files, sockets and threads, which the vectors can't cover. */
@Timeout(120)
class ClientTest {
    private static final Map<String, @Nullable Object> SETTINGS = Vectors.object(Vectors.read("behaviour").get("settings"));
    private static final Map<String, @Nullable Object> ACTIVATION = Vectors.objects(Vectors.read("behaviour").get("cases")).stream()
            .filter(each -> Vectors.text(each, "name").equals("activate: takes a seat"))
            .map(each -> Vectors.objects(each.get("steps")).get(0))
            .findFirst()
            .orElseThrow();
    private static final Instant NOW = Instant.ofEpochSecond(Json.integer(ACTIVATION.get("now")));
    private static final byte[] GRANT =
            Json.write(Vectors.objects(ACTIVATION.get("responses")).get(0).get("body")).getBytes(StandardCharsets.UTF_8);
    private static final Transport.Response GRANTED = new Transport.Response(200, Map.of(), GRANT);
    private static final String KEY = "9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z";

    @TempDir
    Path temporary;

    private Path folder() {
        return temporary.resolve("app");
    }

    private static LicenseClient.Builder client() {
        var fingerprint = Vectors.text(ACTIVATION, "fingerprint");
        return Vectors.client(SETTINGS).fingerprint(() -> fingerprint).clock(Clock.fixed(NOW, ZoneOffset.UTC));
    }

    private static Transport unreachable() {
        return request -> {
            throw new IOException("unreachable");
        };
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        for (int attempt = 0; attempt < 6000 && !condition.getAsBoolean(); attempt++) Thread.sleep(10);
        assertTrue(condition.getAsBoolean());
    }

    private static List<String> names(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static Fault.@Nullable Kind faultOf(Result result) {
        var fault = ((State.OfflineWithoutToken) result).fault();
        return fault == null ? null : fault.kind();
    }

    // Files

    @Test
    void onlyTheirOwnerMayReadTheFiles() throws IOException {
        var storage = new FileStorage(folder());
        storage.set("a", "ü");
        assertEquals("ü", Files.readString(folder().resolve("a.json")));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder())));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder().resolve("a.json"))));
        assertEquals(List.of("a.json"), names(folder()));
    }

    /** A draft that a killed process has left also contains the license. */
    @Test
    void aTextIsRemovedTogetherWithItsDrafts() throws IOException {
        var storage = new FileStorage(folder());
        storage.remove("a");
        storage.set("a", "x");
        storage.set("a.device", "x");
        Files.writeString(folder().resolve("a.json.0123456789ab.tmp"), "a license key");
        storage.remove("a");
        assertEquals(List.of("a.device.json"), names(folder()));
    }

    @Test
    void aFileThatCanNotBeReadIsNotTakenForAMissingFile() throws IOException {
        Files.createDirectories(folder().resolve("a.json"));
        assertThrows(IOException.class, () -> new FileStorage(folder()).get("a"));
    }

    @Test
    void oneThreadAtATimeHoldsALock() throws Exception {
        var storage = new FileStorage(folder());
        var entered = Collections.synchronizedList(new ArrayList<Integer>());
        var threads = Stream.iterate(0, number -> number + 1).limit(8).map(number -> CompletableFuture.runAsync(() -> {
            try (var lock = storage.lock("a")) {
                entered.add(number);
                entered.add(number);
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        }, Executors.newCachedThreadPool()));
        for (var thread : threads.toList()) thread.get();
        for (int place = 0; place < 16; place += 2) assertEquals(entered.get(place), entered.get(place + 1));
        assertEquals(List.of(), names(folder()));
    }

    /** Otherwise a process that was killed at the wrong moment would prevent all later activations on this computer. */
    @Test
    void aLicenseIsStoredEvenIfNobodyReleasesTheLock() throws Exception {
        List<Consumer<Path>> locks = List.of(
                lock -> run(() -> Files.writeString(lock, "a process that has crashed")),
                lock -> run(() -> Files.createDirectories(lock.resolve("of something else"))),
                lock -> run(() -> Files.createSymbolicLink(lock, folder().resolve("nothing"))));
        for (var make : locks) {
            var own = Files.createTempDirectory(temporary, "app");
            make.accept(own.resolve("app.lock"));
            var cache = new Cache(new FileStorage(own), "app", Duration.ofSeconds(20), Duration.ZERO, (message, cause) -> {});
            cache.change(record -> StoredRecord.parse("{\"v\":1,\"key\":\"KEY\"}"));
            assertEquals("{\"v\":1,\"key\":\"KEY\"}", Files.readString(own.resolve("app.json")));
        }
    }

    private interface Task {
        Object run() throws IOException;
    }

    private static void run(Task task) {
        try {
            task.run();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    @Test
    void twoClientsThatShareAFolderShareTheLicense() throws Exception {
        try (var first = client().storage(new FileStorage(folder())).transport(request -> GRANTED).build();
                var second = client().storage(new FileStorage(folder())).transport(unreachable()).build()) {
            assertEquals("unbound", second.check().get().status());
            assertInstanceOf(State.Licensed.class, first.activate(KEY).get());
            assertInstanceOf(State.Licensed.class, second.check().get());
            assertTrue(second.has("export"));
            assertFalse(second.has("other"));
        }
    }

    /** If the lock were lost, every process that takes a seat would first wait for it until the time limit. */
    @Test
    void aSeatLockThatIsTakenAfterTheWaitIsReleased() throws Exception {
        var go = new CountDownLatch(1);
        var released = new CountDownLatch(1);
        var storage = new Storage.Memory() {
            @Override
            public Closeable lock(String name) throws IOException {
                run(() -> {
                    try {
                        go.await();
                    } catch (InterruptedException error) {
                        throw new IOException(error);
                    }
                    return name;
                });
                return released::countDown;
            }
        };
        new Cache(storage, "app", Duration.ofMillis(1), Duration.ZERO, (message, cause) -> {}).exclusively("seat", new Waiting(), () -> true);
        go.countDown();
        released.await();
    }

    // Threads

    /** Otherwise ten windows of one app would ask the service ten times. */
    @Test
    void callsAtTheSameTimeShareOneRequest() throws Exception {
        var go = new CountDownLatch(1);
        var requests = new ConcurrentLinkedQueue<Transport.Request>();
        var client = client().timeout(Duration.ofMinutes(1)).transport(request -> {
            requests.add(request);
            if (request.method().equals("GET")) go.await();
            return GRANTED;
        }).build();
        client.activate(KEY).get();
        var calls = Stream.generate(client::validate).limit(10).toList();
        until(() -> requests.size() == 2 && sharing() == 10);
        go.countDown();
        for (var call : calls) assertEquals("licensed", call.get().status());
        assertEquals(2, requests.size());
    }

    /** The number of threads that run a shared task or wait for its result. */
    private static long sharing() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getState() == Thread.State.WAITING)
                .filter(each -> Stream.of(each.getValue()).anyMatch(frame -> frame.getClassName().equals(Waiting.Shared.class.getName())))
                .count();
    }

    /** If a listener calls the client or fails, the app must not hang. */
    @Test
    void aListenerMayCallTheClientAndMayFail() throws Exception {
        var client = client().transport(request -> GRANTED).build();
        var seen = Collections.synchronizedList(new ArrayList<String>());
        var stop = client.subscribe(state -> {
            seen.add(state.status());
            client.check().join();
            throw new IllegalStateException("a listener's own fault");
        });
        client.check().get();
        client.activate(KEY).get();
        stop.run();
        client.deactivate().get();
        client.idle().get();
        assertEquals(List.of("unbound", "licensed"), seen.subList(0, 2));
    }

    @Test
    void aListenerMayCloseTheClient() throws Exception {
        var client = client().transport(request -> GRANTED).build();
        var closed = new CountDownLatch(1);
        client.subscribe(state -> {
            client.close();
            closed.countDown();
        });
        client.check().get();
        closed.await();
        assertEquals(Fault.Kind.CLOSED, faultOf(client.activate(KEY).get()));
    }

    /** The unreadable cache may contain a license, so the client sends no request that could take a seat. */
    @Test
    void aStorageThatHangsCostsNoMoreThanItsTime() throws Exception {
        var go = new CountDownLatch(1);
        var storage = new Storage.Memory() {
            @Override
            public @Nullable String get(String name) throws IOException {
                try {
                    go.await();
                } catch (InterruptedException error) {
                    throw new IOException(error);
                }
                return null;
            }
        };
        var state = client().storage(storage).timeout(Duration.ofMillis(50)).transport(unreachable()).build().check().get();
        assertEquals(new State.OfflineWithoutToken("storage_failed", new Fault(Fault.Kind.STORAGE, "the license cache was not read")), state);
        go.countDown();
    }

    /** A network that doesn't respond must not delay the end of an app. */
    @Test
    void closeEndsARequestInProgress() throws Exception {
        var asked = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var client = client().timeout(Duration.ofMinutes(1)).transport(request -> {
            asked.countDown();
            go.await();
            return GRANTED;
        }).build();
        var activation = client.activate(KEY);
        asked.await();
        client.close();
        assertEquals(Fault.Kind.CLOSED, faultOf(activation.get()));
        go.countDown();
    }

    /** While another process takes a seat, which lasts as long as its network is slow, an app must be able to end. */
    @Test
    void closeEndsAWaitForAnotherProcess() throws Exception {
        var go = new CountDownLatch(1);
        var storage = new Storage.Memory() {
            @Override
            public Closeable lock(String name) throws IOException {
                try {
                    if (name.endsWith(".seat")) go.await();
                } catch (InterruptedException error) {
                    throw new IOException(error);
                }
                return super.lock(name);
            }
        };
        var client = client().timeout(Duration.ofMinutes(1)).storage(storage).transport(unreachable()).build();
        var activation = client.activate(KEY);
        client.close();
        assertEquals(Fault.Kind.CLOSED, faultOf(activation.get(1, TimeUnit.MINUTES)));
        go.countDown();
    }

    /** If an activation is cancelled, its seat may already be taken, so the client must still store the result. */
    @Test
    void aCancelledActivationIsStillStored() throws Exception {
        var asked = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var client = client().transport(request -> {
            asked.countDown();
            go.await();
            return GRANTED;
        }).build();
        var activation = client.activate(KEY);
        asked.await();
        activation.cancel(true);
        go.countDown();
        until(() -> client.state() instanceof State.Licensed);
    }

    private static Transport.Response json(int status, String body) {
        return new Transport.Response(status, Map.of(), body.getBytes(StandardCharsets.UTF_8));
    }

    /** A service at which nobody approves a sign-in. {@code onPoll} gets the number of each question. */
    private static Transport unapproved(IntConsumer onPoll) {
        var polls = new AtomicInteger();
        return request -> {
            if (!request.url().getPath().endsWith("/poll"))
                return json(201, "{\"request\": \"secret\", \"user_code\": \"7KQ2-9MXB\", \"url\": \"https://portal.example.com/\", \"interval\": 0}");
            onPoll.accept(polls.incrementAndGet());
            return json(200, "{\"status\": \"pending\", \"interval\": 0}");
        };
    }

    /** If the user closes the dialog, the app must not ask the service for ten minutes more. */
    @Test
    void aCancelledSignInAsksNoMore() throws Exception {
        var polls = new AtomicInteger();
        var ended = new CountDownLatch(1);
        var signIn = new AtomicReference<@Nullable CompletableFuture<?>>();
        var storage = new Storage.Memory() {
            @Override
            public Closeable lock(String name) throws IOException {
                // A sign-in ends with the lock for seats.
                if (name.endsWith(".seat")) ended.countDown();
                return super.lock(name);
            }
        };
        var client = client().storage(storage).transport(unapproved(count -> {
            polls.set(count);
            while (signIn.get() == null) Thread.onSpinWait();
            if (count == 3) signIn.get().cancel(false);
        })).build();
        signIn.set(client.activateInBrowser(Labels.NONE, code -> {}, url -> {}));
        ended.await();
        assertEquals(3, polls.get());
        assertNull(client.state());
    }

    /** An app must be able to end while its user signs in. A computer without a browser can use that of another one. */
    @Test
    void closeEndsASignInDuringAPauseOfMinutes() throws Exception {
        var codes = new ConcurrentLinkedQueue<String>();
        var warnings = new ConcurrentLinkedQueue<String>();
        var paused = new CountDownLatch(1);
        var client = client()
                .transport(unapproved(count -> {}))
                .onWarning((message, cause) -> warnings.add(cause.getMessage()))
                .schedule((task, after) -> {
                    paused.countDown();
                    return () -> {};
                })
                .build();
        var signIn = client.activateInBrowser(Labels.NONE, codes::add, url -> {
            throw new IOException("there is no browser");
        });
        paused.await();
        client.close();
        assertEquals(Fault.Kind.CLOSED, faultOf(signIn.get()));
        assertEquals(List.of("7KQ2-9MXB", "there is no browser"), Stream.concat(codes.stream(), warnings.stream()).toList());
    }

    /** An app that runs for weeks must notice that its license was revoked. */
    @Test
    void theStateChangesByItselfWhenTheTokenEnds() throws Exception {
        var now = new Instant[] {NOW};
        Queue<Runnable> tasks = new ArrayDeque<>();
        var responses = new ArrayDeque<>(List.of(GRANTED, json(200, "{\"valid\": false, \"status\": \"revoked\"}")));
        var client = Vectors.client(SETTINGS)
                .fingerprint(() -> Vectors.text(ACTIVATION, "fingerprint"))
                .transport(request -> responses.remove())
                .clock(Vectors.clock(() -> now[0]))
                .schedule((task, after) -> {
                    tasks.add(task);
                    return () -> tasks.remove(task);
                })
                .build();
        client.activate(KEY).get();
        now[0] = now[0].plus(Duration.ofDays(8));
        tasks.remove().run();
        client.idle().get();
        assertEquals(new State.Refused(State.Refusal.REVOKED, null, null), client.state());
    }

    // HTTP

    private interface Check {
        void run() throws InterruptedException;
    }

    private interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    /** Activates a key at a test server that responds instead of the service. */
    private static Result activate(Duration timeout, Handler handler) throws Exception {
        return activate(timeout, handler, () -> {});
    }

    /** Before the server stops, {@code check} is called. */
    private static Result activate(Duration timeout, Handler handler, Check check) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            handler.handle(exchange);
        });
        server.start();
        var settings = new java.util.HashMap<>(SETTINGS);
        settings.put("base_url", "http://127.0.0.1:" + server.getAddress().getPort());
        try (var client = Vectors.client(settings)
                .fingerprint(() -> Vectors.text(ACTIVATION, "fingerprint"))
                .clock(Clock.fixed(NOW, ZoneOffset.UTC))
                .timeout(timeout)
                .build()) {
            var result = client.activate(KEY).get();
            check.run();
            return result;
        } finally {
            server.stop(0);
            threads.shutdownNow();
        }
    }

    private static void respond(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Test
    void aResponseOfTheServiceIsRead() throws Exception {
        assertInstanceOf(State.Licensed.class, activate(Duration.ofMinutes(1), exchange -> respond(exchange, 200, GRANT)));
        assertEquals(new State.Refused(State.Refusal.UNKNOWN_KEY, null, null), activate(Duration.ofMinutes(1), exchange -> {
            exchange.getResponseHeaders().add("X-Svc-Error-Code", "not_found");
            respond(exchange, 404, "{\"detail\": \"There is no such key.\"}".getBytes(StandardCharsets.UTF_8));
        }));
    }

    /** Only the service may receive the license key. */
    @Test
    void aRedirectIsNotFollowed() throws Exception {
        var paths = new ConcurrentLinkedQueue<String>();
        for (int status : List.of(301, 302, 303, 307, 308))
            assertEquals(Fault.Kind.UNREACHABLE, faultOf(activate(Duration.ofMinutes(1), exchange -> {
                paths.add(exchange.getRequestURI().getPath());
                exchange.getResponseHeaders().add("Location", "/elsewhere");
                respond(exchange, status, GRANT);
            })));
        assertFalse(paths.contains("/elsewhere"));
    }

    /** A server that sends single bytes for ever must not delay the app, and must not occupy one more thread with each attempt. */
    @Test
    void aBodyThatNeverEndsIsNotWaitedFor() throws Exception {
        var inProgress = new AtomicInteger();
        assertEquals(Fault.Kind.TIMEOUT, faultOf(activate(Duration.ofMillis(300), exchange -> {
            inProgress.incrementAndGet();
            try {
                exchange.sendResponseHeaders(200, 0);
                while (true) {
                    exchange.getResponseBody().write(' ');
                    exchange.getResponseBody().flush();
                    Thread.sleep(20);
                }
            } catch (IOException | InterruptedException error) {
                inProgress.decrementAndGet();
            }
        }, () -> until(() -> inProgress.get() == 0))));
    }

    /** The part of a response that arrived before the connection broke may be valid JSON with another meaning. */
    @Test
    void aBodyThatEndsTooEarlyIsNotRead() throws Exception {
        try (var server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            var thread = new Thread(() -> run(() -> {
                for (int attempt = 0; attempt < 2; attempt++)
                    try (var socket = server.accept()) {
                        socket.getInputStream().read();
                        socket.getOutputStream().write(("HTTP/1.1 200 OK\r\nContent-Length: " + (GRANT.length + 1) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
                        socket.getOutputStream().write(GRANT);
                        socket.shutdownOutput();
                        socket.getInputStream().readAllBytes();
                    }
                return server;
            }));
            thread.start();
            var settings = new java.util.HashMap<>(SETTINGS);
            settings.put("base_url", "http://127.0.0.1:" + server.getLocalPort());
            assertEquals(Fault.Kind.UNREACHABLE, faultOf(Vectors.client(settings).build().activate(KEY).get()));
            thread.join();
        }
    }

    /** Without a limit, a server could fill the memory of the app. */
    @Test
    void aLargeBodyIsNotTheServices() throws Exception {
        var large = new byte[1_100_000];
        java.util.Arrays.fill(large, (byte) ' ');
        assertEquals(Fault.Kind.MALFORMED, faultOf(activate(Duration.ofMinutes(1), exchange -> respond(exchange, 200, large))));
    }

    // Options

    @Test
    void optionsThatCanNotWorkAreRefused() {
        var key = Vectors.text(SETTINGS, "public_key");
        var small = "{\"keys\": [{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"x\": \"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}]}";
        List<Runnable> builds = List.of(
                () -> LicenseClient.builder("licenses.example.com", 7, "pk", key),
                () -> LicenseClient.builder("https://user@licenses.example.com", 7, "pk", key),
                () -> LicenseClient.builder("https://licenses.example.com/|", 7, "pk", key),
                () -> LicenseClient.builder("https://licenses.example.com", 0, "pk", key),
                () -> LicenseClient.builder("https://licenses.example.com", 1L << 60, "pk", key),
                () -> LicenseClient.builder("https://licenses.example.com", 7, "", key),
                () -> LicenseClient.builder("https://licenses.example.com", 7, "pk", "no key").build(),
                () -> LicenseClient.builder("https://licenses.example.com", 7, "pk").build(),
                () -> LicenseClient.builder("https://licenses.example.com", 7, "pk", small).build(),
                () -> client().audience(" "),
                () -> client().storageName("a/b"),
                () -> client().timeout(Duration.ZERO),
                () -> client().retryDelay(Duration.ofSeconds(-1)),
                () -> client().grace(Duration.ofDays(40_000)),
                () -> client().release(new Release("1.0.0", Instant.MAX)),
                () -> client().release(new Release("1".repeat(201), null)),
                () -> client().release(new Release("1.0\0", null)));
        for (var build : builds) assertThrows(IllegalArgumentException.class, build::run);
    }

    /** An app's log file must not contain what a stranger needs to use the license. */
    @Test
    void theTextOfAResultContainsNoKey() {
        var results = List.of(
                new State.Unbound(KEY), new Result.Latest(null, null, Map.of("x-license-key", KEY)), new Result.RequestText("LKS1-REQUEST." + KEY));
        assertFalse(results.toString().contains(KEY), results::toString);
    }

    // Documents

    /** A developer's first minutes with the client must not end with an error of the compiler. */
    @Test
    void theSampleInTheDocumentationCompiles() throws IOException {
        var page = Files.readString(Path.of("../../../docs/clients/java.md"));
        var sample = temporary.resolve("Aurora.java");
        Files.writeString(sample, page.substring(page.indexOf("```java") + "```java".length(), page.indexOf("```", page.indexOf("```java") + 1)));
        var errors = new ByteArrayOutputStream();
        var status = ToolProvider.getSystemJavaCompiler().run(
                null, null, errors, "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-d", temporary.toString(), "-cp", System.getProperty("java.class.path"), sample.toString());
        assertEquals(0, status, errors::toString);
    }
}
