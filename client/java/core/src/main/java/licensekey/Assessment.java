package licensekey;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a token proves on a device at a given time: the rules for working offline, which use neither network nor storage. Times are in epoch
 * milliseconds.
 *
 * @param now this device's clock
 * @param time the latest time that is known to have passed
 * @param problem why the token is not accepted; null if it is accepted
 * @param claims the token's claims, if the token is for this product and this device, even if it has expired
 */
record Assessment(
        Rules rules,
        StoredRecord record,
        DeviceFinder.Device device,
        double now,
        double time,
        @Nullable String problem,
        Token.@Nullable Claims claims) {

    /** The app's settings that determine what a token allows. */
    record Rules(List<VerifyKey> keys, @Nullable String audience, boolean allowsUnboundTokens, double graceMs) {
        Token.Expectation expectation(String fingerprint) {
            return new Token.Expectation(fingerprint, audience, allowsUnboundTokens);
        }
    }

    /** Verifies the token of a record. */
    static Assessment of(Rules rules, StoredRecord record, DeviceFinder.Device device, double now) {
        double time = latest(now, record);
        return of(rules, record, device, now, record.token(), claims -> time);
    }

    /**
     * Verifies a token for the device.
     *
     * @param timeOf computes, from the token's claims, the time at which the token is verified
     */
    static Assessment of(
            Rules rules, StoredRecord record, DeviceFinder.Device device, double now, @Nullable String token, ToDoubleFunction<Token.Claims> timeOf) {
        double time = latest(now, record);
        if (device.fault() != null) {
            var problem = device.fault().kind() == Fault.Kind.STORAGE ? "storage_failed" : "device_unknown";
            return new Assessment(rules, record, device, now, time, problem, null);
        }
        if (token == null) return new Assessment(rules, record, device, now, time, "no_token", null);
        var verified = Token.verify(rules.keys, token, rules.expectation(device.id()), timeOf);
        var claims = verified.claims();
        if (claims == null) return new Assessment(rules, record, device, now, time, verified.problem(), null);
        time = timeOf.applyAsDouble(claims);
        // If the clock is more than a day behind a time that is known to have passed, it can't show whether the token has expired.
        var problem = now < time - Token.CLOCK_BEHIND_MS ? "clock_rolled_back" : verified.problem();
        return new Assessment(rules, record, device, now, time, problem, claims);
    }

    private static double latest(double now, StoredRecord record) {
        return Math.max(now, Objects.requireNonNullElse(record.seen(), now));
    }

    Assessment with(StoredRecord otherRecord, DeviceFinder.Device otherDevice) {
        return new Assessment(rules, otherRecord, otherDevice, now, time, problem, claims);
    }

    /**
     * When a token is due to be refreshed in the background: after half of its lifetime. A token expires no later than the seat's lease, so
     * the refresh is due before the lease ends.
     */
    static double refreshTime(Token.Claims claims) {
        return (claims.iat() + claims.exp()) / 2;
    }

    /**
     * Grace starts at the token's {@code exp}, without the clock tolerance, and ends no later than the license. A leased seat has no grace,
     * because another device may take the seat when the lease has ended.
     */
    private double graceEnd(Token.Claims held) {
        return held.leaseEnd() != null ? 0 : Math.min(held.exp() + rules.graceMs, held.licenseEnd());
    }

    /**
     * Whether the token may license this device, now or after the clock is corrected. If not, the device has no license that must be
     * protected from a forged refusal.
     */
    boolean mayStillCount() {
        return claims != null && time < Math.max(claims.exp() + Token.CLOCK_SKEW_MS, graceEnd(claims));
    }

    /** Whether the client knows that this service signs its refusals. */
    boolean isSigning() {
        return record.verdicts() || (claims != null && claims.verdicts());
    }

    /** Whether a refusal must be verified before it may end the held license. */
    boolean isProtected() {
        return isSigning() || mayStillCount();
    }

    /** Whether the held token is of the same license as another token. If so, its key has the same seat, even if it is written differently. */
    boolean isOfLicense(Token.Claims other) {
        return claims != null && claims.sub().equals(other.sub());
    }

    /** The state of a device that is licensed by a token. */
    static State.Licensed licensed(State.Source source, Token.Claims claims, StoredRecord record, @Nullable Fault fault, double until) {
        var expiresAt = Double.isInfinite(claims.licenseEnd()) ? null : Timestamps.instant(claims.licenseEnd());
        var type = new State.License.Type(record.typeName(), claims.kind());
        return new State.Licensed(
                source,
                new State.License(Long.parseLong(claims.sub()), type, expiresAt),
                claims.features(),
                claims.limits(),
                new State.Updates(Timestamps.instant(claims.updatesUntil()), claims.maxMajor()),
                record.seats(),
                Timestamps.instant(claims.leaseEnd()),
                Instant.ofEpochMilli((long) until),
                fault);
    }

    /** The state of this device if there is no new decision from the service; {@code fault} is what prevented it, null if nothing did. */
    State state(@Nullable Fault fault) {
        if (problem == null && claims != null) return licensed(State.Source.CACHE, claims, record, fault, claims.exp());
        if (record.refused() != null) return Refusals.state(record.refused(), record.key(), record.seats());
        if ("expired".equals(problem) && claims != null) {
            if (time >= claims.licenseEnd()) return new State.Refused(State.Refusal.EXPIRED, null, null);
            if (time < graceEnd(claims)) return licensed(State.Source.GRACE, claims, record, fault, graceEnd(claims));
        }
        if ("no_token".equals(problem) && record.key() == null && fault == null) return new State.Unbound(null);
        return offline(fault == null ? device.fault() : fault);
    }

    /** The state of a device that has no accepted token, and for which the service gave no decision. */
    State offline(@Nullable Fault fault) {
        boolean isAhead = fault != null && fault.kind() == Fault.Kind.CLOCK;
        return new State.OfflineWithoutToken(isAhead ? "clock_ahead" : Objects.requireNonNullElse(problem, "no_token"), fault);
    }
}
