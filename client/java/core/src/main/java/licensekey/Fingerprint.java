package licensekey;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The fingerprint of a machine: SHA-256, in lower-case hex, of the operating system's machine id (docs/client.md, The fingerprint). */
public final class Fingerprint {
    /** Maximum time that a command may take, in seconds. */
    private static final int COMMAND_LIMIT = 5;
    /** The files in which Linux keeps its machine id (machine-id(5)), the usual one first. */
    private static final List<String> LINUX_FILES = List.of("/etc/machine-id", "/var/lib/dbus/machine-id");
    // Commands have absolute paths, so that another program of the same name is never run.
    private static final List<String> MACOS_IOREG = List.of("/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice");
    private static final String WINDOWS_SYSTEM = System.getenv().getOrDefault("SystemRoot", "C:\\Windows") + "\\System32\\";
    private static final List<String> WINDOWS_REG =
            List.of(WINDOWS_SYSTEM + "reg.exe", "query", "HKLM\\SOFTWARE\\Microsoft\\Cryptography", "/v", "MachineGuid", "/reg:64");
    /** Reads the registry with .NET. */
    private static final List<String> WINDOWS_POWERSHELL = List.of(
            WINDOWS_SYSTEM + "WindowsPowerShell\\v1.0\\powershell.exe",
            "-NoProfile",
            "-NonInteractive",
            "-Command",
            "[Microsoft.Win32.RegistryKey]::OpenBaseKey('LocalMachine', 'Registry64')"
                    + ".OpenSubKey('SOFTWARE\\Microsoft\\Cryptography').GetValue('MachineGuid')");

    /** The pattern that finds the machine id in the file or output of each platform. */
    private static final Map<String, Pattern> PATTERNS = Map.of(
            "linux", Pattern.compile("^\\s*([0-9a-f]{32})\\s*$", Pattern.CASE_INSENSITIVE),
            "darwin", Pattern.compile("\"IOPlatformUUID\"\\s*=\\s*\"([0-9a-f-]{36})\"", Pattern.CASE_INSENSITIVE),
            "win32", Pattern.compile("(?:^|\\s)([0-9a-f-]{36})\\s*$", Pattern.CASE_INSENSITIVE));

    /** The id of firmware and system images that were never set up. */
    private static final Pattern PLACEHOLDER = Pattern.compile("[0-]+|[f-]+");

    private Fingerprint() {}

    /**
     * Returns this machine's fingerprint, which is the same after restarts and updates, and for every app and SDK. Null if there is no
     * machine id, for example in some containers; the client then creates a random id.
     *
     * @throws IOException if there is a machine id that can't be read now
     */
    public static @Nullable String ofMachine() throws IOException {
        return ofMachine(platform(), Fingerprint::read, Fingerprint::run);
    }

    /**
     * Returns a function like {@link #ofMachine()} whose result differs between apps, so that two vendors can't recognize the same machine
     * by the fingerprint. Choose one of the two before the first activation, because their fingerprints of the same machine differ.
     *
     * @param app the product's slug
     */
    public static Callable<@Nullable String> ofApp(String app) {
        return () -> ofApp(app, platform(), Fingerprint::read, Fingerprint::run);
    }

    /** Reads a text from a file or a command. */
    interface Source<T> {
        @Nullable String from(T source) throws IOException;
    }

    static @Nullable String ofMachine(String platform, Source<String> files, Source<List<String>> commands) throws IOException {
        return hashed(machineId(platform, files, commands), id -> digest("SHA-256", id));
    }

    static @Nullable String ofApp(String app, String platform, Source<String> files, Source<List<String>> commands) throws IOException {
        return hashed(machineId(platform, files, commands), id -> {
            try {
                var mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(id, "HmacSHA256"));
                return mac.doFinal(app.getBytes(StandardCharsets.UTF_8));
            } catch (GeneralSecurityException error) {
                throw new IllegalStateException(error);
            }
        });
    }

    private static @Nullable String hashed(@Nullable String machineId, Function<byte[], byte[]> hash) {
        return machineId == null ? null : HexFormat.of().formatHex(hash.apply(machineId.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] digest(String algorithm, byte[] data) {
        try {
            return MessageDigest.getInstance(algorithm).digest(data);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }

    private static String platform() {
        var name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return name.startsWith("windows") ? "win32" : name.startsWith("mac") ? "darwin" : name;
    }

    /**
     * Returns the machine id; null if there is none. A file that doesn't exist is skipped. A source that can't be read is an error, because
     * a temporary fault must not give the machine another fingerprint.
     */
    private static @Nullable String machineId(String platform, Source<String> files, Source<List<String>> commands) throws IOException {
        switch (platform) {
            case "linux":
                for (var path : LINUX_FILES) {
                    var id = parseMachineId(platform, files.from(path));
                    if (id != null) return id;
                }
                return null;
            case "darwin":
                return parseMachineId(platform, commands.from(MACOS_IOREG));
            case "win32":
                // The JDK has no registry API. A group policy may forbid reg.exe, but not PowerShell.
                String shown;
                try {
                    shown = commands.from(WINDOWS_REG);
                } catch (IOException error) {
                    shown = commands.from(WINDOWS_POWERSHELL);
                }
                return parseMachineId(platform, shown);
            default:
                return null;
        }
    }

    /** Returns the machine id in a platform's file or output, in lower case; null if there is none, or only a placeholder. */
    static @Nullable String parseMachineId(String platform, @Nullable String shown) {
        var pattern = PATTERNS.get(platform);
        if (pattern == null || shown == null) return null;
        var match = pattern.matcher(shown);
        var id = match.find() ? Texts.lowerCase(match.group(1)) : null;
        return id == null || PLACEHOLDER.matcher(id).matches() ? null : id;
    }

    private static @Nullable String read(String path) throws IOException {
        try {
            return new String(Files.readAllBytes(Path.of(path)), StandardCharsets.UTF_8);
        } catch (NoSuchFileException error) {
            return null;
        } catch (FileSystemException error) {
            // A part of the path is not a folder.
            if ("Not a directory".equals(error.getReason())) return null;
            throw error;
        }
    }

    private static String run(List<String> command) throws IOException {
        var process = new ProcessBuilder(command).redirectInput(ProcessBuilder.Redirect.PIPE).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        process.getOutputStream().close();
        var output = CompletableFuture.supplyAsync(() -> {
            try {
                return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException error) {
                return "";
            }
        }, Waiting.THREADS);
        try {
            if (!process.waitFor(COMMAND_LIMIT, TimeUnit.SECONDS)) throw new IOException(command.get(0) + " took too long");
            if (process.exitValue() != 0) throw new IOException(command.get(0) + " failed with status " + process.exitValue());
            return output.join();
        } catch (InterruptedException error) {
            throw new IOException(error);
        } finally {
            process.destroyForcibly();
        }
    }
}
