package licensekey

import (
	"math"
	"strconv"
)

// rules are what the app allows, beyond what the token says.
type rules struct {
	keys               []verifyKey
	audience           string
	allowUnboundTokens bool
	// grace is in milliseconds.
	grace float64
}

func (rules rules) expectation(fingerprint string) Expectation {
	return Expectation{fingerprint, rules.audience, rules.allowUnboundTokens}
}

// assessment is what the cache is worth at a time on a device, without any access to the outside.
type assessment struct {
	record record
	device device
	// fault: this device can't be identified.
	fault *Fault
	// now is this machine's clock, in epoch milliseconds.
	now float64
	// time is the latest time that is known to have passed.
	time float64
	// problem is why the cached token doesn't count; empty if it does.
	problem string
	// claims are what a token of this product for this device says, regardless of the time; nil if there is none.
	claims *TokenClaims
}

// assess assesses a token by the record, the clock and the device. timeOf is the time at which the token is judged, if that
// depends on its claims; nil if it doesn't.
func assess(rules rules, record record, device device, fault *Fault, now float64, token string, timeOf func(*TokenClaims) float64) assessment {
	found := assessment{record: record, device: device, fault: fault, now: now, time: now}
	if record.Seen != nil {
		found.time = math.Max(now, *record.Seen)
	}
	switch {
	case fault != nil && fault.Kind == StorageFailed:
		found.problem = "storage_failed"
		return found
	case fault != nil:
		found.problem = "device_unknown"
		return found
	case token == "":
		found.problem = "no_token"
		return found
	}
	found.claims, found.problem = verifyWith(rules.keys, token, rules.expectation(device.id), func(claims *TokenClaims) float64 {
		if timeOf != nil {
			found.time = timeOf(claims)
		}
		return found.time
	})
	// A clock that stands before a moment that has passed says nothing about expiry.
	if found.claims != nil && now < found.time-clockBehind {
		found.problem = "clock_rolled_back"
	}
	return found
}

func (claims *TokenClaims) end() float64 { return claims.ExpiresAt * 1000 }

// refreshTime is when a token is due to be refreshed in the background: at half of its life, which is at most half of
// the seat's lease.
func (claims *TokenClaims) refreshTime() float64 {
	return (claims.IssuedAt + claims.ExpiresAt) / 2 * 1000
}

// graceEnd: grace counts from the token's `exp`, without the tolerance for clocks, and ends with the license at the latest.
func (rules rules) graceEnd(claims *TokenClaims) float64 {
	return math.Min(claims.end()+rules.grace, claims.LicenseEnd)
}

// mayStillCount says whether the token may still license this device, now or once the clock is right: something that can
// be taken away.
func (rules rules) mayStillCount(found assessment) bool {
	return found.claims != nil && found.time < math.Max(found.claims.end()+clockSkew, rules.graceEnd(found.claims))
}

// licensedState is the state of a device that is licensed by a token until a time (epoch ms).
func licensedState(source Source, claims *TokenClaims, record record, fault *Fault, until float64) State {
	// The claims were checked: the subject is a number.
	id, _ := strconv.ParseInt(claims.Subject, 10, 64)
	state := State{
		Status:       Licensed,
		Source:       source,
		License:      &License{ID: id, TypeName: record.TypeName, Kind: claims.Kind},
		Features:     claims.Features,
		Seats:        record.Seats,
		OfflineUntil: timeOf(until),
		Fault:        fault,
	}
	state.Updates = &Updates{MaxMajor: claims.MaxMajor}
	if claims.UpdatesUntil != nil {
		until := timeOf(*claims.UpdatesUntil)
		state.Updates.Until = &until
	}
	if !math.IsInf(claims.LicenseEnd, 1) {
		end := timeOf(claims.LicenseEnd)
		state.License.ExpiresAt = &end
	}
	if lease, isTimestamp := parseTimestamp(record.LeaseExpiresAt); isTimestamp {
		end := timeOf(lease)
		state.LeaseExpiresAt = &end
	}
	return state
}

// stateFromCache is the state of this device if the service gives no verdict now; fault says why, if it was asked.
func (rules rules) stateFromCache(found assessment, fault *Fault) State {
	record, claims := found.record, found.claims
	if found.problem == "" {
		return licensedState(FromCache, claims, record, fault, claims.end())
	}
	if record.Refused != "" {
		return refusalState(record.Refused, record.Key, record.Seats)
	}
	if found.problem == "expired" {
		until := rules.graceEnd(claims)
		if found.time >= claims.LicenseEnd {
			return State{Status: Expired}
		}
		if found.time < until {
			return licensedState(FromGrace, claims, record, fault, until)
		}
	}
	if found.problem == "no_token" && record.Key == "" && fault == nil {
		return State{Status: Unbound}
	}
	if fault == nil {
		fault = found.fault
	}
	return offlineState(found, fault)
}

// offlineState is the state of a device that has nothing that counts, and no verdict.
func offlineState(found assessment, fault *Fault) State {
	reason := found.problem
	if reason == "" {
		reason = "no_token"
	}
	return State{Status: OfflineWithoutToken, Reason: reason, Fault: fault}
}
