package licensekey

import (
	"fmt"
	"unicode/utf8"
)

// field is an input of the app's user. It is checked before the request, because the service would refuse an invalid
// input.
type field struct {
	name, text string
	// limit is the maximum length, in characters. No license key of the service is longer than the limit for keys.
	limit      int
	isRequired bool
}

func keyField(key string) field { return field{"key", key, 200, true} }

func refField(ref string) field { return field{"ref", ref, 100, true} }

func (labels Labels) fields() []field {
	return []field{{"name", labels.Name, 200, false}, {"platform", labels.Platform, 200, false}}
}

// checkInput returns an *InputError for the first field that can't be sent; nil if all fields are valid.
func checkInput(fields ...field) error {
	for _, field := range fields {
		if message := field.problem(); message != "" {
			return &InputError{Field: field.name, Message: message}
		}
	}
	return nil
}

func (given field) problem() string {
	text := trim(given.text)
	if text == "" && given.isRequired {
		return "must not be empty"
	}
	if !utf8.ValidString(text) {
		return "must be UTF-8"
	}
	for _, character := range text {
		if character < 0x20 || (character >= 0x7f && character < 0xa0) {
			return "must not contain control characters"
		}
	}
	if utf8.RuneCountInString(text) > given.limit {
		return fmt.Sprintf("must have at most %d characters", given.limit)
	}
	return ""
}
