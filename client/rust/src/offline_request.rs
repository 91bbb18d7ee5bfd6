//! The request of a device without a network. The device's user gives the request to the operator on paper, in a file or as a QR code.

use serde_json::{json, Value};

use crate::json::{from_base64url, integer, parse_object, to_base64url, without_white_space};

const PREFIX: &str = "LKS1-REQUEST.";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfflineRequest {
    /// The product's id.
    pub product: i64,
    pub key: String,
    pub fingerprint: String,
    pub name: Option<String>,
    pub platform: Option<String>,
}

/// Writes a request as one line of ASCII: `LKS1-REQUEST.` and base64url of a JSON object.
pub(crate) fn write_offline_request(request: &OfflineRequest) -> String {
    let texts =
        [("key", Some(&request.key)), ("fingerprint", Some(&request.fingerprint)), ("name", request.name.as_ref()), ("platform", request.platform.as_ref())];
    let mut members = vec![format!("\"product\":{}", request.product)];
    members.extend(texts.into_iter().filter_map(|(name, text)| Some(format!("\"{name}\":{}", json!(text?)))));
    PREFIX.to_owned() + &to_base64url(format!("{{{}}}", members.join(",")).as_bytes())
}

/// Reads an offline request, for tools of the operator. White space anywhere is ignored. Returns None if the text is not a request.
pub fn read_offline_request(text: &str) -> Option<OfflineRequest> {
    let object = parse_object(&from_base64url(without_white_space(text).strip_prefix(PREFIX)?)?)?;
    let text = |name: &str| object.get(name).and_then(Value::as_str).map(String::from);
    Some(OfflineRequest {
        product: integer(object.get("product"))?,
        key: text("key")?,
        fingerprint: text("fingerprint")?,
        name: text("name"),
        platform: text("platform"),
    })
}
