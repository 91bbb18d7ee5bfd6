package licensekey

import (
	"errors"
	"time"
)

// device is this device, as the service identifies it.
type device struct {
	id string
	// kind is machineDevice or randomDevice.
	kind string
}

// fingerprintAttempts is how often the client calls the fingerprint function before it gives up. The first call may
// fail because of a virus scanner. After the last failed attempt the device counts as unknown, until the client needs
// the fingerprint again.
const fingerprintAttempts = 2

var errBadFingerprint = errors.New("the fingerprint must be 8 to 128 printable ASCII characters without spaces")

// deviceFinder finds this device's id: its fingerprint, or a random id. The random id is used if the current key was
// activated with it. It is also used if the device has no fingerprint, and no seat in this storage was ever taken with
// a fingerprint. In all other cases a device whose fingerprint isn't found is unknown, so that a temporary fault
// doesn't change the id. With another id, the user would lose the license and need a second seat.
type deviceFinder struct {
	// source finds the fingerprint; it returns an empty text if this machine has none. source is nil if the app doesn't
	// use fingerprints.
	source func() (string, error)
	cache  *cache
	// timeout is the maximum time for each attempt to find the fingerprint.
	timeout time.Duration
	warn    func(message string, cause error)

	// found is the machine's fingerprint, after it was found.
	found string
	// isNone is true if the machine reported that it has no fingerprint.
	isNone bool
}

// find returns this device, or why it can't be identified now.
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

// machine returns the fingerprint of the machine; empty if there is none, or if it can't be found now.
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
