package licensekey

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"time"
)

var deviceID = regexp.MustCompile(`^[\x21-\x7e]{8,128}$`)

// isDeviceID says whether the service accepts a text as a fingerprint: 8 to 128 printable ASCII characters without spaces.
func isDeviceID(text string) bool { return deviceID.MatchString(text) }

// writeAttempts is the maximum number of attempts to store a text. On Windows a virus scanner may keep a file open for
// some time, so that the file can't be replaced. With the default pause the attempts take about a second.
const writeAttempts = 5

// maker computes a changed record. It returns false if the record stays unchanged, because it contains another
// activation than expected.
type maker func(current record) (record, bool)

// cache gives access to the record and the random id in the app's storage. Processes with the same storage see each
// other's changes. While the storage can't be read or written, the client uses its copy of the record in memory, and
// writes this copy as soon as the storage works.
type cache struct {
	storage Storage
	name    string
	// timeout is the maximum time for one access.
	timeout time.Duration
	// pause is the time between two attempts to store a text.
	pause time.Duration
	warn  func(message string, cause error)

	// changing is locked while a change is written to the storage. If the storage takes longer than the time limit,
	// changing stays locked until the storage has finished. Later changes wait for the lock.
	changing sync.Mutex
	// guard protects the following fields; it is never locked during an access to the storage.
	guard   sync.Mutex
	current record
	// known is the stored text that was last read or written; nil before the first access.
	known *string
	// isAhead is true while memory is newer than the storage: a write is in progress, or has failed.
	isAhead bool
	// hasFailed is true if the last attempt to write the record in memory has failed.
	hasFailed bool
	// randomID is empty until it was read or created.
	randomID string
}

func (cache *cache) deviceName() string { return cache.name + ".device" }

func (cache *cache) queueName() string { return cache.name + ".queue" }

// get returns the text with a name; the result is empty if there is none.
func (cache *cache) get(name string) (string, error) {
	text, _, err := cache.storage.Get(name)
	return text, err
}

func (cache *cache) held() (held record, isKnown, isAhead bool) {
	cache.guard.Lock()
	defer cache.guard.Unlock()
	return cache.current, cache.known != nil, cache.isAhead
}

// load never fails: if the record can't be read, it returns the copy in this process. It returns false if no
// attempt to read the record has succeeded yet.
func (cache *cache) load() (record, bool) {
	isFree := cache.changing.TryLock()
	if isFree {
		cache.changing.Unlock()
	}
	if _, isKnown, _ := cache.held(); isFree || !isKnown {
		text, err := within(cache.timeout, func() (string, error) { return cache.get(cache.name) })
		if err != nil {
			cache.warn("The license cache was not read", err)
		} else {
			cache.adopt(text)
			cache.settle()
		}
	}
	held, isKnown, _ := cache.held()
	return held, isKnown
}

// isStored is false while the last change is only in memory, because it could not be written.
func (cache *cache) isStored() bool {
	cache.guard.Lock()
	defer cache.guard.Unlock()
	return !cache.isAhead || !cache.hasFailed
}

// change computes a new record from the current one, atomically across processes. This process uses the new record even
// if it can't be stored. change returns false, and changes nothing, if make returns false, or if no attempt to read the
// record has succeeded yet.
func (cache *cache) change(make maker) (record, bool) {
	var made record
	isDecided, isMade := false, false
	decide := func() {
		cache.guard.Lock()
		defer cache.guard.Unlock()
		if isDecided {
			return
		}
		isDecided = true
		if made, isMade = make(cache.current); isMade {
			cache.current, cache.isAhead = made, true
		}
	}
	cache.update(decide, writeAttempts)
	if _, isKnown, _ := cache.held(); isKnown {
		// The storage has failed or takes too long, so the change is made in memory.
		decide()
	}
	cache.guard.Lock()
	defer cache.guard.Unlock()
	return made, isMade
}

// exclusively takes the lock that keeps two processes from taking or freeing seats ("seat"), or from sending stored
// amounts ("sending"), at the same time. It waits while another process has the lock. The returned function releases the
// lock. If the lock can't be taken in time, or if closing ends, the caller continues without it. This is safe, because
// every change of the record checks the expected activation, and the service counts each amount once.
func (cache *cache) exclusively(closing context.Context, what string) (leave func()) {
	type outcome struct {
		unlock func()
		err    error
	}
	outcomes := make(chan outcome)
	go func() {
		unlock, err := cache.storage.Lock(cache.name + "." + what)
		outcomes <- outcome{unlock, err}
	}()
	// The maximum wait for the lock is the time that two requests of another process may take, each with two attempts.
	wait, cancel := context.WithTimeout(closing, 5*cache.timeout)
	defer cancel()
	err := errLate
	select {
	case found := <-outcomes:
		if found.err == nil {
			return found.unlock
		}
		err = found.err
	case <-wait.Done():
		// If the lock is taken later, it is released at once.
		go func() {
			if found := <-outcomes; found.err == nil {
				found.unlock()
			}
		}()
	}
	if closing.Err() == nil {
		cache.warn("The license cache was not locked", err)
	}
	return func() {}
}

// queueText returns the text of the queue of amounts; empty if there is none.
func (cache *cache) queueText() (string, error) {
	text, err := within(cache.timeout, func() (string, error) { return cache.get(cache.queueName()) })
	if err != nil {
		cache.warn("The queue of amounts was not read", err)
	}
	return text, err
}

