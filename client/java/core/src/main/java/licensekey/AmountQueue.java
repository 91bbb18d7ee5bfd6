package licensekey;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps amounts that could not be sent yet (docs/client.md, The queue). Every amount is stored before it is sent, and removed after the
 * service has responded. After a crash in between, it is sent again with the same id, and the service counts it once. Clients in other
 * languages read and write the same JSON.
 */
final class AmountQueue {
    private static final double VERSION = 1;
    /** Maximum number of waiting amounts. */
    private static final int MAX_WAITING = 1000;
    /** Maximum number of reported amounts that were dropped. */
    private static final int MAX_DROPPED = 100;

    private final Cache cache;
    /**
     * The amounts that this process has settled, with the reason if the amount was dropped, otherwise with an empty text. They are not sent
     * again, even if their removal can't be stored. Protected by the monitor of this object.
     */
    private final Map<String, String> settled = new HashMap<>();

    AmountQueue(Cache cache) {
        this.cache = cache;
    }

    /**
     * A stored amount.
     *
     * @param at when the app consumed the amount, in epoch milliseconds
     * @param key the key that was held at that time; null for a dropped amount
     * @param license the id of the license that was held at that time; null if its token was not known. The amount is sent with whatever
     *     key of this license is held later
     * @param reason why the amount was dropped; null for a waiting amount
     */
    record Entry(String id, String meter, long amount, long at, @Nullable String key, @Nullable String license, @Nullable String reason) {
        Entry at(long time) {
            return new Entry(id, meter, amount, time, key, license, reason);
        }

        Entry dropped(String why) {
            return new Entry(id, meter, amount, at, null, null, why);
        }

        private Map<String, @Nullable Object> toJson() {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put("id", id);
            json.put("meter", meter);
            json.put("amount", amount);
            json.put("at", at);
            json.put("key", key);
            json.put("license", license);
            json.put("reason", reason);
            json.values().removeIf(Objects::isNull);
            return json;
        }

        /** Returns null if the value is not an amount with these texts. */
        private static @Nullable Entry of(@Nullable Object value, boolean isWaiting) {
            var id = Json.filled(Json.member(value, "id"));
            var meter = Json.filled(Json.member(value, "meter"));
            var amount = Json.integer(Json.member(value, "amount"));
            var at = Json.integer(Json.member(value, "at"));
            var key = Json.filled(Json.member(value, "key"));
            var license = Json.filled(Json.member(value, "license"));
            var reason = Json.filled(Json.member(value, "reason"));
            if (id == null || meter == null || amount == null || at == null) return null;
            if (!isWaiting) return reason == null ? null : new Entry(id, meter, amount, at, null, null, reason);
            boolean hasLicense = value instanceof Map<?, ?> map && map.containsKey("license");
            return key == null || (hasLicense && license == null) ? null : new Entry(id, meter, amount, at, key, license, null);
        }
    }

    /** The content of the queue. Both lists have the oldest amount first. */
    record Content(List<Entry> waiting, List<Entry> dropped) {
        /** Ignores whatever has another form. */
        static Content parse(String text) {
            var stored = Json.object(Json.parse(text));
            boolean isReadable = stored != null && Objects.equals(stored.get("v"), VERSION);
            return new Content(entries(isReadable ? stored.get("entries") : null, true), entries(isReadable ? stored.get("dropped") : null, false));
        }

        private static List<Entry> entries(@Nullable Object value, boolean isWaiting) {
            var found = new ArrayList<Entry>();
            for (var each : value instanceof List<?> list ? list : List.of()) {
                var entry = Entry.of(each, isWaiting);
                if (entry != null) found.add(entry);
            }
            return found;
        }

        String write() {
            Map<String, @Nullable Object> stored = new LinkedHashMap<>();
            stored.put("v", VERSION);
            stored.put("entries", waiting.stream().map(Entry::toJson).toList());
            stored.put("dropped", dropped.stream().map(Entry::toJson).toList());
            return Json.write(stored);
        }
    }

    /** What was done with an amount. */
    enum Place {
        /** The amount could not be stored. */
        NOT_STORED,
        /** The amount is stored, and is the oldest one. */
        FIRST,
        /** The amount is stored, and older ones wait. */
        BEHIND,
        /** Too many amounts wait. */
        FULL,
        /** Another meter or amount waits with the same id. */
        MISMATCH
    }

    /** Stores an amount at the end. If an amount with the same id, meter and amount waits, it is the same amount. */
    Place add(Entry entry) {
        var place = new Place[] {Place.NOT_STORED};
        boolean isStored = change(waiting -> {
            var same = waiting.stream().filter(other -> other.id.equals(entry.id)).findFirst().orElse(null);
            if (same != null && !(same.meter.equals(entry.meter) && same.amount == entry.amount)) place[0] = Place.MISMATCH;
            else if (same == null && waiting.size() >= MAX_WAITING) place[0] = Place.FULL;
            else {
                if (same == null) waiting.add(entry);
                place[0] = waiting.get(0).id.equals(entry.id) ? Place.FIRST : Place.BEHIND;
                return true;
            }
            return false;
        });
        return isStored || place[0] == Place.MISMATCH || place[0] == Place.FULL ? place[0] : Place.NOT_STORED;
    }

    /** Returns the oldest waiting amount; null if there is none, or if the queue can't be read. */
    @Nullable Entry oldest() {
        var content = content();
        return content == null || content.waiting.isEmpty() ? null : content.waiting.get(0);
    }

    /**
     * Removes an amount for which the service has responded.
     *
     * @param reason why the amount was dropped; such amounts are reported. Null if it was not dropped
     */
    void settle(Entry entry, @Nullable String reason) {
        synchronized (this) {
            settled.put(entry.id, Objects.requireNonNullElse(reason, ""));
        }
        change(waiting -> true);
    }

    /** Counts the age of an amount from another time (epoch ms). */
    void correctTime(Entry entry, long at) {
        change(waiting -> {
            waiting.replaceAll(other -> other.id.equals(entry.id) ? other.at(at) : other);
            return true;
        });
    }

    /** Returns what waits and what was dropped; null if the queue can't be read. */
    @Nullable Content content() {
        var text = cache.queueText();
        return text == null ? null : current(text);
    }

    /** The stored text without the amounts that this process has settled. */
    private synchronized Content current(String text) {
        var stored = Content.parse(text);
        var waiting = new ArrayList<Entry>();
        var dropped = new ArrayList<>(stored.dropped);
        for (var entry : stored.waiting) {
            var reason = settled.get(entry.id);
            if (reason == null) waiting.add(entry);
            else if (!reason.isEmpty()) dropped.add(entry.dropped(reason));
        }
        return new Content(waiting, dropped.subList(Math.max(0, dropped.size() - MAX_DROPPED), dropped.size()));
    }

    /**
     * Changes the waiting amounts.
     *
     * @param make changes the list; false if nothing must be stored
     * @return whether the change is stored
     */
    private boolean change(Function<List<Entry>, Boolean> make) {
        var written = new ArrayList<String>();
        boolean isStored = cache.changeQueueText(text -> {
            Content content;
            synchronized (this) {
                content = current(text);
                written.addAll(settled.keySet());
            }
            return make.apply(content.waiting) ? content.write() : null;
        });
        if (isStored)
            synchronized (this) {
                settled.keySet().removeAll(Set.copyOf(written));
            }
        return isStored;
    }
}
