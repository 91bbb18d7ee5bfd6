package licensekey;

import java.math.BigInteger;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A build of the app.
 *
 * @param version a semantic version, or digits with dots; a leading {@code v} is allowed. Null if it is unknown
 * @param releasedAt when the build was published; null if it is unknown
 */
public record Release(@Nullable String version, @Nullable Instant releasedAt) {
    private static final String IDENTIFIER = "(0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
    private static final Pattern READABLE = Pattern.compile("v?(\\d+(\\.\\d+)*|(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)"
            + "(-" + IDENTIFIER + "(\\." + IDENTIFIER + ")*)?(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?)");

    /** The major version; null if the version is not readable. */
    @Nullable BigInteger major() {
        return version != null && READABLE.matcher(version).matches() ? new BigInteger(version.replaceFirst("^v", "").split("\\D", 2)[0]) : null;
    }
}
