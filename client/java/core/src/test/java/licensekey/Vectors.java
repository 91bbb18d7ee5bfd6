package licensekey;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The vectors that clients in all languages must satisfy, and the options that most tests use. */
final class Vectors {
    /** Maximum nesting of the vectors, which contain JSON that the client must refuse. */
    static final int LEVELS = 100;

    private Vectors() {}

    static Map<String, @Nullable Object> read(String name) {
        try {
            return object(Json.parse(Files.readString(Path.of("../../vectors", name + ".json")), LEVELS));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    static Map<String, @Nullable Object> object(@Nullable Object value) {
        return Objects.requireNonNull(Json.object(value));
    }

    static List<Map<String, @Nullable Object>> objects(@Nullable Object value) {
        return list(value).stream().map(Vectors::object).toList();
    }

    static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    /** A member of an object, or the value for a missing member. */
    static String text(Map<String, @Nullable Object> object, String name) {
        return (String) Objects.requireNonNull(object.get(name), name);
    }

    /** A client with the settings of the behaviour vectors. */
    static LicenseClient.Builder client(Map<String, @Nullable Object> settings) {
        return LicenseClient.builder(
                        text(settings, "base_url"),
                        Objects.requireNonNull(Json.integer(settings.get("product_id"))),
                        text(settings, "api_key"),
                        text(settings, "public_key"))
                .audience(text(settings, "audience"))
                .retryDelay(java.time.Duration.ZERO)
                .onWarning((message, cause) -> {});
    }

    /** A clock that a test moves. */
    static Clock clock(Supplier<Instant> now) {
        return new Clock() {
            @Override
            public Instant instant() {
                return now.get();
            }

            @Override
            public ZoneOffset getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
    }
}
