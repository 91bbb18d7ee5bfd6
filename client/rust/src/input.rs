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

/// Maximum length of a label, in characters.
const MAX_LABEL: usize = 200;

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
    check("name", labels.name.as_deref().unwrap_or_default(), MAX_LABEL, false)?;
    check("platform", labels.platform.as_deref().unwrap_or_default(), MAX_LABEL, false)
}

/// Whether a character changes the direction of text. With such characters a name could be shown as another one (UAX #9, section 2).
fn is_bidirectional_control(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Labels that another person reads in the browser: without characters that change the direction of text, and at most 200 characters.
pub(crate) fn shown_labels(Labels { name, platform }: &Labels) -> Labels {
    let shown = |label: &String| -> String {
        let label: String = label.chars().filter(|character| !is_bidirectional_control(*character)).collect();
        trim(&label).chars().take(MAX_LABEL).collect()
    };
    Labels { name: name.as_ref().map(shown), platform: platform.as_ref().map(shown) }
}

/// Whether an option can be sent as the version of the app. Otherwise the service would refuse every request that contains it.
pub(crate) fn is_version(text: &str) -> bool {
    check("version", text, 200, false).is_ok()
}

pub(crate) fn check_email(email: &str) -> Result<(), InvalidInput> {
    check("customer_email", email, 254, false)
}

pub(crate) fn check_reference(reference: &str) -> Result<(), InvalidInput> {
    check("ref", reference, 100, true)
}

/// Maximum absolute value of an amount.
const MAX_AMOUNT: u64 = 1_000_000_000;

/// Checks the arguments of `consume`.
pub(crate) fn check_use(meter: &str, amount: i64, id: &str) -> Result<(), InvalidInput> {
    check("meter", meter, 64, true)?;
    if !(1..=MAX_AMOUNT).contains(&amount.unsigned_abs()) {
        return Err(InvalidInput { field: "amount", message: format!("must be an integer from -{MAX_AMOUNT} to {MAX_AMOUNT}, and not 0") });
    }
    if id != trim(id) || id.chars().count() < 8 {
        return Err(InvalidInput { field: "id", message: "must have at least 8 characters, and no white space at its ends".to_owned() });
    }
    check("id", id, 64, true)
}

pub(crate) fn check_replaced(reference: &str) -> Result<(), InvalidInput> {
    check("replace", reference, 100, false)
}
