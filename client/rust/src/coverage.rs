//! Decides which releases a license covers, by the same rule as the service. The result doesn't depend on the clock.

use std::time::SystemTime;

use crate::timestamp::from_system_time;

/// A build of the app.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Release {
    /// A semantic version, or digits with dots; a leading `v` is allowed.
    pub version: Option<String>,
    /// When the release was published.
    pub released_at: Option<SystemTime>,
}

/// The limits of the releases that a license covers. A limit is None if the license doesn't have it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Updates {
    /// Releases published up to this time are covered.
    pub until: Option<SystemTime>,
    /// Releases up to this major version are covered.
    pub max_major: Option<u64>,
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is a number without a leading zero.
fn is_plain_number(text: &str) -> bool {
    is_number(text) && (text == "0" || !text.starts_with('0'))
}

fn are_identifiers(text: &str, is_prerelease: bool) -> bool {
    text.split('.').all(|part| {
        let is_text = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_text && (!is_prerelease || !is_number(part) || is_plain_number(part))
    })
}

fn is_semver(text: &str) -> bool {
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, prerelease) = text.split_once('-').map_or((text, None), |(core, prerelease)| (core, Some(prerelease)));
    let numbers: Vec<&str> = core.split('.').collect();
    numbers.len() == 3
        && numbers.into_iter().all(is_plain_number)
        && prerelease.is_none_or(|text| are_identifiers(text, true))
        && build.is_none_or(|text| are_identifiers(text, false))
}

/// The major number of a version; None if the version can't be read.
fn major_of(version: &str) -> Option<u64> {
    let plain = version.strip_prefix('v').unwrap_or(version);
    let major = plain.split(['.', '-', '+']).next().filter(|_| is_semver(plain) || plain.split('.').all(is_number))?;
    Some(major.parse().unwrap_or(u64::MAX))
}

impl Updates {
    /// Whether a release is covered. One satisfied limit is enough. A limit is ignored if the license doesn't have it, or if the release
    /// has no readable date or version to compare. If no limit remains, the release is covered.
    pub fn covers(&self, release: &Release) -> bool {
        // Times are compared in milliseconds, as in every client.
        let by_date = self.until.zip(release.released_at).map(|(until, released)| from_system_time(released) <= from_system_time(until));
        let by_version = self.max_major.zip(release.version.as_deref().and_then(major_of)).map(|(most, major)| major <= most);
        match (by_date, by_version) {
            (None, None) => true,
            (by_date, by_version) => by_date == Some(true) || by_version == Some(true),
        }
    }
}