// changeQueueText replaces the text of the queue, atomically across processes. If make returns false, the text stays.
// changeQueueText returns whether the text was replaced.
func (cache *cache) changeQueueText(make func(text string) (string, bool)) bool {
	isStored, err := within(cache.timeout, func() (bool, error) {
		name := cache.queueName()
		unlock, err := cache.storage.Lock(name)
		if err != nil {
			return false, err
		}
		defer unlock()
		text, err := cache.get(name)
		if err != nil {
			return false, err
		}
		text, isChanged := make(text)
		if !isChanged {
			return false, nil
		}
		return true, cache.store(name, text, writeAttempts)
	})
	if err != nil {
		cache.warn("The queue of amounts was not written", err)
	}
	return isStored && err == nil
}

// settle writes the changes that are only in memory.
func (cache *cache) settle() {
	if _, _, isAhead := cache.held(); isAhead {
		cache.update(func() {}, 1)
	}
}

// store stores a text.
func (cache *cache) store(name, text string, attempts int) error {
	for ; attempts > 1; attempts-- {
		if cache.storage.Set(name, text) == nil {
			return nil
		}
		time.Sleep(cache.pause)
	}
	return cache.storage.Set(name, text)
}

// device returns the random id of this device. If no id is stored, it creates an id and stores it. It returns an error
// if the storage can't be read, because an id may already be stored, or if a new id can't be stored.
func (cache *cache) device() (string, error) {
	cache.guard.Lock()
	id := cache.randomID
	cache.guard.Unlock()
	if id != "" {
		return id, nil
	}
	id, err := within(cache.timeout, cache.findDevice)
	if err == nil {
		cache.guard.Lock()
		cache.randomID = id
		cache.guard.Unlock()
	}
	return id, err
}

var errNotStored = errors.New("it was not stored")

func (cache *cache) findDevice() (string, error) {
	name := cache.deviceName()
	unlock, err := cache.storage.Lock(name)
	if err != nil {
		return "", err
	}
	defer unlock()
	kept, err := cache.get(name)
	if err != nil || isDeviceID(kept) {
		return kept, err
	}
	if err := cache.store(name, randomHex(32), writeAttempts); err != nil {
		return "", err
	}
	kept, err = cache.get(name)
	if err == nil && !isDeviceID(kept) {
		err = errNotStored
	}
	return kept, err
}

// clear deletes everything that is stored. If the record does not contain the expected key, clear deletes nothing and
// returns false.
func (cache *cache) clear(expected record) bool {
	isFound, isHeld := false, true
	cache.update(func() {
		cache.guard.Lock()
		isFound, isHeld = true, cache.current.Key == expected.Key
		cache.guard.Unlock()
		if isHeld {
			cache.remove()
		}
	}, 1)
	cache.guard.Lock()
	isCleared := isFound && isHeld
	isOther := isFound && !isHeld
	cache.guard.Unlock()
	if !isCleared && !isOther {
		// A record that can't be read is deleted as well.
		cache.remove()
	}
	return !isOther
}

func (cache *cache) remove() {
	cache.guard.Lock()
	cache.current, cache.isAhead, cache.randomID = record{}, false, ""
	if cache.known != nil {
		cache.known = new(string)
	}
	cache.guard.Unlock()
	for _, name := range []string{cache.name, cache.deviceName(), cache.queueName()} {
		if _, err := within(cache.timeout, func() (struct{}, error) { return struct{}{}, cache.storage.Remove(name) }); err != nil {
			cache.warn("The license cache was not deleted", err)
		}
	}
}

// adopt replaces the record in memory with the text that was read from the storage. There is one exception: if the
// stored text is unchanged, and the record in memory contains changes that are not stored yet, the record in memory stays.
// If an activation was only in memory, and another process has stored another key in the meantime, the seat of the first
// key must be freed.
func (cache *cache) adopt(text string) {
	cache.guard.Lock()
	defer cache.guard.Unlock()
	if cache.isAhead && cache.known != nil && *cache.known == text {
		return
	}
	before, wasAhead := cache.current, cache.isAhead
	cache.isAhead, cache.known, cache.current = false, &text, parseRecord(text)
	if wasAhead && before.Token != "" && before.Key != "" && !cache.current.hasKey(before.Key) {
		cache.isAhead, cache.current = true, cache.current.releasing(before.Key)
	}
}

// update reads the record, calls decide, which may change it, and writes the changed record. This is atomic across
// processes.
func (cache *cache) update(decide func(), attempts int) {
	_, err := within(cache.timeout, func() (struct{}, error) {
		cache.changing.Lock()
		defer cache.changing.Unlock()
		unlock, err := cache.storage.Lock(cache.name)
		if err != nil {
			return struct{}{}, err
		}
		defer unlock()
		text, err := cache.get(cache.name)
		if err != nil {
			return struct{}{}, err
		}
		cache.adopt(text)
		decide()
		return struct{}{}, cache.write(attempts)
	})
	if err != nil {
		cache.guard.Lock()
		cache.hasFailed = true
		cache.guard.Unlock()
		cache.warn("The license cache was not written", err)
	}
}

func (cache *cache) write(attempts int) error {
	held, _, isAhead := cache.held()
	if !isAhead {
		return nil
	}
	text, err := held.text()
	if err == nil {
		err = cache.store(cache.name, text, attempts)
	}
	if err != nil {
		return err
	}
	cache.guard.Lock()
	defer cache.guard.Unlock()
	cache.known, cache.hasFailed = &text, false
	if now, err := cache.current.text(); err == nil && now == text {
		cache.isAhead = false
	}
	return nil
}
