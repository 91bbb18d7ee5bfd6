package licensekey

import "regexp"

// Every way in which a key can be refused, by the name under which it is stored; other names are statuses of a newer
// service, and refusals as well. Those of the license are signed by the service.
var isStatusOfLicense = map[Status]bool{
	Revoked:        true,
	Suspended:      true,
	Expired:        true,
	Unbound:        false,
	NoSeats:        false,
	TooManyDevices: false,
	UnknownKey:     false,
	NoTrial:        false,
}

var statusName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// isStatusName says whether statuses are named so; what doesn't fit is not the service's.
func isStatusName(name string) bool { return statusName.MatchString(name) }

// isLicenseStatus says whether a refusal is a status of the license, rather than of this device or of the key as typed.
func isLicenseStatus(name string) bool {
	isOfLicense, isKnown := isStatusOfLicense[Status(name)]
	return isOfLicense || !isKnown
}

// refusalState is the state of a device whose key was refused.
func refusalState(name, key string, seats *Seats) State {
	status := Status(name)
	if _, isKnown := isStatusOfLicense[status]; !isKnown {
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
