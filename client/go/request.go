package licensekey

import (
	"bytes"
	"encoding/json"
	"strings"
)

const requestPrefix = "LKS1-REQUEST."

// OfflineRequest is what a machine without a network sends to the operator on paper, in a file or as a QR code.
type OfflineRequest struct {
	// Product is the product's id.
	Product     int64  `json:"product"`
	Key         string `json:"key"`
	Fingerprint string `json:"fingerprint"`
	Name        string `json:"name,omitempty"`
	Platform    string `json:"platform,omitempty"`
}

// String writes the request as one line of ASCII: `LKS1-REQUEST.` and base64url of a JSON object.
func (request OfflineRequest) String() string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// A struct of texts and a number always encodes.
	_ = encoder.Encode(request)
	return requestPrefix + toBase64URL(bytes.TrimSpace(text.Bytes()))
}

// ReadOfflineRequest reads a request, for tools of the operator. White space anywhere is ignored. False: it is not a request.
func ReadOfflineRequest(text string) (OfflineRequest, bool) {
	encoded, hasPrefix := strings.CutPrefix(withoutWhiteSpace(text), requestPrefix)
	data, isEncoded := fromBase64URL(encoded)
	object, isObject := parseObject(data)
	product, hasProduct := integerOf(object["product"])
	key, hasKey := textOf(object["key"])
	fingerprint, hasFingerprint := textOf(object["fingerprint"])
	if !hasPrefix || !isEncoded || !isObject || !hasProduct || !hasKey || !hasFingerprint {
		return OfflineRequest{}, false
	}
	name, _ := textOf(object["name"])
	platform, _ := textOf(object["platform"])
	return OfflineRequest{product, key, fingerprint, name, platform}, true
}
