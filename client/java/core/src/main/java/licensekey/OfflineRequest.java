package licensekey;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The request of a device without a network (docs/client.md, Machines that are never online). */
record OfflineRequest(long product, String key, String fingerprint, @Nullable String name, @Nullable String platform) {
    private static final String PREFIX = "LKS1-REQUEST.";

    /** The request as one line of ASCII. */
    String write() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("product", (double) product);
        members.put("key", key);
        members.put("fingerprint", fingerprint);
        members.put("name", name);
        members.put("platform", platform);
        members.values().removeIf(Objects::isNull);
        return PREFIX + Json.toBase64Url(Json.write(members).getBytes(StandardCharsets.UTF_8));
    }
}
