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
	// Version is a semantic version, or digits with dots; a leading `v` is allowed. It is empty if the version isn't
	// known.
	Version string
	// ReleasedAt is when the release was published; zero if the time isn't known.
	ReleasedAt time.Time
}

// Updates are the limits of the releases that a license covers. A limit is nil if the license doesn't have it.
type Updates struct {
	// Until is the last covered time: releases published up to it are covered.
	Until *time.Time
	// MaxMajor is the highest major version that is covered.
	MaxMajor *int64
}

var (
	semver = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
	dotted = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)
	digits = regexp.MustCompile(`^[0-9]+`)
)

// Covers says whether a release is covered. One satisfied limit is enough. A limit is ignored if the license doesn't
// have it, or if the release has no readable date or version to compare. If no limit remains, the release is covered.
// The result doesn't depend on the clock. Without a license (nil) no release is covered.
func (updates *Updates) Covers(release Release) bool {
	if updates == nil {
		return false
	}
	isJudged, isCovered := false, false
	judge := func(covers bool) { isJudged, isCovered = true, isCovered || covers }
	if updates.Until != nil && !release.ReleasedAt.IsZero() {
		// Times are compared in milliseconds, as in every client.
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

// json is the release in the form that an activation sends; nil if nothing is known about the release.
func (release Release) json() map[string]string {
	known := map[string]string{}
	if version := trim(release.Version); version != "" {
		known["version"] = version
	}
	if !release.ReleasedAt.IsZero() {
		known["released_at"] = release.ReleasedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if len(known) == 0 {
		return nil
	}
	return known
}
