// Package licensekey checks the license of an app. It activates a license key, verifies the signed token without a
// network, and asks the license key service only if necessary. A paying user never loses the license because of a
// captive portal, a slow disk or a wrong clock. Only a refusal by the service ends a license, and the service usually
// signs its refusals.
//
// The client follows docs/client.md in the service's repository. States, rules and stored files are the same in every
// language, so that two apps on one device share one seat.
package licensekey
