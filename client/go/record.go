package licensekey

import (
	"encoding/json"
	"slices"
	"strings"
)

// maxReleases is how many keys whose seats are still to be freed are kept; more are forgotten.
const maxReleases = 10

const (
	// machineDevice is a device by the fingerprint of the machine.
	machineDevice = "machine"
	// randomDevice is a device by the random id that is stored alongside.
	randomDevice = "random"
)

// record is what a client remembers between starts. The names are those of the stored JSON, which clients in other
// languages share.
type record struct {
	Version int `json:"v"`
	// Key that this device was activated with.
	Key string `json:"key,omitempty"`
	// Token is the newest offline token.
	Token string `json:"token,omitempty"`
	// Seen is the latest time that was seen, in epoch milliseconds.
	Seen *float64 `json:"seen,omitempty"`
	// Refused is the service's verdict on the key, if the last one was a refusal.
	Refused string `json:"refused,omitempty"`
	// Device is what the seat was taken with: machineDevice or randomDevice.
	Device string `json:"device,omitempty"`
	// TypeName is the license type's name.
	TypeName *string `json:"type_name,omitempty"`
	Seats    *Seats  `json:"seats,omitempty"`
	// LeaseExpiresAt is when the lease of this device's seat ends: RFC 3339.
	LeaseExpiresAt string `json:"lease_expires_at,omitempty"`
	// Verdicts: the service signs its refusals; one that verified was seen.
	Verdicts bool `json:"verdicts,omitempty"`
	// Release are keys that were replaced by another one, and whose seats are still to be freed.
	Release []string `json:"release,omitempty"`
}

// parseRecord reads a record. A field that is damaged is absent; so is all of a record that is no JSON object, or of
// another version.
func parseRecord(text string) record {
	stored, _ := parseObject([]byte(text))
	if version, isInteger := integerOf(stored["v"]); !isInteger || version != 1 {
		return record{}
	}
	var found record
	found.Key, _ = textOf(stored["key"])
	found.Token, _ = textOf(stored["token"])
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
	found.LeaseExpiresAt, _ = textOf(stored["lease_expires_at"])
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

// isSameActivation says whether two records hold the same activation: what a change of the record is compared by.
func (held record) isSameActivation(other record) bool {
	return held.Key == other.Key && held.Token == other.Token
}

// without is the record with a key less to release.
func (held record) without(released string) record {
	held.Release = slices.DeleteFunc(slices.Clone(held.Release), func(key string) bool { return key == released })
	return held
}

// emptied is what stays of a record when the license goes: nothing that grants or names one.
func (held record) emptied(seen float64) record {
	kept := record{Seen: &seen, Verdicts: held.Verdicts, Release: held.Release}
	if held.Device == machineDevice {
		kept.Device = machineDevice
	}
	return kept
}

// releasing notes the key that the record's own has replaced, so that its seat is freed.
func (held record) releasing(replaced string) record {
	var keys []string
	for _, key := range append(slices.Clone(held.Release), replaced) {
		isHeld := held.Key != "" && isSameKey(held.Key, key)
		if key != "" && !isHeld && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	held.Release = keys[max(0, len(keys)-maxReleases):]
	return held
}

var confusable = strings.NewReplacer("O", "0", "I", "1", "L", "1")

// isSameKey compares keys as a person may type them: only letters and digits count; in keys of the service's shape `O`
// is `0`, `I` and `L` are `1`.
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
		}, key)
	}
	if len(plain(held)) == 25 {
		return confusable.Replace(plain(held)) == confusable.Replace(plain(typed))
	}
	return plain(held) == plain(typed)
}
