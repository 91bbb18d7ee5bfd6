package licensekey

import "strings"

// maxJWSLength is the maximum length of a JWS that is looked at, in characters.
const maxJWSLength = 8192

// openJWS gives the claims of a compact JWS (RFC 7515) with EdDSA over Ed25519 (RFC 8037) whose signature is that of one
// of the keys; or the first check that fails: `malformed` (no compact JWS of JSON objects), `algorithm` (not EdDSA),
// `type`, `critical` (it demands an extension), `signature`.
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
	// The algorithm is ours to choose: a token never says how it is to be verified, nor with which key.
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
