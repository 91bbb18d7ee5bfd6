//! What fails here makes two apps in two languages on one machine treat the same license differently, or costs a user the
//! license or a second seat.

mod behaviour;
mod client;
mod vectors;

use serde_json::Value;

/// The vectors that hold the clients of all languages to the same behaviour.
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

/// `defaults`, overridden by a vector's `given`.
fn given(content: &Value, vector: &Value) -> Value {
    let mut context = content["defaults"].clone();
    for (name, value) in vector.get("given").and_then(Value::as_object).into_iter().flatten() {
        context[name] = value.clone();
    }
    context
}
