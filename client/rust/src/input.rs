//! Checks the input of the app's user before a request is sent, because the service refuses invalid input.

use crate::json::trim;
use crate::state::InvalidInput;

/// Labels that are shown to the operator; at most 200 characters each.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// A device name for people, such as "Ada's laptop".
    pub name: Option<String>,
    /// Where the app runs, for example the operating system.
    pub platform: Option<String>,
}

fn check(field: &'static str, value: &str, maximum: usize, is_required: bool) -> Result<(), InvalidInput> {
    let text = trim(value);
    let message = if text.is_empty() && is_required {
        "must not be empty".to_owned()
    } else if text.chars().any(char::is_control) {
        "must not contain control characters".to_owned()
    } else if text.chars().count() > maximum {
        format!("must have at most {maximum} characters")
    } else {
        return Ok(());
    };
    Err(InvalidInput { field, message })
}

pub(crate) fn check_key(key: &str) -> Result<(), InvalidInput> {
    check("key", key, 200, true)
}

pub(crate) fn check_labels(labels: &Labels) -> Result<(), InvalidInput> {
    check("name", labels.name.as_deref().unwrap_or_default(), 200, false)?;
    check("platform", labels.platform.as_deref().unwrap_or_default(), 200, false)
}

pub(crate) fn check_email(email: &str) -> Result<(), InvalidInput> {
    check("customer_email", email, 254, false)
}

pub(crate) fn check_reference(reference: &str) -> Result<(), InvalidInput> {
    check("ref", reference, 100, true)
}

pub(crate) fn check_replaced(reference: &str) -> Result<(), InvalidInput> {
    check("replace", reference, 100, false)
}
