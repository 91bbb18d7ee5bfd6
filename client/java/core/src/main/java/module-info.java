/** The client library of the license key service: activates license keys, and verifies signed tokens without a network. */
module licensekey {
    requires transitive java.net.http;
    requires static org.jspecify;

    exports licensekey;
}
