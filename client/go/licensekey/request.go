package licensekey

import (
	"bytes"
	"encoding/json"
	"strings"
)

const requestPrefix = "LKS1-REQUEST."

// OfflineRequest is the request of a device without a network. The device's user gives the request to the operator on
// paper, in a file or as a QR code.
type OfflineRequest struct {
	// Product is the product's id.
	Product     int64  `json:"product"`
	Key         string `json:"key"`
	Fingerprint string `json:"fingerprint"`
	Name        string `json:"name,omitempty"`
	Platform    string `json:"platform,omitempty"`
}

// String is the request as one line of ASCII: `LKS1-REQUEST.` and base64url of a JSON object.
func (request OfflineRequest) String() string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// Encoding can't fail, because the struct contains only texts and a number.
	_ = encoder.Encode(request)
	return requestPrefix + toBase64URL(bytes.TrimSpace(text.Bytes()))
}

// ReadOfflineRequest reads an offline request, for tools of the operator. Its second result is false if the text is not
// a request. White space anywhere in the text is ignored.
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
