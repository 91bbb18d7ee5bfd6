package licensekey

import "regexp"

// Every way in which a key can be refused, by the name under which it is stored; other names are statuses of a newer
// service, and refusals as well. Those that the service signs are about the license, or that this device is not bound to it.
var isSigned = map[Status]bool{
	Revoked:        true,
	Suspended:      true,
	Expired:        true,
	Unbound:        true,
	NoSeats:        false,
	TooManyDevices: false,
	UnknownKey:     false,
	NoTrial:        false,
	NotCovered:     false,
}

var statusName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// isStatusName says whether statuses are named so; what doesn't fit is not the service's.
func isStatusName(name string) bool { return statusName.MatchString(name) }

// isSignable says whether the service signs such a refusal.
func isSignable(name string) bool {
	isOfLicense, isKnown := isSigned[Status(name)]
	return isOfLicense || !isKnown
}

// refusalState is the state of a device whose key was refused.
func refusalState(name, key string, seats *Seats) State {
	status := Status(name)
	if _, isKnown := isSigned[status]; !isKnown {
		return State{Status: Refused, Reason: name}
	}
	state := State{Status: status}
	switch status {
	case Unbound:
		state.Key = key
	case NoSeats:
		state.Seats = seats
	}
	return state
}
