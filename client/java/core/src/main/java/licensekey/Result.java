package licensekey;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result of a call. Each method of {@link LicenseClient} declares the results that it may have. */
public sealed interface Result {
    /** The name of the result, as in the clients of other languages: {@code licensed}, {@code invalid_input}, {@code failed} and so on. */
    String status();

    /** The result of an activation or a trial. */
    sealed interface Activation extends Result permits State, InvalidInput {}

    /** The result of {@link LicenseClient#importToken}. */
    sealed interface Import extends Result permits State, InvalidToken {}

    /** The result of {@link LicenseClient#devices()}. */
    sealed interface Devices extends Result permits DeviceList, InvalidInput, Failed {}

    /** The result of {@link LicenseClient#free(String)}. */
    sealed interface Freeing extends Result permits Deactivated, InvalidInput, Failed {}

    /** The result of {@link LicenseClient#deactivate()}. */
    sealed interface Deactivation extends Result permits Deactivated, Failed {}

    /** The result of {@link LicenseClient#latest()}. */
    sealed interface Download extends Result permits Latest, Failed {}

    /** The result of {@link LicenseClient#consume(String, long)}. */
    sealed interface Consumption extends Result permits Consumed, Queued, UsageRefusal, NotConsumed, InvalidInput {}

    /** The result of {@link LicenseClient#meters}. */
    sealed interface Meters extends Result permits MeterList, UsageRefusal, Failed {}

    /** The result of {@link LicenseClient#pending}. */
    sealed interface Pending extends Result permits PendingAmounts, Failed {}

    /** The result of {@link LicenseClient#offlineRequest}. */
    sealed interface Request extends Result permits RequestText, InvalidInput, Failed {}

    /**
     * An argument can't be sent, so nothing was sent. The result contains no decision about the license.
     *
     * @param field {@code key}, {@code name}, {@code platform}, {@code customer_email}, {@code replace}, {@code ref}, {@code meter},
     *     {@code amount} or {@code id}
     * @param message a text in English for logs and developers, such as {@code must not be empty}
     */
    record InvalidInput(String field, String message) implements Activation, Devices, Freeing, Request, Consumption {
        @Override
        public String status() {
            return "invalid_input";
        }
    }

    /**
     * An imported token that is not accepted.
     *
     * @param problem the name of the check that the token failed
     */
    record InvalidToken(String problem) implements Import {
        @Override
        public String status() {
            return "invalid_token";
        }
    }

    /** The call failed. Nothing has changed on this device, but the service may have carried out the request. */
    record Failed(Fault fault) implements Devices, Freeing, Deactivation, Download, Request, Meters, Pending {
        @Override
        public String status() {
            return "failed";
        }
    }

    /**
     * The device no longer has a seat.
     *
     * @param freed false if there was no seat to free
     */
    record Deactivated(boolean freed) implements Deactivation, Freeing {
        @Override
        public String status() {
            return "deactivated";
        }
    }

    /**
     * All stored data is deleted.
     *
     * @param fault why the seat may still be taken; null if it isn't
     */
    record Forgotten(boolean freed, @Nullable Fault fault) implements Result {
        @Override
        public String status() {
            return "forgotten";
        }
    }

    /**
     * The request of a device that is never online.
     *
     * @param text one line of ASCII, which the user gives to the operator
     */
    record RequestText(String text) implements Request {
        @Override
        public String status() {
            return "request";
        }

        /** A text for logs, without the request, which contains the key. */
        @Override
        public String toString() {
            return "RequestText[]";
        }
    }

    /** The devices that hold seats of a license; the device that was activated last comes first. */
    record DeviceList(List<Device> devices) implements Devices {
        @Override
        public String status() {
            return "devices";
        }
    }

    /**
     * A device that holds a seat of a license.
     *
     * @param ref identifies the device for {@link LicenseClient#free(String)} and for taking over its seat; it is not a fingerprint
     * @param lastSeenOn the day ({@code 2026-11-20}) of the device's last validation or activation; null if the service doesn't know it
     * @param isThis whether this is the device on which the app runs
     */
    record Device(String ref, String name, String platform, Instant activatedAt, @Nullable String lastSeenOn, boolean isThis) {}

