package licensekey;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Keeps each text in a separate file. Only the user who owns a file may read it. A file is replaced completely or not at all, even if the
 * process or the machine stops. Clients in other languages share the files. If another user owns a file, for example because the app was
 * started once with {@code sudo}, a second file is used from then on, and a warning is logged.
 */
public final class FileStorage implements Storage {
    private static final SecureRandom RANDOM = new SecureRandom();
    /**
     * If a lock file was not touched for this time, its owner is assumed to have ended. A random time of up to half of this time is added.
     * The sum is less than the client's default time limit for an access to the storage, so that a process that has crashed does not keep
     * later processes from storing a license.
     */
    private static final Duration ABANDONED_AFTER = Duration.ofSeconds(3);

    private static final Duration TOUCH_EVERY = Duration.ofSeconds(1);
    /** Minimum pause between two attempts to take a lock, in milliseconds. A random time of at most the same length is added. */
    private static final int LOCK_POLL = 10;

    /** Maximum size of a file that is read, in bytes. A full queue of amounts is smaller. */
    private static final int MAX_FILE_BYTES = 8_388_608;

    private final Path folder;
    private final boolean isWindows;

    /**
     * Creates a storage without accessing the disk.
     *
     * @param folder a folder of this app and this user; it is created if it is missing
     */
    public FileStorage(Path folder) {
        this.folder = folder;
        this.isWindows = isWindows(folder);
    }

    private static boolean isWindows(Path path) {
        return !path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    @Override
    public @Nullable String get(String name) throws IOException {
        var own = read(ownFile(name));
        if (own != null) return own;
        try {
            return read(file(name));
        } catch (AccessDeniedException error) {
            // On Windows the same exception is thrown for files that are in use.
            if (isWindows) throw error;
            // The logger is looked up here, because Android has no `System.Logger`.
            System.getLogger("license_key_client")
                    .log(System.Logger.Level.WARNING, file(name) + " belongs to another user; " + ownFile(name) + " is used instead");
            return null;
        }
    }

    @Override
    public void set(String name, String text) throws IOException {
        createFolder();
        var first = file(name);
        boolean isForeign = !isWindows && Files.exists(first) && !Files.isReadable(first);
        var file = isForeign || Files.exists(ownFile(name)) ? ownFile(name) : first;
        var draft = folder.resolve(file.getFileName() + "." + randomHex(6) + ".tmp");
        try {
            create(draft, text);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    @Override
    public void remove(String name) throws IOException {
        for (var file : List.of(file(name), ownFile(name))) {
            Files.deleteIfExists(file);
            if (!Files.exists(folder)) continue;
            // If a process is killed while it writes the file, a draft remains. The draft also contains the license.
            try (var drafts = Files.newDirectoryStream(folder, other -> isDraft(other.getFileName().toString(), file))) {
                for (var draft : drafts) Files.deleteIfExists(draft);
            }
        }
    }

    private static boolean isDraft(String name, Path file) {
        return name.startsWith(file.getFileName() + ".") && name.endsWith(".tmp");
    }

    @Override
    public Closeable lock(String name) throws IOException {
        createFolder();
        var file = folder.resolve(name + ".lock");
        var owner = takeLock(file);
        var stopTouching = Waiting.repeat(() -> touch(file), TOUCH_EVERY);
        return () -> {
            stopTouching.run();
            var found = Lock.at(file);
            // If this process did not touch the file in time, another process may have taken over the lock. The file then belongs to the
            // other process and must stay.
            if (found != null && found.owner.equals(owner)) Files.deleteIfExists(file);
        };
    }

    /** Takes a lock file, and waits while another process has it. Returns the file's content. */
    private String takeLock(Path file) throws IOException {
        var owner = randomHex(8);
        double patience = ABANDONED_AFTER.toNanos() * (1 + ThreadLocalRandom.current().nextDouble() / 2);
        Lock last = null;
        long since = 0;
        while (true) {
            try {
                create(file, owner);
                return owner;
            } catch (FileAlreadyExistsException error) {
                var found = Lock.at(file);
                if (found == null || !found.equals(last)) {
                    last = found;
                    since = System.nanoTime();
                } else if (System.nanoTime() - since > patience) {
                    removeLock(file);
                }
            }
            try {
                Thread.sleep(LOCK_POLL + ThreadLocalRandom.current().nextInt(LOCK_POLL));
            } catch (InterruptedException error) {
                throw new IOException("interrupted while waiting for " + file, error);
            }
        }
    }

    /**
     * A lock file.
     *
     * @param owner the content. It is empty if this user may not read the file, or if it is not a file but, for example, a folder. This is
     *     not an error, because such a lock can also be abandoned
     */
    private record Lock(String owner, FileTime touched) {
        static @Nullable Lock at(Path file) throws IOException {
            try {
                var found = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                return new Lock(found.isRegularFile() ? contentOf(file) : "", found.lastModifiedTime());
            } catch (NoSuchFileException error) {
                return null;
            }
        }

        private static String contentOf(Path file) {
            try {
                return String.valueOf(read(file));
            } catch (IOException error) {
                return "";
            }
        }
    }

    private static void removeLock(Path file) throws IOException {
        if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(file);
            return;
        }
        try (var content = Files.walk(file)) {
            for (var path : content.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
        } catch (NoSuchFileException error) {
            // Another process was faster.
        }
    }

    private static void touch(Path file) {
        try {
            Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis()));
        } catch (IOException error) {
            // If the file can't be touched for long enough, another process takes over the lock.
        }
    }

    /** Creates a file that only its owner may read, and writes it to disk. After a power failure it is not empty. */
    private void create(Path file, String text) throws IOException {
        var channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode("rw-------"));
        try (channel) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
            channel.force(true);
        } catch (IOException error) {
            // For example, the disk is full. If an empty lock file remained, every process would have to wait for a lock without an owner.
            Files.deleteIfExists(file);
            throw error;
        }
    }

    private void createFolder() throws IOException {
        if (Files.isDirectory(folder)) return;
        if (folder.toAbsolutePath().getParent() != null) Files.createDirectories(folder.toAbsolutePath().getParent());
        Files.createDirectories(folder, mode("rwx------"));
    }

    private FileAttribute<?>[] mode(String permissions) {
        return isWindows ? new FileAttribute<?>[0] : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))};
    }

    private Path file(String name) {
        return folder.resolve(name + ".json");
    }

    private Path ownFile(String name) {
        return folder.resolve(name + ".own.json");
    }

    /**
     * Returns the content of a file; null if there is no file. A file that is too large counts as empty, and so do pipes and devices:
     * reading a pipe without a writer would wait for ever, and reading a device may never end. Reading a folder fails.
     */
    private static @Nullable String read(Path file) throws IOException {
        try {
            // On Windows, which has no pipes among its files, a file that a cloud storage keeps is "other".
            if (!isWindows(file) && Files.readAttributes(file, BasicFileAttributes.class).isOther()) return "";
            try (var stream = Files.newInputStream(file)) {
                var bytes = stream.readNBytes(MAX_FILE_BYTES + 1);
                return bytes.length > MAX_FILE_BYTES ? "" : new String(bytes, StandardCharsets.UTF_8);
            }
        } catch (NoSuchFileException error) {
            return null;
        }
    }

    private static String randomHex(int bytes) {
        var random = new byte[bytes];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
