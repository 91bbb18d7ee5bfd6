/**
 * Offline-first licensing for apps with the license key service. Start with {@link licensekey.LicenseClient}.
 *
 * <p>Every type is not null unless it is marked {@code @Nullable}.
 */
@NullMarked
package licensekey;

import org.jspecify.annotations.NullMarked;
