package licensekey;

import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The names under which refusals of a key are stored, and the states that belong to them. */
final class Refusals {
    /** Refusals that are not the status of a license. */
    private static final Set<String> OTHERS = Set.of("unbound", "no_seats", "too_many_devices", "unknown_key", "no_trial", "not_covered");

    /** Refusals that the service never names for a key. */
    private static final Set<State.Refusal> NOT_OF_A_KEY = Set.of(State.Refusal.OTHER, State.Refusal.DENIED, State.Refusal.REQUEST_EXPIRED);

    private static final Map<String, State.Refusal> BY_NAME = Stream.of(State.Refusal.values())
            .filter(refusal -> !NOT_OF_A_KEY.contains(refusal))
            .collect(Collectors.toMap(State.Refusal::toString, Function.identity()));

    private Refusals() {}

    /**
     * Whether the service signs this refusal. Signed refusals are the statuses of a license, and {@code unbound}, which says that this
     * device has no seat. An unknown name counts as a status of a license.
     */
    static boolean isSignable(String name) {
        return name.equals("unbound") || !OTHERS.contains(name);
    }

    /**
     * Returns the name if it can be the status of a license that must not be used; otherwise null. An unknown name counts as a status that
     * only a newer version of the service knows. A response whose status is {@code active}, {@code unbound} or a refusal that the service
     * does not sign (such as {@code no_seats}) does not come from the service.
     */
    static @Nullable String refusedStatus(@Nullable Object value) {
        var name = Texts.statusName(value);
        return name == null || OTHERS.contains(name) || name.equals("active") ? null : name;
    }

    /** The state of a device whose key was refused. */
    static State state(String name, @Nullable String key, State.@Nullable Seats seats) {
        if (name.equals("unbound")) return new State.Unbound(key);
        if (name.equals("no_seats")) return new State.NoSeats(seats);
        var known = BY_NAME.get(name);
        return known == null ? new State.Refused(State.Refusal.OTHER, name, null) : new State.Refused(known, null, null);
    }
}
