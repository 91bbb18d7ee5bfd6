package licensekey

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file reads JSON and base64url by the same strict rules as every client of the service, so that a text has one
// meaning in all languages.

// maxLevels is the maximum nesting of accepted JSON; the outermost object is level 1.
const maxLevels = 32

// maxInteger is the largest integer that every language represents exactly.
const maxInteger = 1<<53 - 1

// whiteSpace are the characters that ECMAScript's `trim` removes, so that every client sends and compares the same
// texts.
const whiteSpace = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

func trim(text string) string { return strings.Trim(text, whiteSpace) }

func withoutWhiteSpace(text string) string {
	return strings.Map(func(character rune) rune {
		if strings.ContainsRune(whiteSpace, character) {
			return -1
		}
		return character
	}, text)
}

// fromBase64URL decodes base64url (RFC 7515, section 2). It refuses padding, other characters, and unused bits that are
// not zero.
func fromBase64URL(text string) ([]byte, bool) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	// Go's decoder skips line breaks and accepts nonzero unused bits, so the result is encoded again and compared.
	return data, err == nil && toBase64URL(data) == text
}

func toBase64URL(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// parseJSON parses JSON in UTF-8. Byte order marks before it are ignored (RFC 8259, section 8.1). It returns false if the
// text is anything else, or if the value is nested too deeply.
func parseJSON(text []byte) (any, bool) {
	if !utf8.Valid(text) {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimLeft(text, "\ufeff")))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, false
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	return value, !isNestedDeeper(value, maxLevels)
}

// parseObject parses a JSON object in UTF-8. It returns false if the text is anything else, or if the object is nested
// too deeply.
func parseObject(text []byte) (map[string]any, bool) {
	value, isJSON := parseJSON(text)
	if !isJSON {
		return nil, false
	}
	object, isObject := value.(map[string]any)
	return object, isObject
}

func isNestedDeeper(value any, levels int) bool {
	switch value := value.(type) {
	case map[string]any:
		if levels == 0 {
			return true
		}
		for _, inner := range value {
			if isNestedDeeper(inner, levels-1) {
				return true
			}
		}
	case []any:
		if levels == 0 {
			return true
		}
		for _, inner := range value {
			if isNestedDeeper(inner, levels-1) {
				return true
			}
		}
	}
	return false
}

// textOf returns a text; false if the value is anything else.
func textOf(value any) (string, bool) {
	text, isText := value.(string)
	return text, isText
}

// numberOf returns a finite number with the precision of a double.
func numberOf(value any) (float64, bool) {
	literal, isNumber := value.(json.Number)
	if !isNumber {
		return 0, false
	}
	number, err := strconv.ParseFloat(literal.String(), 64)
	return number, err == nil && !math.IsInf(number, 0)
}

// textOrNil returns a text, or nil for null; false if the value is neither a text nor null.
func textOrNil(value any) (*string, bool) {
	text, isText := textOf(value)
	if value == nil || !isText {
		return nil, value == nil
	}
	return &text, true
}

// integerOf returns an integer that a double represents exactly; `1.0` is an integer, too.
func integerOf(value any) (int64, bool) {
	number, isNumber := numberOf(value)
	return int64(number), isNumber && number == math.Trunc(number) && math.Abs(number) <= maxInteger
}

// member returns a member of an object; nil if there is no such member, or if the value is not an object.
func member(value any, name string) any {
	object, _ := value.(map[string]any)
	return object[name]
}

// seatsOf returns the seat numbers in a response or a stored record; nil if the value is anything else.
func seatsOf(value any) *Seats {
	used, hasUsed := integerOf(member(value, "used"))
	maximum, hasMax := integerOf(member(value, "max"))
	if !hasUsed || !hasMax || used < 0 || maximum < 0 {
		return nil
	}
	return &Seats{Used: used, Max: maximum}
}
