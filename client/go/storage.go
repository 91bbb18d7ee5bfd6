package licensekey

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
// completely or not at all, even if the process or the machine stops. Clients in other languages share the files.
type FileStorage string

func (folder FileStorage) file(name string) string {
	return filepath.Join(string(folder), name+".json")
}

func (folder FileStorage) Get(name string) (string, bool, error) {
	data, err := os.ReadFile(folder.file(name))
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
	file := folder.file(name)
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
	failed := remove(folder.file(name))
	others, err := os.ReadDir(string(folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(failed, err)
	}
	for _, other := range others {
		if strings.HasPrefix(other.Name(), name+".json.") && strings.HasSuffix(other.Name(), ".tmp") {
			failed = errors.Join(failed, remove(filepath.Join(string(folder), other.Name())))
		}
	}
	return failed
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
