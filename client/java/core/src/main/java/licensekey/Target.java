package licensekey;

import org.jspecify.annotations.Nullable;

/**
 * Which releases {@link LicenseClient#latest(Target)} considers.
 *
 * @param platform the release must have a file for this platform ({@code windows}, {@code macos}, {@code linux}) or for {@code any}; null:
 *     a file for any platform is enough
 * @param arch the release must have a file for this architecture ({@code x64}, {@code arm64}, {@code ia32}), for {@code any} or for
 *     {@code universal}; null: a file for any architecture is enough
 * @param channel null: {@code stable}
 * @param version only a newer release is an update; null: the version of {@link LicenseClient.Builder#release}
 */
public record Target(@Nullable String platform, @Nullable String arch, @Nullable String channel, @Nullable String version) {
    /** Every file, in the channel {@code stable}. */
    public static final Target ANY = new Target(null, null, null, null);
}
