// Package licensekey checks the license of an app, and works offline first. It activates a license key, verifies the
// signed token without a network, and asks the license key service only if necessary. A captive portal, a slow disk or
// a wrong clock never costs a paying user the license. Only a refusal by the service, which the service usually signs,
// takes a license away.
//
// The client follows docs/client.md in the service's repository. States, rules and stored files are the same in every
// language, so that two apps on one device share one seat.
package licensekey
