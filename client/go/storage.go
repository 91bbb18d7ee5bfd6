package licensekey

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Storage is where a client keeps its cache: a few small texts by name. Anything may fail; the client then continues
// without. It may be called from several goroutines.
type Storage interface {
	// Get gives the text of that name; false if there is none.
	Get(name string) (string, bool, error)
	Set(name, text string) error
	// Remove deletes the text of that name, if there is one.
	Remove(name string) error
	// Lock waits until no other process has the lock of that name, and takes it.
	Lock(name string) (unlock func(), err error)
}

// MemoryStorage keeps nothing beyond the process. Its zero value is ready.
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

// FileStorage keeps each item in a file of its own that only its owner may read, in this folder of this app and this
// user, which is made if it is missing. A file is replaced whole or not at all, whenever the process or the machine
// stops. Clients in other languages share the files.
type FileStorage string

func (folder FileStorage) file(name string) string {
	return filepath.Join(string(folder), name+".json")
}

func (folder FileStorage) Get(name string) (string, bool, error) {
	data, err := os.ReadFile(folder.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(data), err == nil, err
}

// Set writes a draft, and puts it in its place.
func (folder FileStorage) Set(name, text string) error {
	if err := folder.make(); err != nil {
		return err
	}
	file := folder.file(name)
	draft := file + "." + randomHex(6) + ".tmp"
	// After a rename there is no draft any more.
	defer func() { _ = os.Remove(draft) }()
	if err := write(draft, []byte(text)); err != nil {
		return err
	}
	return os.Rename(draft, file)
}

func (folder FileStorage) Remove(name string) error {
	if err := os.Remove(folder.file(name)); !errors.Is(err, fs.ErrNotExist) {
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

// write makes a file, which is on the disk when it returns: a machine that loses power must not find a name without
// content.
func write(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}

// randomHex gives random bytes in hex.
func randomHex(size int) string {
	bytes := make([]byte, size)
	if _, err := rand.Read(bytes); err != nil {
		// A system without a source of random numbers: nothing can be kept private or apart on it.
		panic(err)
	}
	return hex.EncodeToString(bytes)
}
