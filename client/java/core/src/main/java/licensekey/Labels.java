package licensekey;

import org.jspecify.annotations.Nullable;

/**
 * How the operator's page shows this device. Each text has at most 200 characters.
 *
 * @param name such as {@code Ada's laptop}
 * @param platform such as {@code windows}
 */
public record Labels(@Nullable String name, @Nullable String platform) {
    /** No labels. */
    public static final Labels NONE = new Labels(null, null);
}
