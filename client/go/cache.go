package licensekey

import (
	"regexp"
	"time"
)

var deviceID = regexp.MustCompile(`^[\x21-\x7e]{8,128}$`)

// isDeviceID says whether the service accepts a text as a fingerprint: 8 to 128 printable ASCII characters without spaces.
func isDeviceID(text string) bool { return deviceID.MatchString(text) }

// cache is the record and the random id in the app's storage: processes which share a storage see each other's changes;
// memory stands in while it can't be read, and for what it failed to take, which is written as soon as it can be. For
// one goroutine at a time.
type cache struct {
	storage Storage
	name    string
	// timeout is the maximum time that one access may take.
	timeout time.Duration
	warn    func(message string, cause error)

	current record
	// known is the text that was last read or written; nil before.
	known *string
	// isAhead: memory is ahead of the storage, because a write failed.
	isAhead bool
	// randomID is empty before it was read or made.
	randomID string
}

func (cache *cache) deviceName() string { return cache.name + ".device" }

// read gives the text of a name, which is empty if there is none.
func (cache *cache) read(name string) (string, error) {
	return within(cache.timeout, func() (string, error) {
		text, _, err := cache.storage.Get(name)
		return text, err
	})
}

// load never fails: if the record can't be read, that of this process counts.
func (cache *cache) load() record {
	text, err := cache.read(cache.name)
	if err != nil {
		cache.warn("The license cache was not read", err)
		return cache.current
	}
	isChangedElsewhere := cache.known != nil && *cache.known != text
	if cache.isAhead && !isChangedElsewhere {
		cache.settle()
		return cache.current
	}
	cache.isAhead = false
	cache.known = &text
	cache.current = parseRecord(text)
	return cache.current
}

// save: this process sees the record at once, whether it can be stored or not.
func (cache *cache) save(record record) {
	cache.current = record
	cache.isAhead = true
	cache.settle()
}

// settle writes what memory is ahead by.
func (cache *cache) settle() {
	if !cache.isAhead {
		return
	}
	text, err := cache.current.text()
	if err == nil {
		err = cache.access(func() error { return cache.storage.Set(cache.name, text) })
	}
	if err != nil {
		cache.warn("The license cache was not written", err)
		return
	}
	cache.known = &text
	cache.isAhead = false
}

// device gives the random id of this device, made once; an error if it may exist and can't be read.
func (cache *cache) device() (string, error) {
	if cache.randomID != "" {
		return cache.randomID, nil
	}
	kept, err := cache.read(cache.deviceName())
	if err != nil {
		return "", err
	}
	if !isDeviceID(kept) {
		kept = cache.makeDevice(kept)
	}
	cache.randomID = kept
	return kept, nil
}

// makeDevice makes the random id. What is damaged is replaced; what another process has stored meanwhile is kept.
func (cache *cache) makeDevice(damaged string) string {
	made := randomHex(32)
	stored, err := within(cache.timeout, func() (string, error) {
		if damaged == "" {
			return cache.storage.Create(cache.deviceName(), made)
		}
		return made, cache.storage.Set(cache.deviceName(), made)
	})
	if err != nil {
		cache.warn("The license cache was not written", err)
		return made
	}
	if !isDeviceID(stored) {
		return made
	}
	return stored
}

// clear deletes everything that is stored.
func (cache *cache) clear() {
	cache.current, cache.isAhead, cache.known, cache.randomID = record{}, false, nil, ""
	for _, name := range []string{cache.name, cache.deviceName()} {
		if err := cache.access(func() error { return cache.storage.Remove(name) }); err != nil {
			cache.warn("The license cache was not deleted", err)
		}
	}
}

func (cache *cache) access(task func() error) error {
	_, err := within(cache.timeout, func() (struct{}, error) { return struct{}{}, task() })
	return err
}
