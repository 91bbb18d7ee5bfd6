package licensekey

import (
	"errors"
	"io/fs"
	"math/rand"
	"os"
	"time"
)

const (
	// abandonedAfter: if a lock file was not touched for this long, the process that owns the lock is assumed to have
	// ended. A random time of up to half of this duration is added. The sum is less than the client's default time limit
	// for an access to the storage, so that a process that has crashed does not keep later processes from storing a
	// license.
	abandonedAfter = 3 * time.Second
	// touchEvery is how often the owner of a lock touches its file.
	touchEvery = time.Second
	// lockPoll is the pause between two attempts to take a lock; a random time of at most the same length is added.
	lockPoll = 10 * time.Millisecond
)

func withChance(least time.Duration, more float64) time.Duration {
	return time.Duration(float64(least) * (1 + rand.Float64()*more))
}

// glance contains the owner of a lock file and the time at which the file was touched. A waiting process compares two
// glances.
type glance struct {
	owner   string
	touched time.Time
}

// lookAt reads the state of a lock file. The result is empty if there is no file. The owner is also empty if a process
// has ended between creating and writing the file, if this user may not read the file, or if the path is not a
// file, but for example a folder. In these cases the lock can be abandoned too.
func lookAt(file string) (glance, error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return glance{}, nil
	}
	if err != nil {
		return glance{}, err
	}
	var owner []byte
	if info.Mode().IsRegular() {
		owner, _ = readFile(file)
	}
	return glance{string(owner), info.ModTime()}, nil
}

// takeLock takes a lock file, and waits while another process has it.
func takeLock(file string) (unlock func(), err error) {
	owner := randomHex(8)
	patience := withChance(abandonedAfter, 0.5)
	var last glance
	var since time.Time
	for {
		err := write(file, []byte(owner))
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		found, err := lookAt(file)
		if err != nil {
			return nil, err
		}
		if found == (glance{}) || found != last {
			last, since = found, time.Now()
		} else if time.Since(since) > patience {
			if err := os.RemoveAll(file); err != nil {
				return nil, err
			}
		}
		time.Sleep(withChance(lockPoll, 1))
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(touchEvery):
				now := time.Now()
				_ = os.Chtimes(file, now, now)
			}
		}
	}()
	return func() {
		close(done)
		// If this process did not touch the file in time, another process has taken over the lock. The file then belongs to
		// the other process and must stay.
		if found, err := lookAt(file); err == nil && found.owner == owner {
			_ = os.Remove(file)
		}
	}, nil
}
