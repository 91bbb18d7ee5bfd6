package licensekey

import (
	"errors"
	"time"
)

// device is this device as the service knows it.
type device struct {
	id string
	// kind is machineDevice or randomDevice.
	kind string
}

// fingerprintAttempts: a function that fails once may have met a virus scanner; one that fails twice is given up for now.
const fingerprintAttempts = 2

var errBadFingerprint = errors.New("the fingerprint must be 8 to 128 printable ASCII characters without spaces")

// deviceFinder finds this device's id. A random id stands in for a fingerprint only if the platform says that
// there is none, and this storage never held a seat with one: an id that changes for a moment would cost the user the
// license and a second seat.
type deviceFinder struct {
	// source finds the fingerprint; it gives an empty text if this machine has none. It may be nil.
	source func() (string, error)
	cache  *cache
	// timeout is the maximum time that each attempt to find the fingerprint may take.
	timeout time.Duration
	warn    func(message string, cause error)

	// found is the fingerprint of the machine, once it was found.
	found string
	// isNone: it has none, and says so.
	isNone bool
}

// find gives this device, or why it can't be identified now.
func (finder *deviceFinder) find(record record) (device, *Fault) {
	if record.Device != randomDevice || record.Key == "" {
		if found := finder.machine(); found != "" {
			return device{found, machineDevice}, nil
		}
		isNone := finder.isNone || finder.source == nil
		if !isNone || record.Device == machineDevice {
			return device{}, &Fault{Kind: DeviceUnknown, Message: "the fingerprint of this device was not found"}
		}
	}
	id, err := finder.cache.device()
	if err != nil {
		finder.warn("The id of this device was neither read nor stored", err)
		return device{}, &Fault{Kind: StorageFailed, Message: "the id of this device was neither read nor stored"}
	}
	return device{id, randomDevice}, nil
}

// machine gives the fingerprint of the machine; empty if there is none, or it can't be found now.
func (finder *deviceFinder) machine() string {
	if finder.found != "" || finder.isNone || finder.source == nil {
		return finder.found
	}
	for attempt := 0; attempt < fingerprintAttempts; attempt++ {
		text, err := within(finder.timeout, finder.source)
		if err == nil && text == "" {
			finder.isNone = true
			return ""
		}
		found := canonicalFingerprint(text)
		if err == nil && isDeviceID(found) {
			finder.found = found
			return found
		}
		if err == nil {
			err = errBadFingerprint
		}
		finder.warn("No fingerprint was found", err)
	}
	return ""
}