    /**
     * A meter of the license, as the service counted it at the time of the response.
     *
     * @param used what was consumed in the current period. It may exceed {@code included}, if the vendor allows it
     * @param remaining what is left of {@code included}; never below 0
     * @param period {@code none} (the whole life of the license), {@code month} or {@code term} (the paid period)
     * @param resetsAt when the next period begins; null if none is known
     */
    record Meter(String name, long used, long included, long remaining, String period, @Nullable Instant resetsAt) {}

    /** The service has counted the amount. */
    record Consumed(Meter meter) implements Consumption {
        @Override
        public String status() {
            return "consumed";
        }
    }

    /** The amount is stored, and will be sent when the service can be reached. */
    record Queued(String id) implements Consumption {
        @Override
        public String status() {
            return "queued";
        }
    }

    /**
     * Nothing was consumed, and the license state stays.
     *
     * @param reason one of the following values:
     *     <ul>
     *       <li>{@code meter_exhausted}: the amount does not fit into what is included
     *       <li>{@code unknown_meter}: the license has no such meter
     *       <li>{@code not_activated}: this device has no seat
     *       <li>{@code idempotency_mismatch}: the id was used for another meter or amount
     *       <li>{@code invalid_request}: the meter doesn't accept the amount, for example because it is negative
     *       <li>{@code unknown_key}, {@code sign_in_required}, or the status of a license that can't be used ({@code revoked},
     *           {@code suspended}, {@code expired})
     *       <li>{@code no_key}: this device has no key, so no request was sent
     *       <li>{@code queue_full}: 1,000 amounts are waiting, so the amount was neither stored nor sent
     *     </ul>
     * @param message a text in English for logs and developers
     */
    record UsageRefusal(String reason, String message) implements Consumption, Meters {
        @Override
        public String status() {
            return "refused";
        }
    }

    /** It is not known whether the service counted the amount. A repetition with the same {@code id} counts it once. */
    record NotConsumed(String id, Fault fault) implements Consumption {
        @Override
        public String status() {
            return "failed";
        }
    }

    /** The meters of the license. */
    record MeterList(List<Meter> meters) implements Meters {
        @Override
        public String status() {
            return "meters";
        }
    }

    /**
     * An amount that waits until it can be sent.
     *
     * @param since when the app consumed the amount
     */
    record PendingAmount(String id, String meter, long amount, Instant since) {}

    /**
     * An amount that was not counted.
     *
     * @param reason the reason of a {@link UsageRefusal}, or {@code too_old} after 29 days
     */
    record DroppedAmount(String id, String meter, long amount, Instant since, String reason) {}

    /**
     * The amounts of this device that the service has not counted. Both lists have the oldest amount first.
     *
     * @param dropped the 100 amounts that were dropped last
     */
    record PendingAmounts(List<PendingAmount> amounts, List<DroppedAmount> dropped) implements Pending {
        @Override
        public String status() {
            return "pending";
        }
    }

    /**
     * The release to which the app may be updated.
     *
     * @param update the newest release that the license covers; null if none is newer than the given version
     * @param newest the newest release of the product, whether the license covers it or not; null if there is no release
     * @param headers headers that every download needs; they contain the API key, and the license key or the token
     */
    record Latest(@Nullable Update update, @Nullable Newest newest, Map<String, String> headers) implements Download {
        @Override
        public String status() {
            return "latest";
        }

        /** A text for logs, without the headers, which contain the key. */
        @Override
        public String toString() {
            return "Latest[update=" + update + ", newest=" + newest + "]";
        }
    }

    /**
     * A release that the license covers.
     *
     * @param notes the release notes in Markdown; null if there are none
     */
    record Update(String version, String channel, Instant releasedAt, @Nullable String notes, List<Artifact> artifacts) {}

    /**
     * The newest release of the product.
     *
     * @param covered whether the license covers the release; if not, offer the user a renewal
     */
    record Newest(String version, Instant releasedAt, boolean covered) {}

    /**
     * A file of a release.
     *
     * @param platform {@code windows}, {@code macos}, {@code linux} or {@code any}
     * @param arch {@code x64}, {@code arm64}, {@code ia32}, {@code universal} or {@code any}
     * @param size in bytes
     * @param sha256 as hex in lower case
     * @param sha512 as hex in lower case
     * @param signature the vendor's own signature of the file; null if there is none
     * @param url a URL that redirects to the file; requests need the headers of {@link Latest}
     */
    record Artifact(
            String filename, String platform, String arch, long size, String sha256, String sha512, @Nullable String signature, String url) {}
}
