package licensekey

import (
	"math"
	"strconv"
)

// rules are the app's settings that extend what a token allows.
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

// assessment is what a token proves on a device at a given time. Making an assessment uses neither network nor storage.
type assessment struct {
	record record
	device device
	// fault says why this device can't be identified; nil if it can.
	fault *Fault
	// now is this device's clock, in epoch milliseconds.
	now float64
	// time is the latest time that is known to have passed, in epoch milliseconds.
	time float64
	// problem is why the token is not accepted; empty if it is accepted.
	problem string
	// claims are the token's claims; nil if the token is not valid for this product and this device. A token that has
	// expired still has claims.
	claims *TokenClaims
}

// assess verifies a token, and returns what the token proves on this device. timeOf returns the time at which the token
// is verified, and may depend on the token's claims. If timeOf is nil, this time is now or record.Seen, whichever is
// later.
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
	// If the clock is more than a day behind a time that is known to have passed, it can't show whether the token has
	// expired.
	if found.claims != nil && now < found.time-clockBehind {
		found.problem = "clock_rolled_back"
	}
	return found
}

func (claims *TokenClaims) end() float64 { return claims.ExpiresAt * 1000 }

// refreshTime is when a token is due to be refreshed in the background: after half of the token's lifetime. A token
// expires no later than the seat's lease, so the refresh is due before the lease ends.
func (claims *TokenClaims) refreshTime() float64 {
	return (claims.IssuedAt + claims.ExpiresAt) / 2 * 1000
}

// graceEnd is the end of the grace period. Grace starts at the token's `exp`, without the clock tolerance, and ends no
// later than the license. A leased seat has no grace, because another device may take the seat when the lease has ended.
func (rules rules) graceEnd(claims *TokenClaims) float64 {
	if claims.LeaseEnd != nil {
		return 0
	}
	return math.Min(claims.end()+rules.grace, claims.LicenseEnd)
}

// mayStillCount says whether the token may license this device, now or after the clock is corrected. If it returns
// false, the device has no license that must be protected from a forged refusal.
func (rules rules) mayStillCount(found assessment) bool {
	return found.claims != nil && found.time < math.Max(found.claims.end()+clockSkew, rules.graceEnd(found.claims))
}

// licensedState is the state of a device that is licensed by a token until a time (epoch ms).
func licensedState(source Source, claims *TokenClaims, record record, fault *Fault, until float64) State {
	// ParseInt can't fail, because the verification of the token has checked that the subject is a number.
	id, _ := strconv.ParseInt(claims.Subject, 10, 64)
	state := State{
		Status:       Licensed,
		Source:       source,
		License:      &License{ID: id, TypeName: record.TypeName, Kind: claims.Kind},
		Features:     claims.Features,
		Limits:       claims.Limits,
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
	if claims.LeaseEnd != nil {
		end := timeOf(*claims.LeaseEnd)
		state.LeaseExpiresAt = &end
	}
	return state
}

// stateFromCache is the state of this device if there is no new decision from the service. fault is the fault that
// prevented a decision; nil if there was no fault.
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

// offlineState is the state of a device that has no accepted token, and for which the service gave no decision.
func offlineState(found assessment, fault *Fault) State {
	reason := found.problem
	switch {
	case fault != nil && fault.Kind == ClockAhead:
		reason = "clock_ahead"
	case reason == "":
		reason = "no_token"
	}
	return State{Status: OfflineWithoutToken, Reason: reason, Fault: fault}
}
