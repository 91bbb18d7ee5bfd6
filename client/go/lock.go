package licensekey

import (
	"errors"
	"io/fs"
	"math/rand"
	"os"
	"time"
)

const (
	// abandonedAfter: a lock whose file nobody has touched for this long was left by a process that has ended. Chance adds
	// up to half of it.
	abandonedAfter = 5 * time.Second
	// touchEvery is how often the owner of a lock touches its file.
	touchEvery = time.Second
	// lockPoll is between two attempts to take a lock; chance adds as much.
	lockPoll = 10 * time.Millisecond
)

func withChance(least time.Duration, more float64) time.Duration {
	return time.Duration(float64(least) * (1 + rand.Float64()*more))
}

// glance is what a waiting process sees of a lock's file.
type glance struct {
	owner   string
	touched time.Time
}

// lookAt gives an empty owner if there is no file.
func lookAt(file string) (glance, error) {
	owner, err := os.ReadFile(file)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(file); err == nil {
			return glance{string(owner), info.ModTime()}, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return glance{}, err
}

// takeLock waits for a lock file that no other process has.
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
		if found.owner == "" && last.owner == "" || found != last {
			last, since = found, time.Now()
		} else if time.Since(since) > patience {
			_ = os.Remove(file)
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
		// One that was slow for too long has lost it to another process.
		if found, err := lookAt(file); err == nil && found.owner == owner {
			_ = os.Remove(file)
		}
	}, nil
}
