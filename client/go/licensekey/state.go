package licensekey

import (
	"fmt"
	"time"
)

// Status is the license state of a device. The app may be used only in the state Licensed.
type Status string

const (
	// Licensed grants use.
	Licensed Status = "licensed"
	// Unbound: this device has no seat. Ask the user for a key and activate it. If this device had a seat that was
	// freed, State.Key is the key with which the device was activated.
	Unbound Status = "unbound"
	// Expired: the license has expired.
	Expired Status = "expired"
	// Suspended: the license is suspended, for example because a payment is overdue. It may become active again.
	Suspended Status = "suspended"
	// Revoked: the license was revoked, for example after a refund.
	Revoked Status = "revoked"
	// Reissued: the license received another key, for example because this key had leaked. Only the new key can be
	// activated.
	Reissued Status = "reissued"
	// SignInRequired: this device must sign in again (ActivateInBrowser), because its seat was freed, or because the
	// license belongs to named people, for whom its key does not count.
	SignInRequired Status = "sign_in_required"
	// Denied: somebody has refused the activation in the browser. Only ActivateInBrowser returns it.
	Denied Status = "denied"
	// RequestExpired: nobody has decided about the activation in the browser in time, or a newer request of this device has
	// replaced it. Only ActivateInBrowser returns it.
	RequestExpired Status = "request_expired"
	// Refused: the license has another status that forbids use; State.Reason contains its name.
	Refused Status = "refused"
	// NoSeats: every seat is taken by another device. State.Seats has the numbers, or is nil.
	NoSeats Status = "no_seats"
	// TooManyDevices: too many devices that are new to the license have taken a seat this week.
	TooManyDevices Status = "too_many_devices"
	// UnknownKey: the service doesn't know this key.
	UnknownKey Status = "unknown_key"
	// NoTrial: the product offers no trial without a key.
	NoTrial Status = "no_trial"
	// NotCovered: the license doesn't cover this release of the app (Options.Release). The license stays on this device
	// and still covers older releases. State.Updates contains the limits of the license; it is nil if the service refused
	// an activation.
	NotCovered Status = "not_covered"
	// OfflineWithoutToken: the cache contains no accepted token, and the service gave no decision. State.Reason says why
	// there is no accepted token, and State.Fault says why there is no decision.
	OfflineWithoutToken Status = "offline_without_token"
)

// Source says what grants a license.
type Source string

const (
	// FromCache: the cached token is valid; no request was sent.
	FromCache Source = "cache"
	// FromNetwork: the service has just confirmed the license.
	FromNetwork Source = "network"
	// FromGrace: the token has expired, the grace period has not ended yet, and the service can't be asked.
	FromGrace Source = "grace"
)

// State is the license state of a device. Status says which state it is. Fields that don't belong to this status have
// their zero value.
type State struct {
	Status Status

	// Licensed:

	Source Source
	// License is the license that was bought; nil unless Status is Licensed.
	License *License
	// Features are the names of the features that the license includes. The service has signed them.
	Features []string
	// Limits are numbers by name that the app reads, such as the maximum number of projects. The service has signed them,
	// and enforces none of them.
	Limits map[string]int64
	// Updates are the limits of the releases that the license covers. The service has signed them. Nil unless Status is
	// Licensed or NotCovered.
	Updates *Updates
	// LeaseExpiresAt is when the seat's lease ends; nil if the seat has no lease. If the lease ends without being
	// renewed, another device may take the seat.
	LeaseExpiresAt *time.Time
	// OfflineUntil is the time until which the license works without a network; for FromGrace the end of the grace
	// period.
	OfflineUntil time.Time

	// Seats are the seat numbers in the last response, for Licensed and NoSeats; nil if the service was never asked, or
	// gave no numbers.
	Seats *Seats
	// Key is the key with which this device was activated before its seat was freed. It is only set for Unbound, and is
	// empty if there is no such key.
	Key string
	// Reason is only set for OfflineWithoutToken and Refused. For OfflineWithoutToken it is `no_token`,
	// `clock_rolled_back`, `clock_ahead`, `device_unknown`, `storage_failed` or a problem of VerifyToken. For Refused it is the name
	// of the status in the service.
	Reason string
	// Fault says why the service gave no decision, or, for Licensed, why the license is not stored (StorageFailed). It is
	// only set for Licensed and OfflineWithoutToken, and is nil if there was no fault.
	Fault *Fault
}

// String is a short text for logs. It contains no license key.
func (state State) String() string {
	text := string(state.Status)
	switch state.Status {
	case "":
		text = "no state yet"
	case Licensed:
		text = fmt.Sprintf("licensed (%s, by %s, until %s)", state.License.Kind, state.Source, state.OfflineUntil.Format(time.RFC3339))
	case NoSeats:
		if state.Seats != nil {
			text = fmt.Sprintf("no_seats (%d of %d)", state.Seats.Used, state.Seats.Max)
		}
	case Refused, OfflineWithoutToken:
		text += ": " + state.Reason
	}
	if state.Fault != nil {
		text += fmt.Sprintf(" (%s)", state.Fault)
	}
	return text
}

