package licensekey

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Release is a build of the app.
type Release struct {
	// Version is semver, or digits with dots; a leading `v` is allowed. Empty if it isn't known.
	Version string
	// ReleasedAt is when it was published; zero if it isn't known.
	ReleasedAt time.Time
}

// Updates limit the releases of a license; nil: no such limit.
type Updates struct {
	// Until: releases published until then are covered.
	Until *time.Time
	// MaxMajor: releases up to this major version are covered.
	MaxMajor *int64
}

var (
	semver = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
	dotted = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)
	digits = regexp.MustCompile(`^[0-9]+`)
)

// Covers says whether a release is covered: by any limit, or if there is none that can be judged. No clock is involved.
func (updates Updates) Covers(release Release) bool {
	isJudged, isCovered := false, false
	judge := func(covers bool) { isJudged, isCovered = true, isCovered || covers }
	if updates.Until != nil && !release.ReleasedAt.IsZero() {
		// To the millisecond, as every client.
		judge(release.ReleasedAt.UnixMilli() <= updates.Until.UnixMilli())
	}
	version := strings.TrimPrefix(release.Version, "v")
	if updates.MaxMajor != nil && (semver.MatchString(version) || dotted.MatchString(version)) {
		major, err := strconv.ParseInt(digits.FindString(version), 10, 64)
		if err != nil {
			major = math.MaxInt64
		}
		judge(major <= *updates.MaxMajor)
	}
	return isCovered || !isJudged
}

// json is the release as an activation sends it; nil if nothing is known of it.
func (release Release) json() map[string]string {
	known := map[string]string{}
	if release.Version != "" {
		known["version"] = release.Version
	}
	if !release.ReleasedAt.IsZero() {
		known["released_at"] = release.ReleasedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if len(known) == 0 {
		return nil
	}
	return known
}
