package licensekey;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Functions for texts that must have the same result in clients of all languages. */
final class Texts {
    /** The characters that ECMAScript's {@code trim} removes. */
    private static final String WHITE_SPACE =
            "\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]+");
    private static final Pattern STATUS_NAME = Pattern.compile("[a-z][a-z0-9_]{0,63}");
    private static final Pattern DEVICE_ID = Pattern.compile("[\\x21-\\x7e]{8,128}");
    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f]");
    /** ASCII letters, and all characters outside ASCII whose upper case consists of ASCII letters. */
    private static final Pattern KEY_LETTERS = Pattern.compile("[a-z\u00df\u0131\u017f\ufb00-\ufb06]");

    /** Characters that change the direction of text, with which a name could be shown as another one (UAX #9, section 2). */
    private static final Pattern BIDIRECTIONAL = Pattern.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]");

    static final int MAX_LABEL = 200;
    private static final int OWN_KEY_LENGTH = 25;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Texts() {}

    /** A new random id of 64 hex digits. */
    static String randomId() {
        var random = new byte[32];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    static String trim(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && WHITE_SPACE.indexOf(text.charAt(start)) >= 0) start++;
        while (end > start && WHITE_SPACE.indexOf(text.charAt(end - 1)) >= 0) end--;
        return text.substring(start, end);
    }

    static String withoutWhiteSpace(String text) {
        return text.codePoints()
                .filter(character -> WHITE_SPACE.indexOf(character) < 0)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** Returns a text as it is sent: without white space at its ends; null if nothing is left. */
    static @Nullable String filled(@Nullable String text) {
        return text == null ? null : Json.filled(trim(text));
    }

    /** A label that another person reads in the browser: without characters that change its direction, and at most 200 characters. */
    static @Nullable String shown(@Nullable String label) {
        if (label == null) return null;
        var text = trim(BIDIRECTIONAL.matcher(label).replaceAll(""));
        return text.codePointCount(0, text.length()) <= MAX_LABEL ? text : text.substring(0, text.offsetByCodePoints(0, MAX_LABEL));
    }

    /** Converts only ASCII letters. */
    static String lowerCase(String text) {
        var lower = new StringBuilder(text);
        for (int place = 0; place < text.length(); place++)
            if (text.charAt(place) >= 'A' && text.charAt(place) <= 'Z') lower.setCharAt(place, (char) (text.charAt(place) + 32));
        return lower.toString();
    }

    /** Converts a fingerprint to the form in which it is compared: hex is converted to lower case, as in the service. */
    static String canonicalFingerprint(String fingerprint) {
        var trimmed = trim(fingerprint);
        return HEX.matcher(trimmed).matches() ? lowerCase(trimmed) : trimmed;
    }

    /** Whether a text has the form of a fingerprint that the service accepts: 8 to 128 printable ASCII characters without spaces. */
    static boolean isDeviceId(@Nullable String text) {
        return text != null && DEVICE_ID.matcher(text).matches();
    }

    /** Returns the text if it has the form of a status name; a text of another form does not come from the service. */
    static @Nullable String statusName(@Nullable Object value) {
        return value instanceof String name && STATUS_NAME.matcher(name).matches() ? name : null;
    }

    /**
     * Compares keys as a person may type them: only letters and digits count, without their case. In keys of the service's own format
     * {@code O} equals {@code 0}, and {@code I} and {@code L} equal {@code 1}.
     */
    static boolean isSameKey(@Nullable String held, @Nullable String typed) {
        if (held == null || typed == null) return false;
        var one = plainKey(held);
        var other = plainKey(typed);
        return one.length() == OWN_KEY_LENGTH ? ownKey(one).equals(ownKey(other)) : one.equals(other);
    }

    private static String plainKey(String key) {
        return KEY_LETTERS.matcher(key).replaceAll(letter -> letter.group().toUpperCase(Locale.ROOT)).replaceAll("[^0-9A-Z]", "");
    }

    private static String ownKey(String plain) {
        return plain.replace('O', '0').replace('I', '1').replace('L', '1');
    }

    /**
     * Checks input of the app's user before it is sent, because the service refuses invalid input.
     *
     * @param maximum the maximum length in Unicode characters
     * @return null if the text can be sent
     */
    static Result.@Nullable InvalidInput problem(String field, @Nullable String value, int maximum, boolean isRequired) {
        var text = value == null ? "" : trim(value);
        String message = null;
        if (text.isEmpty() && isRequired) message = "must not be empty";
        else if (CONTROL.matcher(text).find()) message = "must not contain control characters";
        else if (text.codePoints().anyMatch(character -> character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE))
            message = "must not contain lone surrogates";
        else if (text.codePointCount(0, text.length()) > maximum) message = "must have at most " + maximum + " characters";
        return message == null ? null : new Result.InvalidInput(field, message);
    }
}
