// Package licensekey licenses an app offline first: it activates a license key, verifies its signed token without a
// network, and asks the license key service only when it must. It never takes a license from a paying user because of a
// captive portal, a slow disk or a wrong clock: only what the service has signed, or said exactly, does that.
//
// The client is that of docs/client.md in the service's repository: the same states, rules and stored files as in every
// other language, so that two apps on one machine share one seat.
package licensekey
