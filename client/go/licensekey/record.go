package licensekey

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var tokenCharacters = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// maxReleases is the maximum number of stored keys whose seats must still be freed. If there are more keys, the oldest
// ones are dropped.
const maxReleases = 10

const (
	// machineDevice is a device that is identified by the machine's fingerprint.
	machineDevice = "machine"
	// randomDevice is a device that is identified by the stored random id.
	randomDevice = "random"
)

// record is what a client stores between starts. The field names are those of the stored JSON, which clients in other
// languages also read.
type record struct {
	Version int `json:"v"`
	// Key is the key with which this device was activated.
	Key string `json:"key,omitempty"`
	// Token is the newest offline token.
	Token string `json:"token,omitempty"`
	// Seen is the latest time that the client has seen, on its clock or in a response of the service, in epoch
	// milliseconds.
	Seen *float64 `json:"seen,omitempty"`
	// Refused is the name of the refusal, if the service's last response refused the key.
	Refused string `json:"refused,omitempty"`
	// Device is the kind of id with which the seat was taken: machineDevice or randomDevice.
	Device string `json:"device,omitempty"`
	// TypeName is the license type's name.
	TypeName *string `json:"type_name,omitempty"`
	Seats    *Seats  `json:"seats,omitempty"`
	// Verdicts is true after the client has verified a signed refusal, which shows that this service signs its refusals.
	Verdicts bool `json:"verdicts,omitempty"`
	// Release contains the keys that were replaced by another key, and whose seats must still be freed.
	Release []string `json:"release,omitempty"`
}

// parseRecord reads a stored record. A damaged field is left out; the result is empty if the text is not a JSON object,
// or if the record's version (`v`) is not 1.
func parseRecord(text string) record {
	stored, _ := parseObject([]byte(text))
	if version, isInteger := integerOf(stored["v"]); !isInteger || version != 1 {
		return record{}
	}
	var found record
	found.Key, _ = textOf(stored["key"])
	// A damaged token may contain characters that no header can contain. The request that replaces it could then not be
	// sent.
	if token, _ := textOf(stored["token"]); len(token) <= maxJWSLength && tokenCharacters.MatchString(token) {
		found.Token = token
	}
	if seen, isNumber := numberOf(stored["seen"]); isNumber {
		found.Seen = &seen
	}
	if refused, _ := textOf(stored["refused"]); isStatusName(refused) {
		found.Refused = refused
	}
	if device, _ := textOf(stored["device"]); device == machineDevice || device == randomDevice {
		found.Device = device
	}
	if name, _ := textOf(stored["type_name"]); name != "" {
		found.TypeName = &name
	}
	found.Seats = seatsOf(stored["seats"])
	found.Verdicts = stored["verdicts"] == true
	keys, _ := stored["release"].([]any)
	for _, value := range keys {
		key, _ := textOf(value)
		if key == "" {
			found.Release = nil
			break
		}
		found.Release = append(found.Release, key)
	}
	return found
}

func (held record) text() (string, error) {
	held.Version = 1
	text, err := json.Marshal(held)
	return string(text), err
}

// isSameActivation says whether two records contain the same activation, which means the same key and the same token.
func (held record) isSameActivation(other record) bool {
	return held.Key == other.Key && held.Token == other.Token
}

// without is the record after a key is removed from the keys to release.
func (held record) without(released string) record {
	held.Release = slices.DeleteFunc(slices.Clone(held.Release), func(key string) bool { return key == released })
	return held
}

// emptied contains the fields that stay in a record after the license is removed. They do not grant a license and do
// not contain its key.
func (held record) emptied(seen float64) record {
	kept := record{Seen: &seen, Verdicts: held.Verdicts, Release: held.Release}
	if held.Device == machineDevice {
		kept.Device = machineDevice
	}
	return kept
}

// hasKey says whether this is the record's key.
func (held record) hasKey(key string) bool { return held.Key != "" && isSameKey(held.Key, key) }

// releasing adds a replaced key to the keys to release, so that the seat of the replaced key is freed later. The
// record's own key is never released.
func (held record) releasing(replaced string) record {
	var keys []string
	for _, key := range append(slices.Clone(held.Release), replaced) {
		if key != "" && !held.hasKey(key) && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	held.Release = keys[max(0, len(keys)-maxReleases):]
	return held
}

var confusable = strings.NewReplacer("O", "0", "I", "1", "L", "1")

// asciiLetters replaces all characters outside ASCII whose upper case consists of ASCII letters.
var asciiLetters = strings.NewReplacer("ß", "SS", "ı", "I", "ſ", "S", "ﬀ", "FF", "ﬁ", "FI", "ﬂ", "FL", "ﬃ", "FFI", "ﬄ", "FFL", "ﬅ", "ST", "ﬆ", "ST")

// isSameKey compares keys as a person may type them: only letters and digits count, without their case. In keys of the
// service's own format `O` equals `0`, and `I` and `L` equal `1`.
func isSameKey(held, typed string) bool {
	plain := func(key string) string {
		return strings.Map(func(character rune) rune {
			switch {
			case character >= 'a' && character <= 'z':
				return character - 'a' + 'A'
			case character >= 'A' && character <= 'Z', character >= '0' && character <= '9':
				return character
			}
			return -1
		}, asciiLetters.Replace(key))
	}
	if len(plain(held)) == 25 {
		return confusable.Replace(plain(held)) == confusable.Replace(plain(typed))
	}
	return plain(held) == plain(typed)
}
