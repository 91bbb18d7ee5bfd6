package licensekey

import (
	"math"
	"regexp"
	"strconv"
	"time"
)

// Times within the client are epoch milliseconds; they have fractions only if a claim had a fraction.

var rfc3339 = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$`)

const (
	// lastSecond is the last second of the year 9999, in seconds since 1970. RFC 3339 can represent no later time.
	lastSecond = 253_402_300_799
	// firstMillisecond is that of the year 1, in milliseconds since 1970.
	firstMillisecond = -62_135_596_800_000
)

// numericDateOf returns a claim that is a time: seconds since 1970 (RFC 7519, "NumericDate"), maybe with a fraction, until
// the end of the year 9999.
func numericDateOf(value any) (float64, bool) {
	seconds, isNumber := numberOf(value)
	return seconds, isNumber && seconds >= 0 && seconds <= lastSecond
}

// maxTime is the latest time that JavaScript can represent; a later time is replaced by it.
const maxTime = 8.64e15

// parseTimestamp returns the epoch milliseconds of an RFC 3339 timestamp with upper-case `T` and `Z`, without leap
// seconds, from the year 1 to the year 9999 in UTC.
func parseTimestamp(text string) (float64, bool) {
	match := rfc3339.FindStringSubmatch(text)
	if match == nil {
		return 0, false
	}
	number := func(part int) int {
		// The error doesn't matter: the part consists of a few digits, or it is empty and counts as zero.
		value, _ := strconv.Atoi(match[part])
		return value
	}
	year, month, day, hour, minute, second := number(1), number(2), number(3), number(4), number(5), number(6)
	offset := number(9)*60 + number(10)
	if hour > 23 || minute > 59 || second > 59 || number(9) > 23 || number(10) > 59 {
		return 0, false
	}
	local := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	// Go's calendar would turn February 30 into a day in March.
	if int(local.Month()) != month || local.Day() != day {
		return 0, false
	}
	if match[8] == "-" {
		offset = -offset
	}
	milliseconds, _ := strconv.Atoi((match[7] + "000")[min(1, len(match[7])):][:3])
	found := local.UnixMilli() - int64(offset)*60_000 + int64(milliseconds)
	return float64(found), found >= firstMillisecond && found < (lastSecond+1)*1000
}

func timeOf(milliseconds float64) time.Time {
	return time.UnixMilli(int64(math.Max(-maxTime, math.Min(maxTime, milliseconds)))).UTC()
}
