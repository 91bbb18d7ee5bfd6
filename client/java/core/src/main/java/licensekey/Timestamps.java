package licensekey;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** RFC 3339 timestamps and epoch milliseconds. */
final class Timestamps {
    private static final Pattern RFC_3339 =
            Pattern.compile("(\\d{4})-(\\d\\d)-(\\d\\d)T(\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d+))?(?:Z|([+-])(\\d\\d):(\\d\\d))");

    private static final DateTimeFormatter MILLISECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** The last second of the year 9999, in seconds since 1970. RFC 3339 can represent no later time. */
    private static final long LAST_SECOND = 253_402_300_799L;
    /** The first second of the year 1, in seconds since 1970. */
    private static final long FIRST_SECOND = -62_135_596_800L;

    private Timestamps() {}

    /** Whether RFC 3339 can represent a time: its years have four digits. */
    static boolean isInRange(Instant instant) {
        return isInRange(instant.getEpochSecond());
    }

    private static boolean isInRange(long seconds) {
        return seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
    }

    /**
     * Returns a claim that is a time: seconds since 1970 (RFC 7519, "NumericDate"), maybe with a fraction, until the end of the year 9999;
     * null for anything else.
     */
    static @Nullable Double numericDate(@Nullable Object value) {
        var seconds = Json.number(value);
        return seconds != null && seconds >= 0 && seconds <= LAST_SECOND ? seconds : null;
    }

    /** The form in which the service writes timestamps: UTC, with milliseconds. */
    static String format(Instant instant) {
        return MILLISECONDS.format(instant);
    }

    /**
     * Returns the epoch milliseconds of a timestamp with upper-case {@code T} and {@code Z}, without leap seconds; null for anything else, and for years
     * outside the range.
     */
    static @Nullable Double parse(@Nullable Object value) {
        if (!(value instanceof String text)) return null;
        var found = RFC_3339.matcher(text);
        if (!found.matches()) return null;
        int hour = Integer.parseInt(found.group(4));
        int minute = Integer.parseInt(found.group(5));
        int second = Integer.parseInt(found.group(6));
        int offsetHours = found.group(9) == null ? 0 : Integer.parseInt(found.group(9));
        int offsetMinutes = found.group(10) == null ? 0 : Integer.parseInt(found.group(10));
        if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return null;
        try {
            var date = LocalDate.of(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)), Integer.parseInt(found.group(3)));
            int offset = (offsetHours * 60 + offsetMinutes) * ("-".equals(found.group(8)) ? -1 : 1);
            long seconds = ((date.toEpochDay() * 24 + hour) * 60 + minute - offset) * 60 + second;
            var fraction = found.group(7) == null ? "000" : (found.group(7) + "00").substring(0, 3);
            return isInRange(seconds) ? (Double) (double) (seconds * 1000 + Integer.parseInt(fraction)) : null;
        } catch (DateTimeException error) {
            return null;
        }
    }

    static @Nullable Instant parseInstant(@Nullable Object value) {
        return instant(parse(value));
    }

    static @Nullable Instant instant(@Nullable Double milliseconds) {
        return milliseconds == null ? null : Instant.ofEpochMilli(milliseconds.longValue());
    }
}
