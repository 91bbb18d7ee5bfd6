package licensekey

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ClockSkew is the maximum tolerated difference between a device's clock and the service's clock.
const ClockSkew = 5 * time.Minute

const (
	clockSkew = float64(ClockSkew / time.Millisecond)
	// clockBehind (ms) is how far a device's clock may be behind the latest time seen. A day is allowed, because a wrong
	// time zone, which shifts a clock by several hours, is more frequent than a clock that was set back on purpose.
	clockBehind = 86_400_000
	tokenIssuer = "license-key-service"
)

var (
	licenseID = regexp.MustCompile(`^[1-9][0-9]{0,15}$`)
	hexText   = regexp.MustCompile(`^[0-9a-fA-F]+$`)
)

// TokenClaims are the claims of a token. Times are seconds since 1970 (RFC 7519, "NumericDate").
type TokenClaims struct {
	// Audience is the product's slug.
	Audience string
	// Subject is the license's id.
	Subject             string
	IssuedAt, ExpiresAt float64
	NotBefore           float64
	// Fingerprint is the fingerprint of the device to which the token is bound; nil in a token that is bound to no device.
	Fingerprint *string
	Kind        string
	Features    []string
	// Limits are numbers by name that the app reads, such as the maximum number of projects; nil if there are none.
	Limits map[string]int64
	// LicenseEnd is when the license expires, in epoch milliseconds; infinite if it never expires.
	LicenseEnd float64
	// UpdatesUntil is the last release date that the license covers, in epoch milliseconds; nil if it covers releases
	// of any date.
	UpdatesUntil *float64
	// MaxMajor is the highest major version that the license covers; nil if it covers every major version.
	MaxMajor *int64
	// LeaseEnd is when the lease of the device's seat ends, in epoch milliseconds; nil if the seat has no lease.
	LeaseEnd *float64
	// Verdicts is true if the service signs its refusals. In that case an unsigned refusal does not end the license.
	Verdicts bool
}

// Expectation contains the expected values of a token's claims, except the times.
type Expectation struct {
	// Fingerprint of this device.
	Fingerprint string
	// Audience is the product's slug; not compared if it is empty.
	Audience string
	// AllowUnboundTokens accepts a token that is bound to no device.
	AllowUnboundTokens bool
}

// canonicalFingerprint converts a fingerprint to the form in which it is compared. A hex string is converted to lower
// case, as in the service.
func canonicalFingerprint(fingerprint string) string {
	trimmed := trim(fingerprint)
	if hexText.MatchString(trimmed) {
		return strings.ToLower(trimmed)
	}
	return trimmed
}

func claimsOf(object map[string]any) *TokenClaims {
	isWhole := true
	text := func(name string) string {
		value, isText := textOf(object[name])
		isWhole = isWhole && isText
		return value
	}
	number := func(name string) float64 {
		value, isNumber := numericDateOf(object[name])
		isWhole = isWhole && isNumber
		return value
	}
	claims := &TokenClaims{Audience: text("aud"), Subject: text("sub"), Kind: text("kind"), IssuedAt: number("iat"), ExpiresAt: number("exp"), Features: []string{}, LicenseEnd: math.Inf(1)}
	text("iss")
	claims.Verdicts = object["verdicts"] == true
	if _, isThere := object["nbf"]; isThere {
		claims.NotBefore = number("nbf")
	}
	if _, isThere := object["fingerprint"]; isThere {
		fingerprint := text("fingerprint")
		claims.Fingerprint = &fingerprint
	}
	if features, isThere := object["features"]; isThere {
		list, isList := features.([]any)
		isWhole = isWhole && isList
		for _, feature := range list {
			name, isText := textOf(feature)
			isWhole = isWhole && isText
			claims.Features = append(claims.Features, name)
		}
	}
	if limits, isThere := object["limits"]; isThere {
		found, isObject := limits.(map[string]any)
		isWhole = isWhole && isObject
		claims.Limits = make(map[string]int64, len(found))
		for name, value := range found {
			limit, isInteger := integerOf(value)
			isWhole = isWhole && isInteger && limit >= 0
			claims.Limits[name] = limit
		}
	}
	end, hasEnd := object["license_expires_at"]
	if hasEnd && end != nil {
		moment, isTimestamp := parseTimestamp(text("license_expires_at"))
		isWhole = isWhole && isTimestamp
		claims.LicenseEnd = moment
	}
	for name, place := range map[string]**float64{"updates_until": &claims.UpdatesUntil, "lease_expires_at": &claims.LeaseEnd} {
		if object[name] != nil {
			moment, isTimestamp := parseTimestamp(text(name))
			isWhole = isWhole && isTimestamp
			*place = &moment
		}
	}
	if value, isThere := object["max_major"]; isThere {
		major, isInteger := integerOf(value)
		isWhole = isWhole && isInteger && major >= 0
		claims.MaxMajor = &major
	}
	id, err := strconv.ParseInt(claims.Subject, 10, 64)
	if !isWhole || !hasEnd || !licenseID.MatchString(claims.Subject) || err != nil || id > maxInteger {
		return nil
	}
	return claims
}

// verifyWith verifies a token. timeOf returns the time of the verification (epoch ms), which may depend on the token's
// claims. verifyWith returns the name of the first check that fails, or an empty text for a valid token. It returns the
// claims if all checks have passed that do not compare times, and nil otherwise.
func verifyWith(keys []verifyKey, token string, expected Expectation, timeOf func(*TokenClaims) float64) (*TokenClaims, string) {
	object, problem := openJWS(keys, token, "JWT")
	if problem != "" {
		return nil, problem
	}
	claims := claimsOf(object)
	switch {
	case claims == nil:
		return nil, "claims"
	case object["iss"] != tokenIssuer:
		return nil, "issuer"
	case expected.Audience != "" && claims.Audience != expected.Audience:
		return nil, "audience"
	case claims.Fingerprint == nil && !expected.AllowUnboundTokens:
		return nil, "unbound"
	case claims.Fingerprint != nil && *claims.Fingerprint != canonicalFingerprint(expected.Fingerprint):
		return nil, "fingerprint"
	}
	now := timeOf(claims)
	switch {
	case math.Max(claims.IssuedAt, claims.NotBefore)*1000 > now+clockSkew:
		return claims, "from_the_future"
	case now >= claims.ExpiresAt*1000+clockSkew:
		return claims, "expired"
	}
	return claims, ""
}

// VerifyToken verifies an offline token: form, signature, issuer, audience, fingerprint and times, with the tolerance
// of ClockSkew. publicKeys are PEMs or JWK sets.
//
// For a valid token, problem is empty. Otherwise problem is the name of the first check that fails: `malformed`,
// `algorithm`, `type`, `critical`, `signature`, `claims`, `issuer`, `audience`, `fingerprint` (the token is bound to
// another device), `unbound` (the token is bound to no device, and such tokens are not allowed), `from_the_future` or
// `expired`. VerifyToken returns the claims if all checks before `from_the_future` have passed, and nil otherwise. err
// is only set for an invalid public key, or a zero time.
func VerifyToken(token string, publicKeys []string, expected Expectation, now time.Time) (claims *TokenClaims, problem string, err error) {
	keys, err := verifyKeys(publicKeys)
	if err != nil {
		return nil, "", err
	}
	if now.IsZero() {
		return nil, "", errors.New("now is the zero time")
	}
	claims, problem = verifyWith(keys, token, expected, func(*TokenClaims) float64 { return float64(now.UnixMilli()) })
	return claims, problem, nil
}
