package example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import licensekey.FileStorage;
import licensekey.Fingerprint;
import licensekey.Labels;
import licensekey.LicenseClient;
import licensekey.Result;
import licensekey.State;

/**
 * A small licensed app: it shows what a developer writes to use the client library.
 *
 * <p>The app uses the folder that {@code npm run example -- setup} has created. Apps in several languages on one device share that folder,
 * and therefore one seat. Arguments: {@code check | activate KEY | sign-in | validate | deactivate |
 * import TOKEN}
 */
public final class App {
    private static final DateTimeFormatter MINUTES = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm").withZone(ZoneOffset.UTC);
    /** Shown to the operator, and to the user who signs in. */
    private static final Labels LABELS =
            new Labels(System.getenv().getOrDefault("HOSTNAME", "Java"), System.getProperty("os.name").toLowerCase(Locale.ROOT));

    private static final String NOT_ACTIVATED = "Not activated: enter your license key.";

    private App() {}

    /** The sentence that the app shows to its user for each result. In Java 21 and later, {@code switch} checks that none is missing. */
    private static String sentenceFor(Result result) {
        if (result instanceof State.Licensed licensed)
            return "Licensed (%s, by %s), without a network until %s UTC."
                    .formatted(licensed.license().type().kind(), licensed.source(), MINUTES.format(licensed.offlineUntil()));
        if (result instanceof State.Unbound unbound)
            return unbound.key() == null ? NOT_ACTIVATED : "This machine's seat was freed. Activate " + unbound.key() + " again.";
        if (result instanceof State.NoSeats full) {
            var numbers = full.seats() == null ? "" : " (" + full.seats().used() + " of " + full.seats().max() + ")";
            return "Every seat is taken" + numbers + ". Deactivate another machine first.";
        }
        if (result instanceof State.OfflineWithoutToken offline)
            return "Connect to the internet once, so that the license can be checked (" + offline.reason() + ").";
        if (result instanceof State.Refused refused)
            return switch (refused.refusal()) {
                case EXPIRED -> "Your license has expired. Renew it to continue.";
                case REVOKED -> "Your license was revoked. Contact the seller.";
                case SUSPENDED -> "Your license is on hold. Contact the seller.";
                case REISSUED -> "Your license key was replaced. Enter the new key from your mail.";
                case SIGN_IN_REQUIRED -> "Sign in again to use your license on this machine.";
                case DENIED -> "The activation was refused in the browser.";
                case REQUEST_EXPIRED -> "Nobody confirmed the activation in time. Sign in again.";
                case TOO_MANY_DEVICES -> "This license was activated on too many new machines this week. Try again in a few days.";
                case UNKNOWN_KEY -> "There is no such license key. Look for a typing mistake.";
                case NO_TRIAL -> "There is no trial. Enter a license key.";
                case NOT_COVERED -> "Your license does not cover this version. Renew its updates, or install an older version.";
                case OTHER -> "Your license can't be used now. Contact the seller.";
            };
        if (result instanceof Result.InvalidInput invalid) return "The " + invalid.field() + " " + invalid.message() + ".";
        if (result instanceof Result.InvalidToken invalid) return "The token is not accepted: " + invalid.problem();
        if (result instanceof Result.Failed failed) return "The seat may still be taken: " + failed.fault().message();
        return NOT_ACTIVATED;
    }

    /** Runs one command. */
    public static void main(String[] arguments) throws IOException {
        // One line for each warning of the client.
        System.setProperty("java.util.logging.SimpleFormatter.format", "%5$s%n");
        var folder = Path.of(Optional.ofNullable(System.getenv("EXAMPLE_DIR")).orElse("client/example/.local"));
        String product;
        try {
            product = Files.readString(folder.resolve("product.json"));
        } catch (NoSuchFileException error) {
            System.err.println("There is no product yet: run `npm run example -- setup` first.");
            System.exit(1);
            return;
        }
        try (var client = LicenseClient.builder(
                        member(product, "baseUrl"), Long.parseLong(member(product, "id")), member(product, "apiKey"), member(product, "publicKey"))
                .audience(member(product, "slug"))
                .fingerprint(Fingerprint::ofMachine)
                .storage(new FileStorage(folder))
                .grace(Duration.ofDays(3))
                .allowUnboundTokens(true)
                .build()) {
            var result = run(client, arguments.length > 0 ? arguments[0] : "", arguments.length > 1 ? arguments[1] : "");
            if (result.isEmpty()) {
                System.err.println("Commands: check, activate <key>, sign-in, validate, deactivate, import <token>.");
                System.exit(2);
            }
            System.out.println(sentenceFor(result.get()));
            // Before the process ends, background work is finished and its results are stored.
            client.idle().join();
        }
    }

    private static Optional<Result> run(LicenseClient client, String command, String argument) {
        return switch (command) {
            case "check" -> Optional.of(client.check().join());
            case "validate" -> Optional.of(client.validate().join());
            case "activate" -> Optional.of(client.activate(argument, LABELS).join());
            // An app with a window opens the browser: url -> Desktop.getDesktop().browse(URI.create(url))
            case "sign-in" -> Optional.of(client.activateInBrowser(
                            LABELS,
                            code -> System.out.println("Compare this code with the one in the browser: " + code),
                            url -> System.out.println("Open " + url))
                    .join());
            case "deactivate" -> Optional.of(client.deactivate().join());
            case "import" -> Optional.of(client.importToken(argument).join());
            default -> Optional.empty();
        };
    }

    /** A member of the product's JSON. The JDK has no JSON reader; your app contains these values as constants. */
    private static String member(String json, String name) {
        var found = Pattern.compile("\"" + name + "\":\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|(\\d+))").matcher(json);
        if (!found.find()) throw new IllegalArgumentException("product.json has no " + name);
        return found.group(2) == null ? found.group(1).translateEscapes() : found.group(2);
    }
}
