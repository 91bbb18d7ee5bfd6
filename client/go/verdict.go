package licensekey

// verdictExpectation is what a verdict is compared with.
type verdictExpectation struct {
	// audience is the product's slug; not compared if it is empty, because neither the app nor a token has it.
	audience string
	// licenseID is the held license's, as in the token's `sub`; not compared if it is empty, because no token is held.
	licenseID string
	// fingerprint is this device's, in its canonical form.
	fingerprint string
	// tokenIssuedAt is the `iat` of the token that is held, or 0: a verdict from before it is about the past.
	tokenIssuedAt float64
}

// verifyVerdict verifies a refusal that the service has signed, as it came in response to a request of this client.
// Clocks are not compared: one that is behind or ahead must not keep a revoked license alive. It gives the status and
// when that was signed (seconds since 1970), or the first check that fails.
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
	issuedAt, isTime := numberOf(object["iat"])
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
