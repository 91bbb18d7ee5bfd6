package licensekey

import "time"

// Status says where a device stands. Only Licensed grants use.
type Status string

const (
	// Licensed grants use.
	Licensed Status = "licensed"
	// Unbound: this device holds no seat. Ask for a key and activate it; State.Key is the one it was activated with, if
	// its seat was freed meanwhile.
	Unbound Status = "unbound"
	// Expired: the license has run out.
	Expired Status = "expired"
	// Suspended: the license is on hold, for a payment that is overdue for example. It may come back.
	Suspended Status = "suspended"
	// Revoked: the license was taken back, after a refund for example.
	Revoked Status = "revoked"
	// Refused: the license has another status that refuses use, which State.Reason names.
	Refused Status = "refused"
	// NoSeats: every seat is taken by another device. State.Seats has the numbers, or is nil.
	NoSeats Status = "no_seats"
	// TooManyDevices: too many devices that are new to the license took a seat this week.
	TooManyDevices Status = "too_many_devices"
	// UnknownKey: the service knows no such key.
	UnknownKey Status = "unknown_key"
	// NoTrial: the product offers no trial without a key.
	NoTrial Status = "no_trial"
	// NotCovered: the license doesn't cover this release of the app (Options.Release). What is held stays, and licenses an older
	// release: State.Updates has its limits, and is nil if the service refused an activation.
	NotCovered Status = "not_covered"
	// OfflineWithoutToken: nothing in the cache counts (State.Reason), and the service gives no verdict (State.Fault).
	OfflineWithoutToken Status = "offline_without_token"
)

// Source says what a license rests on.
type Source string

const (
	// FromCache: the cached token verifies; nobody was asked.
	FromCache Source = "cache"
	// FromNetwork: the service has just confirmed it.
	FromNetwork Source = "network"
	// FromGrace: the token has just expired, and the service can't be asked.
	FromGrace Source = "grace"
)

// State is where a device stands: what to switch over is its Status. Fields that a status doesn't name are zero.
type State struct {
	Status Status

	// Licensed:

	Source Source
	// License is what was bought; nil unless Licensed.
	License *License
	// Features are the names of what was bought, signed by the service.
	Features []string
	// Updates say which releases were bought, signed by the service; nil unless Licensed or NotCovered.
	Updates *Updates
	// LeaseExpiresAt is when this device's seat may go to another device unless the lease is renewed; nil if it has no lease.
	LeaseExpiresAt *time.Time
	// OfflineUntil is until when it holds without a network; for FromGrace the end of the grace.
	OfflineUntil time.Time

	// Seats of Licensed and NoSeats, when the service was last asked; nil if it never was, or couldn't say.
	Seats *Seats
	// Key of Unbound; empty if there is none.
	Key string
	// Reason of OfflineWithoutToken: `no_token`, `clock_rolled_back`, `device_unknown`, `storage_failed` or the token's problem. Of
	// Refused: the service's name of the status.
	Reason string
	// Fault says why there is no verdict of the service (Licensed, OfflineWithoutToken); nil if it was not asked.
	Fault *Fault
}

// License is what was bought.
type License struct {
	ID int64
	// TypeName is as the operator named it; nil if the service was never asked (an imported token).
	TypeName *string
	// Kind is `lifetime`, `subscription`, `floating` or `trial`.
	Kind string
	// ExpiresAt is nil if it never expires.
	ExpiresAt *time.Time
}

// Seats of a license when the service was last asked.
type Seats struct {
	Used int64 `json:"used"`
	// Max is 0 for unlimited.
	Max int64 `json:"max"`
}

// ListedDevice is a device that holds a seat of a license.
type ListedDevice struct {
	// Ref names the device to Free and Replace. It is not a fingerprint.
	Ref, Name, Platform string
	ActivatedAt         time.Time
	// LastSeenOn is the day (`2026-11-20`) of its last validation or activation; empty if the service doesn't know it.
	LastSeenOn string
	// IsThis says whether it is this device.
	IsThis bool
}

