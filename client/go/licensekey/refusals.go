package licensekey

import "regexp"

// isSigned contains each known refusal with its stored name. The value says whether the service signs the refusal. The
// signed refusals are statuses of the license, and `unbound`, which says that this device has no seat. An unknown name
// counts as a status that only a newer version of the service knows.
var isSigned = map[Status]bool{
	Revoked:        true,
	Suspended:      true,
	Expired:        true,
	Reissued:       true,
	SignInRequired: true,
	Unbound:        true,
	NoSeats:        false,
	TooManyDevices: false,
	UnknownKey:     false,
	NoTrial:        false,
	NotCovered:     false,
}

var statusName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// isStatusName says whether a text has the form of a status name; a text of another form does not come from the service.
func isStatusName(name string) bool { return statusName.MatchString(name) }

// isSignable says whether the service signs this refusal.
func isSignable(name string) bool {
	isOfLicense, isKnown := isSigned[Status(name)]
	return isOfLicense || !isKnown
}

// isRefusedStatus says whether a text can be the status of a license that must not be used. An unknown name counts as a
// status that only a newer version of the service knows. `active`, `unbound`, and the refusals that the service does not
// sign (such as `no_seats`) are not such statuses: a response that contains one of them as the license's status does not
// come from the service.
func isRefusedStatus(name string) bool {
	return isStatusName(name) && isSignable(name) && name != string(Unbound) && name != "active"
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
