package licensekey;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON (RFC 8259) and base64url by the same strict rules as every client of the service, so that a text has one meaning in
 * all languages. A parsed value is a {@code Map}, {@code List}, {@code String}, {@code Double}, {@code Boolean} or null. If a member occurs
 * twice, the last one counts. Byte order marks before the value are ignored (RFC 8259, section 8.1).
 */
final class Json {
    /** The largest integer that every language represents exactly. */
    static final long MAX_INTEGER = (1L << 53) - 1;

    /** Maximum nesting of accepted JSON; the outermost object is level 1. A fixed limit makes all clients accept the same texts. */
    private static final int MAX_LEVELS = 32;

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

    private final String text;
    private int place;

    private Json(String text) {
        this.text = text;
    }

    /** Returns the JSON value in a text; null if the text is anything else, is nested too deeply, or is {@code null}. */
    static @Nullable Object parse(String text) {
        return parse(text, MAX_LEVELS);
    }

    /** Like {@link #parse(String)}, with another maximum nesting. */
    static @Nullable Object parse(String text, int levels) {
        var json = new Json(text);
        while (text.startsWith("\uFEFF", json.place)) json.place++;
        try {
            var value = json.value(levels);
            json.skipSpace();
            return json.place == text.length() ? value : null;
        } catch (NotJson error) {
            return null;
        }
    }

    /** Returns the JSON value in UTF-8; null if the bytes contain anything else. */
    static @Nullable Object decode(byte @Nullable [] data) {
        try {
            return data == null ? null : parse(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString());
        } catch (CharacterCodingException error) {
            return null;
        }
    }

    /** Returns the value as an object; null if it is anything else. */
    @SuppressWarnings("unchecked")
    static @Nullable Map<String, @Nullable Object> object(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : null;
    }

    /** Returns a member of an object; null if there is no such member, or if the value is not an object. */
    static @Nullable Object member(@Nullable Object value, String name) {
        return value instanceof Map<?, ?> map ? map.get(name) : null;
    }

    /** Returns the text; null if the value is not a text. */
    static @Nullable String text(@Nullable Object value) {
        return value instanceof String text ? text : null;
    }

    /** Returns the text; null if the value is not a text, or is empty. */
    static @Nullable String filled(@Nullable Object value) {
        return value instanceof String text && !text.isEmpty() ? text : null;
    }

    /** Returns the finite number; null if the value is anything else. */
    static @Nullable Double number(@Nullable Object value) {
        return value instanceof Double number && Double.isFinite(number) ? number : null;
    }

    /** Returns the integer, such as 1 or 1.0, if a double represents it exactly; null otherwise. */
    static @Nullable Long integer(@Nullable Object value) {
        return value instanceof Double number && number == Math.rint(number) && Math.abs(number) <= MAX_INTEGER ? (Long) number.longValue() : null;
    }

    /** Returns the integer of at least 0; null if the value is anything else. */
    static @Nullable Long count(@Nullable Object value) {
        var integer = integer(value);
        return integer != null && integer >= 0 ? integer : null;
    }

    /** Writes maps, lists, texts, numbers, booleans and null as compact JSON. */
    static String write(@Nullable Object value) {
        var out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(@Nullable Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> map) {
            var separator = '{';
            for (var entry : map.entrySet()) {
                writeText((String) entry.getKey(), out.append(separator));
                write(entry.getValue(), out.append(':'));
                separator = ',';
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> list) {
            var separator = '[';
            for (var item : list) {
                write(item, out.append(separator));
                separator = ',';
            }
            out.append(separator == '[' ? "[]" : "]");
        } else if (value instanceof String text) {
            writeText(text, out);
        } else {
            var whole = integer(value);
            out.append(whole == null ? String.valueOf(value) : whole.toString());
        }
    }

    private static void writeText(String text, StringBuilder out) {
        out.append('"');
        for (int place = 0; place < text.length(); place++) {
            char unit = text.charAt(place);
            boolean isPair = Character.isHighSurrogate(unit) && place + 1 < text.length() && Character.isLowSurrogate(text.charAt(place + 1));
            if (isPair) out.append(unit).append(text.charAt(++place));
            else if (unit == '"' || unit == '\\') out.append('\\').append(unit);
            // UTF-8 can't represent half of a surrogate pair.
            else if (unit < ' ' || Character.isSurrogate(unit)) out.append(String.format("\\u%04x", (int) unit));
            else out.append(unit);
        }
        out.append('"');
    }

    /** Decodes base64url (RFC 7515, section 2) without padding, other characters or nonzero unused bits; null for anything else. */
    static byte @Nullable [] fromBase64Url(String text) {
        try {
            var data = Base64.getUrlDecoder().decode(text);
            return toBase64Url(data).equals(text) ? data : null;
        } catch (IllegalArgumentException error) {
            return null;
        }
    }

    static String toBase64Url(byte[] data) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(data);
    }

    private static final class NotJson extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotJson() {
            super(null, null, false, false);
        }
    }

    private @Nullable Object value(int levels) {
        skipSpace();
        return switch (place < text.length() ? text.charAt(place) : ' ') {
            case '{' -> object(levels);
            case '[' -> list(levels);
            case '"' -> string();
            case 't' -> literal("true", true);
            case 'f' -> literal("false", false);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object(int levels) {
        var object = new LinkedHashMap<String, @Nullable Object>();
        enter(levels);
        if (isNext('}')) return object;
        do {
            skipSpace();
            var name = string();
            expect(':');
            object.put(name, value(levels - 1));
        } while (isNext(','));
        expect('}');
        return object;
    }

    private List<@Nullable Object> list(int levels) {
        var list = new ArrayList<@Nullable Object>();
        enter(levels);
        if (isNext(']')) return list;
        do {
            list.add(value(levels - 1));
        } while (isNext(','));
        expect(']');
        return list;
    }

    private void enter(int levels) {
        if (levels == 0) throw new NotJson();
        place++;
    }

    private String string() {
        if (place >= text.length() || text.charAt(place++) != '"') throw new NotJson();
        var found = new StringBuilder();
        while (true) {
            char unit = next();
            if (unit == '"') return found.toString();
            if (unit < ' ') throw new NotJson();
            found.append(unit == '\\' ? escaped() : unit);
        }
    }

    private char escaped() {
        char unit = next();
        return switch (unit) {
            case '"', '\\', '/' -> unit;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                int code = 0;
                for (int digit = 0; digit < 4; digit++) {
                    char hex = next();
                    if (hex > 'f' || Character.digit(hex, 16) < 0) throw new NotJson();
                    code = code * 16 + Character.digit(hex, 16);
                }
                yield (char) code;
            }
            default -> throw new NotJson();
        };
    }

    private Double number() {
        var found = NUMBER.matcher(text).region(place, text.length());
        if (!found.lookingAt()) throw new NotJson();
        place = found.end();
        return Double.valueOf(found.group());
    }

    private @Nullable Object literal(String word, @Nullable Object value) {
        if (!text.startsWith(word, place)) throw new NotJson();
        place += word.length();
        return value;
    }

    private char next() {
        if (place >= text.length()) throw new NotJson();
        return text.charAt(place++);
    }

    private boolean isNext(char character) {
        skipSpace();
        boolean isNext = place < text.length() && text.charAt(place) == character;
        if (isNext) place++;
        return isNext;
    }

    private void expect(char character) {
        if (!isNext(character)) throw new NotJson();
    }

    private void skipSpace() {
        while (place < text.length() && " \t\n\r".indexOf(text.charAt(place)) >= 0) place++;
    }
}
