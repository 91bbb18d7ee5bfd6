package licensekey;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a client stores between starts (docs/client.md, What is stored). Clients in other languages read and write the same JSON. A field
 * that is null is absent.
 *
 * @param key the key with which this device was activated
 * @param token the newest offline token
 * @param seen the latest time that the client has seen, in epoch milliseconds
 * @param refused the name of the refusal, if the service's last response refused the key
 * @param device the kind of id with which the seat was taken: {@code machine} or {@code random}
 * @param verdicts whether the client has verified a signed refusal, which shows that this service signs its refusals
 * @param release keys that were replaced by another key, and whose seats must still be freed; may be empty
 */
record StoredRecord(
        @Nullable String key,
        @Nullable String token,
        @Nullable Double seen,
        @Nullable String refused,
        @Nullable String device,
        @Nullable String typeName,
        State.@Nullable Seats seats,
        boolean verdicts,
        List<String> release) {
    static final StoredRecord EMPTY = new StoredRecord(null, null, null, null, null, null, null, false, List.of());

    private static final double VERSION = 1;
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_.-]{1,8192}");
    /** Maximum number of keys whose seats must still be freed. If there are more keys, the oldest ones are dropped. */
    private static final int MAX_RELEASES = 10;

    /** Reads a stored record. A damaged field is left out; the result is empty if the text is not an object of this version. */
    static StoredRecord parse(String text) {
        var stored = Json.object(Json.parse(text));
        if (stored == null || !Objects.equals(stored.get("v"), VERSION)) return EMPTY;
        return new StoredRecord(
                Json.filled(stored.get("key")),
                // A damaged token may contain characters that no header can contain. The request that replaces it could then not be sent.
                stored.get("token") instanceof String token && TOKEN.matcher(token).matches() ? token : null,
                Json.number(stored.get("seen")),
                Texts.statusName(stored.get("refused")),
                stored.get("device") instanceof String device && Set.of("machine", "random").contains(device) ? device : null,
                Json.filled(stored.get("type_name")),
                seats(stored.get("seats")),
                Boolean.TRUE.equals(stored.get("verdicts")),
                stored.get("release") instanceof List<?> list && list.stream().allMatch(key -> Json.filled(key) != null)
                        ? list.stream().map(String.class::cast).toList()
                        : List.of());
    }

    /** Returns the seats in a response or a record; null if the value has another form. */
    static State.@Nullable Seats seats(@Nullable Object value) {
        var used = Json.count(Json.member(value, "used"));
        var max = Json.count(Json.member(value, "max"));
        return used == null || max == null ? null : new State.Seats(used, max);
    }

    String write() {
        Map<String, @Nullable Object> stored = new LinkedHashMap<>();
        stored.put("v", VERSION);
        stored.put("key", key);
        stored.put("token", token);
        stored.put("seen", seen);
        stored.put("refused", refused);
        stored.put("device", device);
        stored.put("type_name", typeName);
        stored.put("seats", seats == null ? null : new TreeMap<>(Map.of("used", (double) seats.used(), "max", (double) seats.max())));
        stored.put("verdicts", verdicts ? true : null);
        stored.put("release", release.isEmpty() ? null : release);
        stored.values().removeIf(Objects::isNull);
        return Json.write(stored);
    }

    /** The record after the license was removed: it neither grants a license nor contains its key. */
    StoredRecord emptied(double seen) {
        return new StoredRecord(null, null, seen, null, "machine".equals(device) ? device : null, null, null, verdicts, release);
    }

    StoredRecord withSeen(double seen) {
        return new StoredRecord(key, token, seen, refused, device, typeName, seats, verdicts, release);
    }

    StoredRecord withSeats(State.Seats seats) {
        return new StoredRecord(key, token, seen, refused, device, typeName, seats, verdicts, release);
    }

    StoredRecord withRelease(List<String> release) {
        return new StoredRecord(key, token, seen, refused, device, typeName, seats, verdicts, release);
    }

    /** The keys whose seats must be freed, with the replaced key, and without the current key. */
    List<String> releaseWith(@Nullable String replaced, @Nullable String current) {
        var keys = new LinkedHashSet<>(release);
        if (replaced != null) keys.add(replaced);
        keys.removeIf(other -> Texts.isSameKey(current, other));
        var list = new ArrayList<>(keys);
        return List.copyOf(list.subList(Math.max(0, list.size() - MAX_RELEASES), list.size()));
    }

    /** Whether two records contain the same activation, which means the same key and the same token. */
    boolean isSameActivation(StoredRecord other) {
        return Objects.equals(key, other.key) && Objects.equals(token, other.token);
    }
}
