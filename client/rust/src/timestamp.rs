//! Times within the client are epoch milliseconds; they have fractions only if a claim had a fraction.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::json::number;

/// The end of the range of JavaScript's `Date`, in milliseconds before or after 1970. A time outside the range is replaced by the nearest
/// time in the range.
const MAX_TIME: f64 = 8.64e15;

/// The last second of the year 9999, in seconds since 1970. RFC 3339 can represent no later time.
const LAST_SECOND: f64 = 253_402_300_799.0;
/// The first millisecond of the year 1, in milliseconds since 1970.
const FIRST_MS: f64 = -62_135_596_800_000.0;

/// A claim that is a time: seconds since 1970 (RFC 7519, "NumericDate"), maybe with a fraction, until the end of the year 9999.
pub(crate) fn numeric_date(value: Option<&Value>) -> Option<f64> {
    number(value).filter(|seconds| (0.0..=LAST_SECOND).contains(seconds))
}

/// Reads a fixed number of digits.
fn digits(text: &str, start: usize, length: usize) -> Option<i64> {
    let part = text.get(start..start + length)?;
    part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
}

/// Days from 1970-01-01 to a day of the proleptic Gregorian calendar.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    // Each year starts in March here, so that the leap day is the last day of the year.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days_from_epoch(next.0, next.1, 1) - days_from_epoch(year, month, 1)
}

/// Epoch milliseconds of an RFC 3339 timestamp with upper-case `T` and `Z`, without leap seconds, from the year 1 to the year 9999 in
/// UTC; None for anything else.
pub(crate) fn parse_timestamp(text: &str) -> Option<f64> {
    if !text.is_ascii() {
        return None;
    }
    let separators = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")];
    if separators.iter().any(|(place, separator)| text.get(*place..place + 1) != Some(*separator)) {
        return None;
    }
    let (year, month, day) = (digits(text, 0, 4)?, digits(text, 5, 2)?, digits(text, 8, 2)?);
    let (hour, minute, second) = (digits(text, 11, 2)?, digits(text, 14, 2)?, digits(text, 17, 2)?);
    let mut rest = &text[19..];
    let mut milliseconds = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return None;
        }
        milliseconds = digits(&format!("{:0<3}", &fraction[..length]), 0, 3)?;
        rest = &fraction[length..];
    }
    let offset = match rest.as_bytes() {
        [b'Z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (digits(rest, 1, 2)?, digits(rest, 4, 2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 60 + minutes) * if *sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let minutes = (days_from_epoch(year, month, day) * 24 + hour) * 60 + minute - offset;
    let time = ((minutes * 60 + second) * 1000 + milliseconds) as f64;
    (FIRST_MS..(LAST_SECOND + 1.0) * 1000.0).contains(&time).then_some(time)
}

pub(crate) fn to_system_time(milliseconds: f64) -> SystemTime {
    let distance = Duration::from_millis(milliseconds.abs().min(MAX_TIME) as u64);
    let moment = if milliseconds < 0.0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
    // If this system can't represent the time, the result is 1970.
    moment.unwrap_or(UNIX_EPOCH)
}

pub(crate) fn from_system_time(moment: SystemTime) -> f64 {
    match moment.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_millis() as f64,
        Err(before) => -(before.duration().as_millis() as f64),
    }
}

/// A time as RFC 3339 text in UTC with milliseconds.
pub(crate) fn to_text(moment: SystemTime) -> String {
    let milliseconds = from_system_time(moment) as i64;
    let (days, rest) = (milliseconds.div_euclid(86_400_000), milliseconds.rem_euclid(86_400_000));
    // Howard Hinnant's `civil_from_days`.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let (day, month) = (day_of_year - (153 * month_index + 2) / 5 + 1, if month_index < 10 { month_index + 3 } else { month_index - 9 });
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", rest % 1000)
}
