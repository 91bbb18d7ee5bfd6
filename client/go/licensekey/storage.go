package licensekey

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Storage is the storage for a client's cache, which consists of a few small texts with names. Any method may fail; the
// client then continues without the storage. Several goroutines may call it.
type Storage interface {
	// Get returns the text with that name; false if there is none.
	Get(name string) (string, bool, error)
	Set(name, text string) error
	// Remove deletes the text with that name, if there is one.
	Remove(name string) error
	// Lock waits until no other process has the lock with that name, and takes it.
	Lock(name string) (unlock func(), err error)
}

// MemoryStorage keeps the data in memory, until the process ends. Its zero value is ready to use.
type MemoryStorage struct {
	lock  sync.Mutex
	items map[string]string
	locks map[string]*sync.Mutex
}

func (storage *MemoryStorage) Get(name string) (string, bool, error) {
	storage.lock.Lock()
	defer storage.lock.Unlock()
	text, isThere := storage.items[name]
	return text, isThere, nil
}

func (storage *MemoryStorage) Set(name, text string) error {
	storage.lock.Lock()
	defer storage.lock.Unlock()
	if storage.items == nil {
		storage.items = map[string]string{}
	}
	storage.items[name] = text
	return nil
}

func (storage *MemoryStorage) Remove(name string) error {
	storage.lock.Lock()
	defer storage.lock.Unlock()
	delete(storage.items, name)
	return nil
}

func (storage *MemoryStorage) Lock(name string) (unlock func(), err error) {
	storage.lock.Lock()
	if storage.locks == nil {
		storage.locks = map[string]*sync.Mutex{}
	}
	own := storage.locks[name]
	if own == nil {
		own = &sync.Mutex{}
		storage.locks[name] = own
	}
	storage.lock.Unlock()
	own.Lock()
	return own.Unlock, nil
}

// FileStorage keeps each item in a separate file. Only the user who owns a file may read it. The value of FileStorage
// is the path of a folder of this app and this user; the folder is created if it is missing. A file is replaced
// completely or not at all, even if the process or the machine stops. Clients in other languages share the files. If
// another user owns a file, for example because the app was started once with `sudo`, a second file is used from then on,
// and a warning is logged.
type FileStorage string

func (folder FileStorage) files(name string) (first, second string) {
	path := filepath.Join(string(folder), name)
	return path + ".json", path + ".own.json"
}

// isForbidden says whether an access failed because the file belongs to another user. On Windows the same error is
// reported for files that are in use.
func isForbidden(err error) bool {
	return runtime.GOOS != "windows" && errors.Is(err, fs.ErrPermission)
}

// maxFileBytes is the maximum size of a file that is read. A full queue of amounts is smaller.
const maxFileBytes = 8_388_608

// readFile returns the content of a file. A file that is too large counts as empty, and so do pipes and devices: reading
// a pipe without a writer would wait for ever, and reading a device may never end. Reading a folder fails.
func readFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice|fs.ModeSocket) != 0 {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if len(data) > maxFileBytes {
		data = nil
	}
	return data, err
}

func (folder FileStorage) Get(name string) (string, bool, error) {
	first, second := folder.files(name)
	data, err := readFile(second)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = readFile(first)
	}
	if isForbidden(err) {
		if _, missing := os.Lstat(second); errors.Is(missing, fs.ErrNotExist) {
			slog.Warn("a file of the license belongs to another user; a second file is used", "file", first, "second", second)
			return "", false, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	// Bytes that are not UTF-8 damage only the field that contains them.
	return strings.ToValidUTF8(string(data), "\ufffd"), err == nil, err
}

// Set writes a draft file, and renames it to the final name.
func (folder FileStorage) Set(name, text string) error {
	if err := folder.make(); err != nil {
		return err
	}
	file, second := folder.files(name)
	if _, err := os.Lstat(second); err == nil || isUnreadable(file) {
		file = second
	}
	draft := file + "." + randomHex(6) + ".tmp"
	// After the rename the draft file no longer exists, so the removal only cleans up after an error.
	defer func() { _ = os.Remove(draft) }()
	if err := write(draft, []byte(text)); err != nil {
		return err
	}
	return os.Rename(draft, file)
}

// Remove also deletes the drafts of processes that were killed while they wrote the file, because a draft contains the
// license as well.
func (folder FileStorage) Remove(name string) error {
	first, second := folder.files(name)
	failed := errors.Join(remove(first), remove(second))
	others, err := os.ReadDir(string(folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(failed, err)
	}
	for _, other := range others {
		isDraft := strings.HasPrefix(other.Name(), name+".json.") || strings.HasPrefix(other.Name(), name+".own.json.")
		if isDraft && strings.HasSuffix(other.Name(), ".tmp") {
			failed = errors.Join(failed, remove(filepath.Join(string(folder), other.Name())))
		}
	}
	return failed
}

// isUnreadable says whether a file belongs to another user.
func isUnreadable(file string) bool {
	_, err := readFile(file)
	return isForbidden(err)
}

// remove deletes a file, if there is one.
func remove(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (folder FileStorage) Lock(name string) (unlock func(), err error) {
	if err := folder.make(); err != nil {
		return nil, err
	}
	return takeLock(filepath.Join(string(folder), name+".lock"))
}

func (folder FileStorage) make() error { return os.MkdirAll(string(folder), 0o700) }

// write creates a file, and returns after the content is on the disk. Otherwise a power failure could leave an empty
// file. If the content can't be written, for example because the disk is full, write removes the file. If the file is a
// lock, every process would otherwise have to wait for a lock without an owner.
func write(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

// randomHex returns random bytes as hex.
func randomHex(size int) string {
	bytes := make([]byte, size)
	if _, err := rand.Read(bytes); err != nil {
		// Without a source of random numbers, no id on this system would be secret or unique.
		panic(err)
	}
	return hex.EncodeToString(bytes)
}
