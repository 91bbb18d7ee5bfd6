package licensekey

// verdictExpectation contains the expected values of a verdict's claims.
type verdictExpectation struct {
	// audience is the product's slug. It is empty, and not compared, if neither the app nor a token contains the slug.
	audience string
	// licenseID is the current license's id, as in the token's `sub`. It is empty, and not compared, if there is no
	// token.
	licenseID string
	// fingerprint is the fingerprint of this device in its canonical form.
	fingerprint string
	// tokenIssuedAt is the `iat` of the current token, or 0. A verdict that is older than the token no longer applies.
	tokenIssuedAt float64
}

// verifyVerdict verifies a verdict, which is a signed refusal, from a response to a request of this client. The
// verdict's times are not compared with this device's clock, because a revoked license must not stay usable on a device
// with a wrong clock. The function returns the verdict's status and the time at which the verdict was signed (seconds
// since 1970). If a check fails, problem is the name of the first check that fails.
func verifyVerdict(keys []verifyKey, verdict string, expected verdictExpectation) (status string, issuedAt float64, problem string) {
	object, problem := openJWS(keys, verdict, "verdict+jwt")
	if problem != "" {
		return "", 0, problem
	}
	for _, name := range []string{"iss", "aud", "sub", "fingerprint"} {
		if _, isText := textOf(object[name]); !isText {
			return "", 0, "claims"
		}
	}
	status, _ = textOf(object["status"])
	issuedAt, isTime := numericDateOf(object["iat"])
	switch {
	case !isStatusName(status) || !isTime:
		return "", 0, "claims"
	case object["iss"] != tokenIssuer:
		return "", 0, "issuer"
	case expected.audience != "" && object["aud"] != expected.audience:
		return "", 0, "audience"
	case expected.licenseID != "" && object["sub"] != expected.licenseID:
		return "", 0, "license"
	case object["fingerprint"] != expected.fingerprint:
		return "", 0, "fingerprint"
	case issuedAt < expected.tokenIssuedAt:
		return "", 0, "older_than_token"
	}
	return status, issuedAt, ""
}
