package licensekey;

import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The license state of this device. The app may be used only in the state {@link Licensed}. */
public sealed interface State extends Result.Activation, Result.Import {
    /**
     * The app may be used on this device.
     *
     * @param features names of the features that the license includes; the service has signed them
     * @param limits numbers by name that the app reads, such as the maximum number of projects. The service has signed them, and enforces
     *     none of them
     * @param updates the limits of the releases that the license covers; the service has signed them
     * @param seats the seats at the time of the last response; null if the license comes from an imported token and the service was not
     *     asked since the import
     * @param leaseExpiresAt when the seat's lease ends; null if the seat has no lease. If the lease ends without being renewed, another
     *     device may take the seat
     * @param offlineUntil the time until which the license works without a network; for {@link Source#GRACE} the end of grace
     * @param fault why the service gave no decision, or why the license is not stored ({@link Fault.Kind#STORAGE}); null if there is no
     *     such problem
     */
    record Licensed(
            Source source,
            License license,
            List<String> features,
            Map<String, Long> limits,
            Updates updates,
            @Nullable Seats seats,
            @Nullable Instant leaseExpiresAt,
            Instant offlineUntil,
            @Nullable Fault fault)
            implements State {
        @Override
        public String status() {
            return "licensed";
        }
    }

    /**
     * This device has no seat: ask the user for a key, and call {@link LicenseClient#activate(String)}.
     *
     * @param key the key with which this device was activated before its seat was freed; null if there is none
     */
    record Unbound(@Nullable String key) implements State {
        @Override
        public String status() {
            return "unbound";
        }

        /** A text for logs, without the key. */
        @Override
        public String toString() {
            return key == null ? "Unbound[]" : "Unbound[key=...]";
        }
    }

    /**
     * Every seat is taken by another device. Free the seat of one of the {@link LicenseClient#devices(String)}, or take it over.
     *
     * @param seats the seats of the license; null if the service could not be asked for the numbers
     */
    record NoSeats(@Nullable Seats seats) implements State {
        @Override
        public String status() {
            return "no_seats";
        }
    }

    /**
     * The license key or the license is refused.
     *
     * @param reason the name of the status, if the kind is {@link Refusal#OTHER}; otherwise null
     * @param updates the limits of the license that this device has and keeps, if the kind is {@link Refusal#NOT_COVERED}. Null for every
     *     other kind, and if the service refused an activation
     */
    record Refused(Refusal refusal, @Nullable String reason, @Nullable Updates updates) implements State {
        @Override
        public String status() {
            return refusal.toString();
        }
    }

    /**
     * The cache contains no accepted token, and the service gave no decision. The app can try again when there is a network.
     *
     * @param reason why no cached token is accepted: {@code no_token}, {@code clock_rolled_back}, {@code clock_ahead},
     *     {@code device_unknown}, {@code storage_failed}, or the name of the check that the token failed
     * @param fault why the service gave no decision; null if there is no key to ask about
     */
    record OfflineWithoutToken(String reason, @Nullable Fault fault) implements State {
        @Override
        public String status() {
            return "offline_without_token";
        }
    }

    /** What grants a license. */
    enum Source {
        /** A cached token; no request was sent. */
        CACHE,
        /** The response to a request that was just sent. */
        NETWORK,
        /** An expired token that is still accepted while the service can't be asked ({@link LicenseClient.Builder#grace}). */
        GRACE;

        /** The name in lower case, as in the clients of other languages. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Why a key or a license is refused. */
    enum Refusal {
        /** The license has run out. */
        EXPIRED,
        /** The license was taken back permanently, for example after a refund. */
        REVOKED,
        /** The license is on hold, for example because a payment is overdue; it may become valid again. */
        SUSPENDED,
        /** The license received another key, for example because this key had leaked. Only the new key can be activated. */
        REISSUED,
        /**
         * This device must sign in again ({@link LicenseClient#activateInBrowser}), because its seat was freed, or because the license
         * belongs to named people.
         */
        SIGN_IN_REQUIRED,
        /** In the browser, the user has refused to activate this device. */
        DENIED,
        /** Nobody has approved the activation in the browser in time, or a newer request of this device has replaced it. */
        REQUEST_EXPIRED,
        /** The license was activated on too many new devices this week. */
        TOO_MANY_DEVICES,
        /** There is no such key. */
        UNKNOWN_KEY,
        /** The product offers no trial. */
        NO_TRIAL,
        /** The license doesn't cover this release of the app ({@link LicenseClient.Builder#release}). */
        NOT_COVERED,
        /** The license has a status that this version of the client doesn't know. */
        OTHER;

        /** The status as in the clients of other languages, such as {@code unknown_key}; {@code refused} for {@link #OTHER}. */
        @Override
        public String toString() {
            return this == OTHER ? "refused" : name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What was bought.
     *
     * @param expiresAt when the license expires; null if it never expires
     */
    record License(long id, Type type, @Nullable Instant expiresAt) {
        /**
         * The license type.
         *
         * @param name the name that the operator gave the type; null if the license comes from an imported token and the service was not
         *     asked since the import
         * @param kind {@code lifetime}, {@code subscription}, {@code floating} or {@code trial}
         */
        public record Type(@Nullable String name, String kind) {}
    }

    /**
     * The seats of a license at the time of the last response.
     *
     * @param max the maximum number of seats; 0 means unlimited
     */
    record Seats(long used, long max) {}

    /**
     * The limits of the releases that a license covers.
     *
     * @param until releases published up to this time are covered; null if there is no such limit
     * @param maxMajor releases up to this major version are covered; null if there is no such limit
     */
    record Updates(@Nullable Instant until, @Nullable Long maxMajor) {
        /**
         * Whether a license with these limits covers a release. One satisfied limit is enough. A limit is ignored if the release has no
         * date or no readable version to compare. If no limit remains, the release is covered. The result doesn't depend on the clock.
         */
        public boolean covers(Release release) {
            var major = release.major();
            var releasedAt = release.releasedAt();
            boolean isJudged = false;
            if (until != null && releasedAt != null) {
                if (!releasedAt.truncatedTo(ChronoUnit.MILLIS).isAfter(until)) return true;
                isJudged = true;
            }
            if (maxMajor != null && major != null) {
                if (major.compareTo(BigInteger.valueOf(maxMajor)) <= 0) return true;
                isJudged = true;
            }
            return !isJudged;
        }
    }
}
