package licensekey;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds this device's id: its fingerprint, or a random id (docs/client.md, The device). A device whose fingerprint can't be read now is
 * unknown, so that a temporary fault doesn't change the id. With another id, the user would lose the license and need a second seat.
 */
final class DeviceFinder {
    /** Maximum number of calls of the fingerprint function. The first call may fail, for example because of a virus scanner. */
    private static final int ATTEMPTS = 2;

    private final Callable<@Nullable String> source;
    private final Cache cache;
    private final Duration timeout;
    private final BiConsumer<String, Throwable> warn;
    private final Waiting waiting = new Waiting();
    /** The machine's fingerprint, after it was found. */
    private @Nullable String found;
    /** True if the machine reported that it has no fingerprint. */
    private boolean isNone;

    /**
     * This device.
     *
     * @param id empty if there is a fault
     * @param kind {@code machine} (a fingerprint) or {@code random}
     * @param fault why the device can't be identified; null if it is identified
     */
    record Device(String id, String kind, @Nullable Fault fault) {
        static Device unknown(Fault fault) {
            return new Device("", "", fault);
        }
    }

    /** Creates a finder; {@code timeout} is the maximum time for each attempt to find the fingerprint. */
    DeviceFinder(Callable<@Nullable String> source, Cache cache, Duration timeout, BiConsumer<String, Throwable> warn) {
        this.source = source;
        this.cache = cache;
        this.timeout = timeout;
        this.warn = warn;
    }

    Device find(StoredRecord record) {
        if (record.key() == null || !"random".equals(record.device())) {
            var fingerprint = machineFingerprint();
            if (fingerprint != null) return new Device(fingerprint, "machine", null);
            if (!isNone || "machine".equals(record.device()))
                return Device.unknown(new Fault(Fault.Kind.DEVICE, "the fingerprint of this device was not found"));
        }
        try {
            return new Device(cache.randomId(), "random", null);
        } catch (Exception error) {
            warn.accept("The id of this device was neither read nor stored", error);
            return Device.unknown(new Fault(Fault.Kind.STORAGE, "the id of this device was neither read nor stored"));
        }
    }

    private @Nullable String machineFingerprint() {
        for (int attempt = 0; attempt < ATTEMPTS && found == null && !isNone; attempt++)
            try {
                var text = waiting.within(timeout, source);
                if (text == null) {
                    isNone = true;
                } else {
                    var fingerprint = Texts.canonicalFingerprint(text);
                    if (!Texts.isDeviceId(fingerprint))
                        throw new IllegalArgumentException("The fingerprint must be 8 to 128 printable ASCII characters without spaces");
                    found = fingerprint;
                }
            } catch (Exception error) {
                warn.accept("No fingerprint was found", error);
            }
        return found;
    }
}
