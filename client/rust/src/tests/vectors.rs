use std::time::{Duration, UNIX_EPOCH};

use serde_json::{json, Value};

use super::{given, list, read, text};
use crate::fingerprint::{app_fingerprint_with, fingerprint_with, parse_machine_id, System};
use crate::keys::verify_keys;
use crate::offline_request::write_offline_request;
use crate::timestamp::{parse_timestamp, to_system_time};
use crate::verdict::{verify_verdict, VerdictExpectation};
use crate::{read_offline_request, verify_token, Expectation, Release, Updates, CLOCK_SKEW};

#[test]
fn tokens() {
    let content = read("tokens");
    assert_eq!(content["clock_skew"].as_u64(), Some(CLOCK_SKEW.as_secs()));
    for vector in list(&content["tokens"]) {
        let context = given(&content, vector);
        let expected = Expectation {
            fingerprint: text(&context["fingerprint"]),
            audience: Some(text(&context["audience"])),
            allow_unbound_tokens: context["allow_unbound_tokens"] == true,
        };
        let now = UNIX_EPOCH + Duration::from_secs(context["now"].as_u64().expect("a time"));
        for key in [text(&context["public_key_pem"]), context["jwks"].to_string()] {
            let verified = verify_token(&text(&vector["token"]), &[key], &expected, now).expect("the key is one");
            assert_eq!(verified.problem, vector["problem"].as_str(), "{}", vector["name"]);
        }
    }
}

#[test]
fn verdicts() {
    let content = read("verdicts");
    for vector in list(&content["verdicts"]) {
        let context = given(&content, vector);
        let keys = verify_keys(&[text(&context["public_key_pem"])]).expect("the key is one");
        let (audience, license_id, fingerprint) = (text(&context["audience"]), text(&context["license_id"]), text(&context["fingerprint"]));
        let token_issued_at = context["token_issued_at"].as_f64().expect("a time");
        let verified = verify_verdict(
            &keys,
            &text(&vector["verdict"]),
            &VerdictExpectation { audience: Some(&audience), license_id: Some(&license_id), fingerprint: &fingerprint, token_issued_at },
        );
        let seen = verified.map(|verdict| verdict.status);
        assert_eq!(seen.as_ref().err().copied(), vector["problem"].as_str(), "{}", vector["name"]);
        assert_eq!(seen.ok().as_deref(), vector.get("status").and_then(|status| status.as_str()), "{}", vector["name"]);
    }
}

/// A system whose files and commands all return one text.
struct Showing {
    name: &'static str,
    shown: String,
}

impl System for Showing {
    fn name(&self) -> &str {
        self.name
    }

    fn read_file(&self, _: &str) -> std::io::Result<String> {
        Ok(self.shown.clone())
    }

    fn machine_guid(&self) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.shown.clone())
    }

    fn run(&self, _: &str, _: &[&str]) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.shown.clone())
    }
}

#[test]
fn fingerprints() {
    let content = read("fingerprints");
    for vector in list(&content["fingerprints"]) {
        // Rust's names of these systems differ from the names in the vectors.
        let name = match vector["platform"].as_str() {
            Some("darwin") => "macos",
            Some("win32") => "windows",
            Some("linux") => "linux",
            _ => "another",
        };
        let system = Showing { name, shown: text(&vector["shown"]) };
        assert_eq!(parse_machine_id(name, &system.shown).as_deref(), vector["machine_id"].as_str(), "{}", vector["name"]);
        assert_eq!(fingerprint_with(&system).expect("it is read").as_deref(), vector["fingerprint"].as_str(), "{}", vector["name"]);
        let found = app_fingerprint_with(&system, &text(&content["app"])).expect("it is read");
        assert_eq!(found.as_deref(), vector["app_fingerprint"].as_str(), "{}", vector["name"]);
    }
}

#[test]
fn offline_requests() {
    for vector in list(&read("requests")["requests"]) {
        let found = read_offline_request(&text(&vector["text"]));
        let expected = &vector["request"];
        assert_eq!(found.is_none(), expected.is_null(), "{}", vector["name"]);
        let Some(request) = found else { continue };
        assert_eq!((request.product, request.key.as_str()), (7, expected["key"].as_str().expect("a key")), "{}", vector["name"]);
        assert_eq!(Some(request.fingerprint.as_str()), expected["fingerprint"].as_str(), "{}", vector["name"]);
        assert_eq!((request.name.as_deref(), request.platform.as_deref()), (expected["name"].as_str(), expected["platform"].as_str()), "{}", vector["name"]);
        assert_eq!(read_offline_request(&write_offline_request(&request)), Some(request), "{}", vector["name"]);
    }
}

#[test]
fn coverage() {
    let moment = |value: Option<&Value>| value.map(|text| to_system_time(parse_timestamp(text.as_str().expect("a text")).expect("a time")));
    for vector in list(&read("coverage")["cases"]) {
        let updates = Updates { until: moment(vector.get("updates_until")), max_major: vector.get("max_major").and_then(Value::as_u64) };
        let release = Release { version: vector.get("version").map(text), released_at: moment(vector.get("released_at")) };
        assert_eq!(json!(updates.covers(&release)), vector["covered"], "{}", vector["name"]);
    }
}
