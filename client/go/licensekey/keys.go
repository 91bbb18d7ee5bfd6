package licensekey

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// verifyKey is a key that may have signed a token.
type verifyKey struct {
	// kid is the key's id; nil for a key that is tried for every token, regardless of the key id in the token.
	kid *string
	key ed25519.PublicKey
}

// fieldPrime is the prime of the field, 2^255 - 19, big-endian.
var fieldPrime = fromHex("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed")

// smallOrder contains the y-coordinates of the points of small order, big-endian. A public key must not be such a
// point, because anybody could forge signatures for this key.
var smallOrder = [][]byte{
	fromHex("0000000000000000000000000000000000000000000000000000000000000000"),
	fromHex("0000000000000000000000000000000000000000000000000000000000000001"),
	fromHex("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec"),
	fromHex("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826"),
	fromHex("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7"),
}

// pem matches a SubjectPublicKeyInfo of an Ed25519 key (RFC 8410) as PEM without white space. The 12 bytes before the
// key are always the same, and so are the first 16 base64 characters.
var pem = regexp.MustCompile(`^-----BEGINPUBLICKEY-----MCowBQYDK2VwAyEA([A-Za-z0-9+/]{43})=-----ENDPUBLICKEY-----$`)

var errNoKey = errors.New("PublicKeys must contain an Ed25519 key as PEM or in a JWK set")

func fromHex(text string) []byte {
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

// isTrustworthy says whether the key's y-coordinate is below the prime, and the key is not a point of small order.
func isTrustworthy(key []byte) bool {
	if len(key) != ed25519.PublicKeySize {
		return false
	}
	coordinate := slices.Clone(key)
	slices.Reverse(coordinate)
	coordinate[0] &= 0x7f
	isSmall := slices.ContainsFunc(smallOrder, func(point []byte) bool { return bytes.Equal(point, coordinate) })
	return bytes.Compare(coordinate, fieldPrime) < 0 && !isSmall
}

func fromJWK(jwk any) (verifyKey, bool) {
	x, _ := textOf(member(jwk, "x"))
	key, isEncoded := fromBase64URL(x)
	isOf := func(name string, expected string, mayBeAbsent bool) bool {
		object, _ := jwk.(map[string]any)
		value, isThere := object[name]
		return value == expected || (!isThere && mayBeAbsent)
	}
	if !isEncoded || !isTrustworthy(key) || !isOf("kty", "OKP", false) || !isOf("crv", "Ed25519", false) || !isOf("use", "sig", true) || !isOf("alg", "EdDSA", true) {
		return verifyKey{}, false
	}
	found := verifyKey{key: key}
	if kid, isText := textOf(member(jwk, "kid")); isText {
		found.kid = &kid
	}
	return found, true
}

// jwksOf returns the JWKs of a PEM or a JWK set.
func jwksOf(source string) []any {
	if match := pem.FindStringSubmatch(withoutWhiteSpace(source)); match != nil {
		x := strings.NewReplacer("+", "-", "/", "_").Replace(match[1])
		return []any{map[string]any{"kty": "OKP", "crv": "Ed25519", "x": x}}
	}
	set, _ := parseObject([]byte(source))
	jwks, _ := set["keys"].([]any)
	return jwks
}

// verifyKeys returns the keys of PEMs and JWK sets. Keys of a set that are not Ed25519 signature keys are left out.
func verifyKeys(sources []string) ([]verifyKey, error) {
	var keys []verifyKey
	for _, source := range sources {
		before := len(keys)
		for _, jwk := range jwksOf(source) {
			if key, isUsable := fromJWK(jwk); isUsable {
				keys = append(keys, key)
			}
		}
		if len(keys) == before {
			return nil, errNoKey
		}
	}
	if len(keys) == 0 {
		return nil, errNoKey
	}
	return keys, nil
}

// verifies says whether this key has signed the content. Go's library refuses a signature whose S is not below the
// group's order (RFC 8032, section 5.1.7). Without this check, each signature would have a second valid form.
func (key verifyKey) verifies(content, signature []byte) bool {
	return len(signature) == ed25519.SignatureSize && ed25519.Verify(key.key, content, signature)
}
