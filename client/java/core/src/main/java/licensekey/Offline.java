package licensekey;

/** What {@link LicenseClient#consume(String, long, String)} does with an amount if the service can't be reached. */
public enum Offline {
    /** The call fails. */
    REFUSE,
    /** The amount is stored, and sent when the service can be reached. */
    QUEUE
}
