//! Reads JSON and base64url by the same strict rules as every client of the service, so that a text has one meaning in all languages.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::state::Seats;

pub(crate) type Object = Map<String, Value>;

/// Maximum nesting of accepted JSON; the outermost object is level 1.
const MAX_LEVELS: usize = 32;

/// The largest integer that every language represents exactly.
pub(crate) const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The characters that ECMAScript's `trim` removes, so that every client sends and compares the same texts.
pub(crate) fn is_white_space(character: char) -> bool {
    matches!(character, '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_white_space)
}

pub(crate) fn without_white_space(text: &str) -> String {
    text.chars().filter(|character| !is_white_space(*character)).collect()
}

/// Decodes base64url (RFC 7515, section 2) without padding, other characters or nonzero unused bits; None for anything else.
pub(crate) fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(text.len() * 3 / 4), 0_u32, 0);
    for character in text.bytes() {
        let value = ALPHABET.iter().position(|letter| *letter == character)?;
        bits = (bits << 6) | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (held < 6 && bits == 0).then_some(bytes)
}

pub(crate) fn to_base64url(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 3);
    for group in bytes.chunks(3) {
        let bits = group.iter().chain([0, 0].iter()).take(3).fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte));
        for place in 0..=group.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * place)) as usize & 63]));
        }
    }
    text
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The JSON value in UTF-8; None if the text is anything else or is nested too deeply. Byte order marks before the value are ignored (RFC
/// 8259, section 8.1).
pub(crate) fn parse_json(text: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(text).ok()?.trim_start_matches('\u{feff}');
    let value: Value = serde_json::from_str(&acceptable(text)).ok()?;
    Some(value).filter(|value| !is_nested_deeper(value, MAX_LEVELS))
}

/// The JSON object in UTF-8; None if the text is anything else or is nested too deeply.
pub(crate) fn parse_object(text: &[u8]) -> Option<Object> {
    match parse_json(text) {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// The UTF-16 code unit of the escape `\uXXXX` at a position.
fn escaped_unit(bytes: &[u8], place: usize) -> Option<u16> {
    let digits = bytes.get(place..place + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Replaces values that JSON permits but the parser refuses, because one such value makes the parser refuse the whole text:
/// - Each number that is too large for a double (`1e999`) becomes an empty object. An empty object has the same effect as the number,
///   because no reader accepts it as a number.
/// - Each escaped surrogate without its other half (`\ud800`) becomes U+FFFD.
fn acceptable(text: &str) -> Cow<'_, str> {
    let is_number_part = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let bytes = text.as_bytes();
    let (mut found, mut copied, mut place) = (String::new(), 0, 0);
    while place < bytes.len() {
        let begin = place;
        match bytes[place] {
            b'"' => {
                place += 1;
                while place < bytes.len() && bytes[place] != b'"' {
                    match (escaped_unit(bytes, place), escaped_unit(bytes, place + 6)) {
                        (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => place += 12,
                        (Some(0xd800..=0xdfff), _) => {
                            found.push_str(&text[copied..place]);
                            found.push_str("\\ufffd");
                            place += 6;
                            copied = place;
                        }
                        _ => place += if bytes[place] == b'\\' { 2 } else { 1 },
                    }
                }
                place += 1;
            }
            byte if byte == b'-' || byte.is_ascii_digit() => {
                place += bytes[begin..].iter().take_while(|byte| is_number_part(**byte)).count();
                let number = &text[begin..place];
                // A number that is not valid JSON stays unchanged, and the parser refuses it.
                let digits = number.trim_start_matches('-');
                let is_json = digits.starts_with(|first: char| first.is_ascii_digit())
                    && (digits == "0" || !digits.starts_with('0') || digits.starts_with("0.") || digits.starts_with("0e") || digits.starts_with("0E"));
                if is_json && !number.contains(".e") && !number.contains(".E") && !number.ends_with('.') && number.parse::<f64>().is_ok_and(f64::is_infinite) {
                    found.push_str(&text[copied..begin]);
                    found.push_str("{}");
                    copied = place;
                }
            }
            _ => place += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    found.push_str(&text[copied..]);
    Cow::Owned(found)
}

fn is_nested_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Object(object) => levels == 0 || object.values().any(|inner| is_nested_deeper(inner, levels - 1)),
        Value::Array(list) => levels == 0 || list.iter().any(|inner| is_nested_deeper(inner, levels - 1)),
        _ => false,
    }
}

/// A member of an object within an object.
pub(crate) fn member<'a>(value: Option<&'a Value>, name: &str) -> Option<&'a Value> {
    value?.as_object()?.get(name)
}

/// The text in a value, if it is a text that isn't empty.
pub(crate) fn filled(value: Option<&Value>) -> Option<&str> {
    value?.as_str().filter(|text| !text.is_empty())
}

/// A finite number with the precision of a double.
pub(crate) fn number(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Number(number) => number.as_f64().filter(|number| number.is_finite()),
        _ => None,
    }
}

/// An integer that a double represents exactly; `1.0` is an integer, too.
pub(crate) fn integer(value: Option<&Value>) -> Option<i64> {
    number(value).filter(|number| number.trunc() == *number && number.abs() <= MAX_INTEGER).map(|number| number as i64)
}

/// An integer of at least 0.
pub(crate) fn count(value: Option<&Value>) -> Option<u64> {
    integer(value).and_then(|number| u64::try_from(number).ok())
}

/// The seat numbers in a response or a stored record; None if the value is anything else.
pub(crate) fn seats(value: Option<&Value>) -> Option<Seats> {
    Some(Seats { used: count(member(value, "used"))?, max: count(member(value, "max"))? })
}
