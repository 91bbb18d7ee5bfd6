//! A small licensed app: it shows what a developer writes to use the client library.
//!
//! The app uses the folder that `npm run example -- setup` has created. Apps in several languages on one device share that folder, and
//! therefore one seat. In client/rust: `cargo run --example app -- check | activate KEY | sign-in | validate | deactivate |
//! import TOKEN`

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use license_key_client::{machine_fingerprint, Client, FileStorage, Labels, Options, Source, State};
use serde_json::Value;

fn new_client() -> Result<Client, Box<dyn Error>> {
    let folder = std::env::var_os("EXAMPLE_DIR").map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../example/.local")), PathBuf::from);
    let text = std::fs::read_to_string(folder.join("product.json")).map_err(|_| "There is no product yet: run `npm run example -- setup` first.")?;
    let product: Value = serde_json::from_str(&text)?;
    let field = |name: &str| product[name].as_str().unwrap_or_default();
    Ok(Client::new(Options {
        audience: Some(field("slug").to_owned()),
        fingerprint: Some(machine_fingerprint()),
        storage: Arc::new(FileStorage::new(folder)),
        grace: Duration::from_secs(3 * 86_400),
        allow_unbound_tokens: true,
        ..Options::new(field("baseUrl"), product["id"].as_u64().unwrap_or_default(), field("apiKey"), field("publicKey"))
    })?)
}

/// The sentence that the app shows to its user in each state.
fn sentence_for(state: &State) -> String {
    match state {
        State::Licensed(licensed) => {
            let source = match licensed.source {
                Source::Cache => "cache",
                Source::Network => "network",
                Source::Grace => "grace",
                _ => "another way",
            };
            let hours = licensed.offline_until.duration_since(SystemTime::now()).unwrap_or_default().as_secs() / 3600;
            format!("Licensed ({}, by {source}), usable without a network for another {hours} hours.", licensed.license.kind)
        }
        State::Unbound { key: None } => "Not activated: enter your license key.".to_owned(),
        State::Unbound { key: Some(key) } => format!("This machine's seat was freed. Activate {key} again."),
        State::Expired => "Your license has expired. Renew it to continue.".to_owned(),
        State::Revoked => "Your license was revoked. Contact the seller.".to_owned(),
        State::Suspended => "Your license is on hold. Contact the seller.".to_owned(),
        State::Reissued => "Your license key was replaced. Enter the new key from your mail.".to_owned(),
        State::SignInRequired => "Sign in again to use your license on this machine.".to_owned(),
        State::Denied => "The activation was refused in the browser.".to_owned(),
        State::RequestExpired => "Nobody confirmed the activation in time. Sign in again.".to_owned(),
        State::Refused { reason } => format!("Your license can't be used now ({reason}). Contact the seller."),
        State::NoSeats { seats: None } => "Every seat is taken. Deactivate another machine first.".to_owned(),
        State::NoSeats { seats: Some(seats) } => format!("Every seat is taken ({} of {}). Deactivate another machine first.", seats.used, seats.max),
        State::TooManyDevices => "This license was activated on too many new machines this week. Try again in a few days.".to_owned(),
        State::UnknownKey => "There is no such license key. Look for a typing mistake.".to_owned(),
        State::NotCovered { .. } => "Your license does not cover this version. Renew its updates, or install an older version.".to_owned(),
        State::NoTrial => "There is no trial. Enter a license key.".to_owned(),
        State::OfflineWithoutToken { reason, .. } => format!("Connect to the internet once, so that the license can be checked ({reason})."),
        _ => "Your license can't be used now. Contact the seller.".to_owned(),
    }
}

fn run(client: &Client, command: &str, argument: &str) -> Result<State, Box<dyn Error>> {
    let labels = Labels { platform: Some(std::env::consts::OS.to_owned()), ..Labels::default() };
    Ok(match command {
        "check" => client.check(),
        "validate" => client.validate(),
        "activate" => client.activate(argument, &labels)?,
        "sign-in" => {
            let sign_in = client.activate_in_browser(&labels)?;
            if let (Some(code), Some(url)) = (sign_in.code(), sign_in.url()) {
                // An app with a window opens the browser here.
                println!("Compare this code with the one in the browser: {code}\nOpen {url}");
            }
            sign_in.wait()
        }
        "import" => client.import_token(argument)?,
        "deactivate" => {
            client.deactivate().map_err(|fault| format!("The seat may still be taken: {fault}"))?;
            client.check()
        }
        _ => return Err("Commands: check, activate <key>, sign-in, validate, deactivate, import <token>.".into()),
    })
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (command, argument) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let outcome = new_client().and_then(|client| {
        let state = run(&client, &command, &argument);
        // Before the process ends, `idle` waits until the background work is finished and stored.
        client.idle();
        client.close();
        state
    });
    match outcome {
        Ok(state) => println!("{}", sentence_for(&state)),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}