// Artifact is a file of a release.
type Artifact struct {
	Filename string `json:"filename"`
	// Platform is `windows`, `macos`, `linux` or `any`.
	Platform string `json:"platform"`
	// Arch is `x64`, `arm64`, `ia32`, `universal` or `any`.
	Arch string `json:"arch"`
	// Size is in bytes.
	Size int64 `json:"size"`
	// SHA256 is hex in lower case, and so is SHA512.
	SHA256 string `json:"sha256"`
	SHA512 string `json:"sha512"`
	// Signature is the vendor's own; nil if there is none.
	Signature *string `json:"signature"`
	// URL redirects to the file, for requests with Latest.Headers.
	URL string `json:"url"`
}

// Update is a release that the license covers.
type Update struct {
	Version, Channel string
	ReleasedAt       time.Time
	// Notes are Markdown; nil if there are none.
	Notes     *string
	Artifacts []Artifact
}

// NewestRelease is the newest release of all. If it is not Covered, offer the user a renewal.
type NewestRelease struct {
	Version    string
	ReleasedAt time.Time
	Covered    bool
}

// Latest is what a license may be updated to.
type Latest struct {
	// Update is the newest release that the license covers; nil if none is newer than the version given.
	Update *Update
	// Newest is nil if there is no release at all.
	Newest *NewestRelease
	// Headers are to be sent with every download; they contain the license key or the token.
	Headers map[string]string
}

// Target is what an app runs on. Empty fields don't matter.
type Target struct {
	// Platform is `windows`, `macos` or `linux`, and Arch `x64`, `arm64` or `ia32`. A file for `any` or `universal` fits every device,
	// and without Platform or Arch each file does.
	Platform, Arch string
	// Channel is by default `stable`.
	Channel string
	// Version is what the app has: only a newer one is an update. Default: Options.Release.
	Version string
}

// FaultKind says what kept the service from giving a verdict.
type FaultKind string

const (
	// Unreachable: no connection, or it broke.
	Unreachable FaultKind = "unreachable"
	// TimedOut: no complete response in time.
	TimedOut FaultKind = "timeout"
	// Busy: the service failed or asks for patience (5xx, throttled).
	Busy FaultKind = "busy"
	// Rejected: it refuses the request itself (a wrong API key, for example): a mistake in the app's configuration.
	Rejected FaultKind = "rejected"
	// Malformed: the response is not the service's (a captive portal's page, for example).
	Malformed FaultKind = "malformed"
	// Untrusted: the token or the refusal in the response is not proved.
	Untrusted FaultKind = "untrusted"
	// DeviceUnknown: this device could not be identified, so nothing was asked.
	DeviceUnknown FaultKind = "device"
	// StorageFailed: what is stored can't be read, or this device's random id can't be stored; nothing was asked.
	StorageFailed FaultKind = "storage"
	// Closed: the client was closed meanwhile.
	Closed FaultKind = "closed"
)

// Fault is why there is no verdict of the service.
type Fault struct {
	Kind FaultKind
	// Message is for logs. It holds neither license key nor credential.
	Message string
	// RetryAfter is how long the service asks to wait; 0 if it doesn't.
	RetryAfter time.Duration
}

func (fault *Fault) Error() string { return string(fault.Kind) + ": " + fault.Message }

// InputError says that what was given can't be sent, and wasn't.
type InputError struct {
	// Field is `key`, `name`, `platform`, `customer_email` or `replace`.
	Field string
	// Message is in English, for logs and developers, such as `must not be empty`.
	Message string
}

func (problem *InputError) Error() string { return problem.Field + " " + problem.Message }

// TokenError says why an imported token is not accepted.
type TokenError struct {
	// Problem is `clock_rolled_back`, `device_unknown`, `storage_failed`, or a problem of VerifyToken.
	Problem string
}

func (problem *TokenError) Error() string { return "the token is not accepted: " + problem.Problem }
