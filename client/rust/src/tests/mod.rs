//! If a test fails, apps in two languages on one device treat the same license differently, or a user loses the license or needs a second
//! seat.

mod behaviour;
mod client;
mod vectors;

use serde_json::Value;

/// Reads a file of the vectors that clients in all languages must satisfy.
fn read(name: &str) -> Value {
    let path = format!("{}/../vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("the vectors are next to the clients")).expect("they are JSON")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// The vector's `given`, with `defaults` for missing fields.
fn given(content: &Value, vector: &Value) -> Value {
    let mut context = content["defaults"].clone();
    for (name, value) in vector.get("given").and_then(Value::as_object).into_iter().flatten() {
        context[name] = value.clone();
    }
    context
}