// License is the license that was bought.
type License struct {
	ID int64
	// TypeName is the name that the operator gave the license type; nil if the license comes from an imported token and
	// the service was not asked since the import.
	TypeName *string
	// Kind is the kind of license: `lifetime`, `subscription`, `floating` or `trial`.
	Kind string
	// ExpiresAt is when the license expires; nil if it never expires.
	ExpiresAt *time.Time
}

// Seats are the seats of a license at the time of the last response.
type Seats struct {
	Used int64 `json:"used"`
	// Max is the number of seats; 0 if it is unlimited.
	Max int64 `json:"max"`
}

// ListedDevice is a device that holds a seat of a license.
type ListedDevice struct {
	// Ref identifies the device for Free and ActivateInPlace. It is not a fingerprint.
	Ref, Name, Platform string
	ActivatedAt         time.Time
	// LastSeenOn is the day (`2026-11-20`) of the device's last validation or activation; empty if the service doesn't
	// know it.
	LastSeenOn string
	// IsThis says whether this entry is the device on which the app runs.
	IsThis bool
}

// Artifact is a file of a release.
type Artifact struct {
	Filename string `json:"filename"`
	// Platform is the file's platform: `windows`, `macos`, `linux` or `any`.
	Platform string `json:"platform"`
	// Arch is the file's architecture: `x64`, `arm64`, `ia32`, `universal` or `any`.
	Arch string `json:"arch"`
	// Size is the size of the file in bytes.
	Size int64 `json:"size"`
	// SHA256 and SHA512 are the hashes of the file as lower-case hex.
	SHA256 string `json:"sha256"`
	SHA512 string `json:"sha512"`
	// Signature is the vendor's own signature of the file; nil if there is none.
	Signature *string `json:"signature"`
	// URL redirects to the file; requests need Latest.Headers.
	URL string `json:"url"`
}

// Update is a release that the license covers.
type Update struct {
	Version, Channel string
	ReleasedAt       time.Time
	// Notes are the release notes as Markdown; nil if there are none.
	Notes     *string
	Artifacts []Artifact
}

// NewestRelease is the newest release of the product. If it is not Covered, offer the user a renewal.
type NewestRelease struct {
	Version    string
	ReleasedAt time.Time
	Covered    bool
}

// Latest is the release to which the app may be updated.
type Latest struct {
	// Update is the newest release that the license covers; nil if none is newer than the given version.
	Update *Update
	// Newest is the newest release of the product; nil if the product has no release.
	Newest *NewestRelease
	// Headers are required by every download request. They contain the API key, and the license key or the token.
	Headers map[string]string
}

// Target is the platform that an app runs on. Empty fields match every file.
type Target struct {
	// Platform is `windows`, `macos` or `linux`, and Arch `x64`, `arm64` or `ia32`. A file for `any` or `universal` fits
	// every device. Without Platform, files for every platform fit, and without Arch, files for every architecture.
	Platform, Arch string
	// Channel is the release channel; default: `stable`.
	Channel string
	// Version is the version of the app: only a newer release is an update. Default: the version of Options.Release.
	Version string
}

// FaultKind says why the service gave no decision.
type FaultKind string

const (
	// Unreachable: no connection, or the connection broke.
	Unreachable FaultKind = "unreachable"
	// TimedOut: no complete response within the time limit.
	TimedOut FaultKind = "timeout"
	// Busy: the service failed (status 5xx), or asks the client to wait (status 429).
	Busy FaultKind = "busy"
	// Rejected: the service refuses the request because of a mistake in the app's configuration (a wrong API key, for
	// example).
	Rejected FaultKind = "rejected"
	// Malformed: the response does not come from the service (a captive portal's page, for example).
	Malformed FaultKind = "malformed"
	// Untrusted: the response contains a token or a refusal that could not be verified.
	Untrusted FaultKind = "untrusted"
	// ClockAhead: the token in the response has already expired by this device's clock, so the clock is ahead.
	ClockAhead FaultKind = "clock"
	// DeviceUnknown: this device could not be identified, so no request was sent.
	DeviceUnknown FaultKind = "device"
	// StorageFailed: the stored data can't be read, or this device's random id can't be stored, so no request was sent.
	StorageFailed FaultKind = "storage"
	// Closed: the client was closed before or during the call.
	Closed FaultKind = "closed"
)

// Fault is why the service gave no decision.
type Fault struct {
	Kind FaultKind
	// Message is for logs. It contains neither license key nor credential.
	Message string
	// RetryAfter is how long the service asks the client to wait; 0 if it doesn't ask.
	RetryAfter time.Duration
}

func (fault *Fault) Error() string { return string(fault.Kind) + ": " + fault.Message }

// InputError says that an argument can't be sent, so nothing was sent.
type InputError struct {
	// Field is the name of the argument: `key`, `name`, `platform`, `customer_email`, `replace`, `ref`, `meter`, `amount` or
	// `id`.
	Field string
	// Message is an English message for logs and developers, such as `must not be empty`.
	Message string
}

func (problem *InputError) Error() string { return problem.Field + " " + problem.Message }

// TokenError says why an imported token is not accepted.
type TokenError struct {
	// Problem is `clock_rolled_back`, `device_unknown`, `storage_failed`, or a problem of VerifyToken.
	Problem string
}

func (problem *TokenError) Error() string { return "the token is not accepted: " + problem.Problem }
