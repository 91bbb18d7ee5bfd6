package licensekey

import "strings"

// maxJWSLength is the maximum length of an accepted JWS, in characters; a longer one is not parsed.
const maxJWSLength = 8192

// openJWS verifies a compact JWS (RFC 7515) that one of the keys has signed with EdDSA over Ed25519 (RFC 8037), and
// returns its claims. Otherwise it returns the name of the first check that fails: `malformed` (not a compact JWS of
// JSON objects), `algorithm` (not EdDSA), `type` (not typ), `critical` (the header requires an extension) or
// `signature`.
func openJWS(keys []verifyKey, text, typ string) (claims map[string]any, problem string) {
	parts := strings.Split(text, ".")
	if len(text) > maxJWSLength || len(parts) != 3 {
		return nil, "malformed"
	}
	var objects [2]map[string]any
	for index := range objects {
		data, isEncoded := fromBase64URL(parts[index])
		object, isObject := parseObject(data)
		if !isEncoded || !isObject {
			return nil, "malformed"
		}
		objects[index] = object
	}
	signature, isEncoded := fromBase64URL(parts[2])
	if !isEncoded {
		return nil, "malformed"
	}
	header, claims := objects[0], objects[1]
	// The client chooses the algorithm, and uses only the given keys. A token can't choose another algorithm, and a key
	// within the token is never used.
	if header["alg"] != "EdDSA" {
		return nil, "algorithm"
	}
	if header["typ"] != typ {
		return nil, "type"
	}
	if _, isThere := header["crit"]; isThere {
		return nil, "critical"
	}
	kid, isNamed := header["kid"]
	content := []byte(parts[0] + "." + parts[1])
	for _, key := range keys {
		mayHaveSigned := key.kid == nil || !isNamed || kid == *key.kid
		if mayHaveSigned && key.verifies(content, signature) {
			return claims, ""
		}
	}
	return nil, "signature"
}
