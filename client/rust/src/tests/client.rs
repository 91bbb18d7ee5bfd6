//! Tests the client with real files, sockets and threads, which the vectors can't cover.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{json, Value};

use super::{list, read, text};
use crate::cache::Cache;
use crate::queue::{Amount, Entry, Place, Queue};
use crate::storage::random_hex;
use crate::transport::{Request, Response, Transport};
use crate::waiting::{lock, Shared};
use crate::{Client, Consumption, Fault, FaultKind, FileStorage, Labels, MemoryStorage, Offline, Options, Release, Source, State, Storage};

/// The test case "activate: takes a seat" of the vectors.
struct Activation {
    settings: Value,
    step: Value,
}

impl Activation {
    fn read() -> Self {
        let content = read("behaviour");
        let case = list(&content["cases"]).iter().find(|case| case["name"] == "activate: takes a seat").expect("there is such a case");
        Self { settings: content["settings"].clone(), step: case["steps"][0].clone() }
    }

    /// The response of the test server.
    fn body(&self) -> String {
        self.step["responses"][0]["body"].to_string()
    }

    fn key(&self) -> String {
        text(&self.step["responses"][0]["body"]["license"]["key"])
    }

    fn options(&self, base_url: &str) -> Options {
        let now = UNIX_EPOCH + Duration::from_secs(self.step["now"].as_u64().expect("a time"));
        let fingerprint = text(&self.step["fingerprint"]);
        Options {
            audience: Some(text(&self.settings["audience"])),
            fingerprint: Some(Arc::new(move || Ok(Some(fingerprint.clone())))),
            storage_name: Some("app".to_owned()),
            retry_delay: Duration::ZERO,
            timeout: Duration::from_secs(60),
            now: Arc::new(move || now),
            on_warning: Arc::new(|_, _| {}),
            ..Options::new(base_url, 7, text(&self.settings["api_key"]), text(&self.settings["public_key"]))
        }
    }
}

fn client(options: Options) -> Client {
    Client::new(options).expect("the options can work")
}

fn activated(client: &Client, key: &str) -> State {
    client.activate(key, &Labels::default()).expect("the key can be sent")
}

fn fault_of(state: &State) -> Option<FaultKind> {
    match state {
        State::OfflineWithoutToken { fault: Some(Fault { kind, .. }), .. } => Some(*kind),
        _ => None,
    }
}

/// Starts a test server that replaces the service, and returns the server's URL. `respond` writes the response to each request.
fn serve(respond: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it is bound");
    let respond = Arc::new(respond);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, respond) = (stream.expect("a connection"), Arc::clone(&respond));
            thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
                let (mut line, mut length) = (String::new(), 0);
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().expect("a number");
                    }
                    line.clear();
                }
                // If the client has closed the connection, the server ignores the error.
                let _ = reader.take(length).read_to_end(&mut Vec::new());
                respond(&mut stream);
            });
        }
    });
    format!("http://{address}")
}

fn whole(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// A folder that is deleted at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("license-key-client-{}", random_hex::<8>().expect("there is chance"))))
    }

    fn app(&self) -> PathBuf {
        self.0.join("app")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The folder doesn't exist if the test created no files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn two_clients_in_one_folder_share_the_license() {
    let (given, folder) = (Activation::read(), Folder::new());
    let response = whole(&given.body());
    let url = serve(move |stream| stream.write_all(response.as_bytes()).expect("it is read"));
    let options = Options { storage: Arc::new(FileStorage::new(folder.app())), ..given.options(&url) };
    let (first, second) = (client(options.clone()), client(options));
    assert_eq!(second.check(), State::Unbound { key: None });
    assert!(matches!(activated(&first, &given.key()), State::Licensed(licensed) if licensed.source == Source::Network));
    assert!(matches!(second.check(), State::Licensed(licensed) if licensed.source == Source::Cache));
    assert!(second.has("export"));
}

#[test]
fn files_are_for_their_owner_alone() {
    let folder = Folder::new();
    let storage = FileStorage::new(folder.app());
    storage.set("a", "ü").expect("it is written");
    assert_eq!(storage.get("a").expect("it is read").as_deref(), Some("ü"));
    storage.set("b", "").expect("it is written");
    assert_eq!(std::fs::read_dir(folder.app()).expect("there is a folder").count(), 2);
    #[cfg(unix)]
    for (path, mode) in [(folder.app(), 0o700), (folder.app().join("a.json"), 0o600), (folder.app().join("b.json"), 0o600)] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, mode, "{}", path.display());
    }
    for _ in 0..2 {
        storage.remove("a").expect("it is removed, or was");
    }
    std::fs::create_dir(folder.app().join("c.json")).expect("it is made");
    storage.get("c").expect_err("what can't be read is not taken for none");
}

#[test]
fn an_item_is_removed_together_with_its_drafts() {
    let folder = Folder::new();
    let storage = FileStorage::new(folder.app());
    storage.remove("a").expect("there is no folder");
    for name in ["a", "a.device"] {
        storage.set(name, "x").expect("it is written");
    }
    std::fs::write(folder.app().join("a.json.0123456789ab.tmp"), "a license key").expect("it is written");
    storage.remove("a").expect("it is removed");
    let left: Vec<_> = std::fs::read_dir(folder.app()).expect("there is a folder").map(|file| file.expect("it is there").file_name()).collect();
    assert_eq!(left, ["a.device.json"]);
}

#[test]
fn a_lock_is_taken_by_one_at_a_time_and_given_up_when_its_owner_has_ended() {
    let folder = Folder::new();
    let entered = Arc::new(Mutex::new(0));
    let enter = |storage: &FileStorage, entered: &Mutex<i32>| {
        let _guard = storage.lock("a").expect("it is taken");
        *lock(entered) += 1;
        assert_eq!(*lock(entered), 1, "two have the lock");
        thread::yield_now();
        *lock(entered) -= 1;
    };
    let apps: Vec<_> = (0..8)
        .map(|_| {
            let (storage, entered) = (FileStorage::new(folder.app()), Arc::clone(&entered));
            thread::spawn(move || enter(&storage, &entered))
        })
        .collect();
    for app in apps {
        app.join().expect("it ends");
    }
    std::fs::write(folder.app().join("a.lock"), "a process that has crashed").expect("it is written");
    enter(&FileStorage::new(folder.app()), &entered);
    assert_eq!(std::fs::read_dir(folder.app()).expect("there is a folder").count(), 0);
}

/// Stores a license in a folder in which `leave` has left a lock that nobody releases.
fn store_in_spite_of(leave: impl FnOnce(&Path) -> std::io::Result<()>) {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.app()).expect("it is made");
    leave(&folder.app().join("app.lock")).expect("it is made");
    let cache = Cache::new(Arc::new(FileStorage::new(folder.app())), "app".to_owned(), Duration::from_secs(60), Duration::ZERO, Arc::new(|_, _| {}));
    cache.change(|record| Some(crate::record::Record { key: Some("KEY".to_owned()), ..record.clone() }));
    let text = std::fs::read_to_string(folder.app().join("app.json")).expect("it is stored");
    assert!(text.contains("KEY"), "{text}");
}

#[test]
fn a_license_is_stored_even_if_a_process_has_crashed_while_it_had_the_lock() {
    store_in_spite_of(|lock| std::fs::write(lock, "a process that has crashed"));
}

#[test]
fn a_lock_that_nobody_releases_does_not_delay_the_start() {
    let (folder, activation, content) = (Folder::new(), Activation::read(), read("behaviour"));
    std::fs::create_dir_all(folder.app()).expect("it is made");
    let case = list(&content["cases"]).iter().find(|case| case["name"] == "check: a cached token is accepted with no request").expect("there is such a case");
    std::fs::write(folder.app().join("app.json"), case["stored"]["record"].to_string()).expect("it is written");
    let lock = folder.app().join("app.lock");
    std::fs::write(&lock, "a process that has crashed").expect("it is written");
    let client = client(Options { storage: Arc::new(FileStorage::new(folder.app())), ..activation.options("https://licenses.example.com") });
    assert!(matches!(client.check(), State::Licensed(_)));
    assert!(lock.exists(), "the check waited for the lock");
    client.idle();
    let text = std::fs::read_to_string(folder.app().join("app.json")).expect("it is stored");
    assert!(text.contains(&format!("\"seen\":{}000", activation.step["now"])), "{text}");
}

#[test]
fn a_license_is_stored_even_if_there_is_a_folder_in_the_place_of_the_lock() {
    store_in_spite_of(|lock| std::fs::create_dir_all(lock.join("of something else")));
}

#[cfg(unix)]
#[test]
fn a_license_is_stored_even_if_there_is_a_link_to_nothing_in_the_place_of_the_lock() {
    store_in_spite_of(|lock| std::os::unix::fs::symlink("nothing", lock));
}

#[test]
fn apps_that_start_at_once_share_one_random_id() {
    let folder = Folder::new();
    let start = Arc::new(Barrier::new(8));
    let apps: Vec<_> = (0..8)
        .map(|_| {
            let (start, storage) = (Arc::clone(&start), Arc::new(FileStorage::new(folder.app())));
            thread::spawn(move || {
                let cache = Cache::new(storage, "app".to_owned(), Duration::from_secs(60), Duration::ZERO, Arc::new(|_, _| {}));
                start.wait();
                cache.device_id().expect("it is made or read")
            })
        })
        .collect();
    let mut ids: Vec<_> = apps.into_iter().map(|app| app.join().expect("it ends")).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
}

/// Only the service may receive the license key.
#[test]
fn a_redirect_is_not_followed() {
    let given = Activation::read();
    let (asked, is_asked) = channel();
    let asked = Mutex::new(asked);
    let elsewhere = serve(move |_| lock(&asked).send(()).expect("somebody listens"));
    let url = serve(move |stream| {
        let response = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {elsewhere}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        stream.write_all(response.as_bytes()).expect("it is read");
    });
    assert_eq!(fault_of(&activated(&client(given.options(&url)), &given.key())), Some(FaultKind::Unreachable));
    assert!(is_asked.try_recv().is_err(), "the redirect was followed");
}

#[test]
fn a_body_that_never_ends_is_not_waited_for() {
    let given = Activation::read();
    let url = serve(|stream| {
        // Writes until the client closes the connection.
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let options = Options { timeout: Duration::from_millis(100), ..given.options(&url) };
    assert_eq!(fault_of(&activated(&client(options), &given.key())), Some(FaultKind::Timeout));
}

#[test]
fn a_large_body_is_not_the_services() {
    let given = Activation::read();
    let response = whole(&(" ".repeat(1_100_000) + &given.body()));
    // The client closes the connection before it has read the whole response.
    let url = serve(move |stream| drop(stream.write_all(response.as_bytes())));
    assert_eq!(fault_of(&activated(&client(given.options(&url)), &given.key())), Some(FaultKind::Malformed));
}

/// Faults are logged, and logs must not contain the license key.
#[test]
fn a_fault_holds_no_key() {
    let given = Activation::read();
    let storage = MemoryStorage::default();
    storage.set("app", &json!({ "v": 1, "key": given.key() }).to_string()).expect("memory doesn't fail");
    let state = client(Options { storage: Arc::new(storage), ..given.options("http://127.0.0.1:1") }).validate();
    assert_eq!(fault_of(&state), Some(FaultKind::Unreachable));
    assert!(!format!("{state:?}").contains(&given.key()), "{state:?}");
}

/// A network that reports each request and never responds.
struct Dead(Mutex<Sender<()>>);

impl Transport for Dead {
    fn send(&self, _: Request) -> Result<Response, Box<dyn std::error::Error + Send + Sync>> {
        lock(&self.0).send(())?;
        loop {
            thread::park();
        }
    }
}

/// A network that doesn't respond must not delay the end of an app.
#[test]
fn close_ends_a_request_under_way() {
    let given = Activation::read();
    let (asked, is_asked) = channel();
    let client = client(Options { transport: Arc::new(Dead(Mutex::new(asked))), ..given.options("https://licenses.example.com") });
    let (other, key) = (client.clone(), given.key());
    let activation = thread::spawn(move || activated(&other, &key));
    is_asked.recv().expect("the service is asked");
    client.close();
    assert_eq!(fault_of(&activation.join().expect("it ends")), Some(FaultKind::Closed));

    // A request after `close` could take a seat without the client's knowledge.
    assert_eq!(fault_of(&activated(&client, &given.key())), Some(FaultKind::Closed));
    assert!(is_asked.recv_timeout(Duration::from_millis(500)).is_err());
}

/// A service that nobody answers in the browser: it asks the client to wait for an hour.
struct Undecided;

impl Transport for Undecided {
    fn send(&self, request: Request) -> Result<Response, Box<dyn std::error::Error + Send + Sync>> {
        assert!(request.url.ends_with("/activation-requests"), "the client asks before the pause has ended");
        let body = json!({ "request": "secret", "user_code": "7KQ2-9MXB", "url": "https://licenses.example.com/portal", "interval": 3600 });
        Ok(Response { status: 201, headers: Vec::new(), body: body.to_string().into_bytes() })
    }
}

/// When the user closes the dialog, or the app ends, nothing may wait for the browser.
#[test]
fn a_sign_in_ends_when_the_app_cancels_it_or_closes_the_client() {
    let client = client(Options { transport: Arc::new(Undecided), ..Activation::read().options("https://licenses.example.com") });
    let begin = || client.activate_in_browser(&Labels::default()).expect("the labels can be sent");
    let wait = |sign_in: &crate::SignIn| {
        let sign_in = sign_in.clone();
        thread::spawn(move || sign_in.wait())
    };
    let (first, second) = (begin(), begin());
    let (ends_first, ends_second) = (wait(&first), wait(&second));
    assert_eq!((first.code(), first.url()), (Some("7KQ2-9MXB"), Some("https://licenses.example.com/portal")));
    first.cancel();
    assert_eq!(fault_of(&ends_first.join().expect("it ends")), Some(FaultKind::Closed));
    client.close();
    assert_eq!(fault_of(&ends_second.join().expect("it ends")), Some(FaultKind::Closed));
    assert_eq!(client.state(), None, "the end of a dialog is no news about the license");
    let late = begin();
    assert_eq!((late.code(), fault_of(&late.wait())), (None, Some(FaultKind::Closed)));
}

/// A service that counts amounts by their id. Of every three requests, one is lost on the way, and the response to another one.
#[derive(Default)]
struct Counting {
    requests: Mutex<usize>,
    counted: Mutex<std::collections::BTreeMap<String, usize>>,
}

impl Transport for Counting {
    fn send(&self, request: Request) -> Result<Response, Box<dyn std::error::Error + Send + Sync>> {
        let mut requests = lock(&self.requests);
        *requests += 1;
        let place = *requests;
        drop(requests);
        if !request.url.ends_with("/consume") || place % 3 == 0 {
            return Err("the request is lost".into());
        }
        let body: Value = serde_json::from_str(&request.body.unwrap_or_default())?;
        let mut counted = lock(&self.counted);
        let responses = counted.entry(text(&body["id"])).or_default();
        if place % 3 == 1 {
            return Err("the response is lost".into());
        }
        *responses += 1;
        let body = json!({ "meter": "exports", "used": 1, "included": 100, "remaining": 99, "period": "none", "resets_at": null });
        Ok(Response { status: 200, headers: Vec::new(), body: body.to_string().into_bytes() })
    }
}

/// The vendor bills these amounts, so none may be lost, and nothing is sent when none waits.
#[test]
fn amounts_of_several_threads_and_clients_arrive_over_a_bad_network() {
    let (given, folder, service) = (Activation::read(), Folder::new(), Arc::new(Counting::default()));
    std::fs::create_dir_all(folder.app()).expect("it is made");
    std::fs::write(folder.app().join("app.json"), json!({ "v": 1, "key": given.key() }).to_string()).expect("it is written");
    let options = given.options("https://licenses.example.com");
    let (begin, ahead) = ((options.now)(), Arc::new(Mutex::new(Duration::ZERO)));
    let clock = Arc::clone(&ahead);
    let options = Options {
        offline: Offline::Queue,
        storage: Arc::new(FileStorage::new(folder.app())),
        transport: service.clone(),
        now: Arc::new(move || begin + *lock(&clock)),
        ..options
    };
    let clients = [client(options.clone()), client(options)];
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let client = clients[thread % 2].clone();
            thread::spawn(move || {
                for number in 0..10 {
                    let consumed = client.consume("exports", 1, Some(&format!("amount-{thread}-{number}"))).expect("it is counted or stored");
                    assert!(matches!(consumed, Consumption::Consumed(_) | Consumption::Queued { .. }));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("it ends");
    }
    let mut rounds = 0;
    while !clients[0].pending().expect("it is read").amounts.is_empty() {
        rounds += 1;
        assert!(rounds < 100, "amounts wait for ever");
        *lock(&ahead) += Duration::from_secs(301);
        for client in &clients {
            client.check();
            client.idle();
        }
    }
    let sent = *lock(&service.requests);
    for client in &clients {
        client.check();
        client.idle();
    }
    let counted = lock(&service.counted);
    assert!(counted.len() == 40 && counted.values().all(|responses| *responses > 0), "{counted:?}");
    assert_eq!(*lock(&service.requests), sent + 4, "each check sends one validation, with two attempts");
}

/// While another process takes a seat or sends amounts, which may last as long as its network is slow, an app must be able to end.
#[test]
fn close_ends_a_wait_for_another_process() {
    let (given, folder) = (Activation::read(), Folder::new());
    let others = FileStorage::new(folder.app());
    let _locks = ["app.seat", "app.sending"].map(|name| others.lock(name).expect("it is free"));
    let waiting = Entry { amount: Amount { id: "amount-1".into(), meter: "exports".into(), amount: 1, at: 0 }, key: given.key(), license: None };
    let storage = Arc::new(FileStorage::new(folder.app()));
    let cache = Cache::new(storage.clone(), "app".to_owned(), Duration::from_secs(60), Duration::ZERO, Arc::new(|_, _| {}));
    assert_eq!(Queue::new(cache).add(waiting), Place::First);
    let client = client(Options { storage, offline: Offline::Queue, ..given.options("http://127.0.0.1:1") });
    client.check();
    let (ended, is_ended) = channel();
    let (other, key) = (client.clone(), given.key());
    thread::spawn(move || {
        let activation = thread::spawn({
            let (client, key) = (other.clone(), key);
            move || activated(&client, &key)
        });
        other.close();
        ended.send(fault_of(&activation.join().expect("it ends"))).expect("the test waits");
    });
    assert_eq!(is_ended.recv_timeout(Duration::from_secs(60)), Ok(Some(FaultKind::Closed)));
}

/// Simultaneous calls share one request; otherwise ten windows of one app would ask the service ten times.
#[test]
fn calls_at_the_same_time_share_one_run() {
    let (shared, runs) = (Arc::new(Shared::default()), Arc::new(Mutex::new(0)));
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let (shared, runs) = (Arc::clone(&shared), Arc::clone(&runs));
            thread::spawn(move || {
                shared.run(|| {
                    *lock(&runs) += 1;
                    for _ in 0..1000 {
                        if shared.callers() == 10 {
                            break;
                        }
                        thread::sleep(Duration::from_millis(10));
                    }
                    State::Expired
                })
            })
        })
        .collect();
    for call in calls {
        assert_eq!(call.join().expect("it ends"), State::Expired);
    }
    assert_eq!(*lock(&runs), 1);
}

/// If a listener calls the client, the app must not hang.
#[test]
fn a_listener_may_call_the_client() {
    let given = Activation::read();
    let response = whole(&given.body());
    let url = serve(move |stream| stream.write_all(response.as_bytes()).expect("it is read"));
    let client = client(given.options(&url));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (other, list) = (client.clone(), Arc::clone(&seen));
    let end = client.subscribe(move |state| {
        lock(&list).push(matches!(state, State::Licensed(_)));
        other.check();
        other.idle();
    });
    client.check();
    activated(&client, &given.key());
    end();
    client.forget().expect_err("the response to a deactivation is not from the service");
    // The states in order: unbound, licensed by the network, and licensed by the cache after the listener's own check.
    assert_eq!(*lock(&seen), [false, true, true]);
}

/// An app that closes its client when its license is revoked must not hang.
#[test]
fn a_listener_may_close_the_client_from_the_background() {
    let given = Activation::read();
    let responses = Mutex::new(vec![whole(r#"{"valid": false, "status": "revoked"}"#), whole(&given.body())]);
    let url = serve(move |stream| {
        let response = lock(&responses).pop().expect("no more than two requests");
        stream.write_all(response.as_bytes()).expect("it is read");
    });
    let options = given.options(&url);
    let (begin, ahead) = ((options.now)(), Arc::new(Mutex::new(Duration::ZERO)));
    let clock = Arc::clone(&ahead);
    let client = client(Options { now: Arc::new(move || begin + *lock(&clock)), ..options });
    activated(&client, &given.key());
    let (ended, is_ended) = channel();
    let (other, ended) = (client.clone(), Mutex::new(ended));
    let _end = client.subscribe(move |state| {
        if !matches!(state, State::Licensed(_)) {
            other.close();
            lock(&ended).send(state.clone()).expect("the test waits");
        }
    });
    // After half of the token's lifetime the client refreshes it in the background.
    *lock(&ahead) = Duration::from_secs(5 * 86_400);
    client.check();
    assert_eq!(is_ended.recv_timeout(Duration::from_secs(60)), Ok(State::Revoked));
}

/// The clients in all languages read the same numbers. This crate achieves this without features of `serde_json` that would change the
/// results of `serde_json` in the whole app.
#[test]
fn numbers_that_no_double_holds_are_none() {
    let object = crate::json::parse_object(br#"{"huge": 1e999, "list": [-1e999, "1e999", "\"1e999"], "one": 1.0, "exact": 0.1}"#).expect("it is JSON");
    let number = |name: &str| crate::json::number(object.get(name));
    assert_eq!((number("huge"), number("one"), number("exact")), (None, Some(1.0), Some(0.1)));
    assert_eq!(object["list"], json!([{}, "1e999", "\"1e999"]));
    for bad in ["{\"a\": 01e999}", "{\"a\": 1.e999}", "{\"a\": +1e999}", "{\"a\": 1e}"] {
        assert!(crate::json::parse_object(bad.as_bytes()).is_none(), "{bad}");
    }
}

#[test]
fn the_state_changes_by_itself_when_the_token_ends() {
    let given = Activation::read();
    let responses = Mutex::new(vec![whole(r#"{"valid": false, "status": "revoked"}"#), whole(&given.body())]);
    let url = serve(move |stream| {
        let response = lock(&responses).pop().expect("no more than two requests");
        stream.write_all(response.as_bytes()).expect("it is read");
    });
    let options = given.options(&url);
    let (begin, ahead) = ((options.now)(), Arc::new(Mutex::new(Duration::ZERO)));
    let (clock, tasks) = (Arc::clone(&ahead), Arc::new(Mutex::new(Vec::new())));
    let scheduled = Arc::clone(&tasks);
    let client = client(Options {
        now: Arc::new(move || begin + *lock(&clock)),
        schedule: Arc::new(move |task, _| {
            lock(&scheduled).push(task);
            Box::new(|| {})
        }),
        ..options
    });
    activated(&client, &given.key());
    *lock(&ahead) = Duration::from_secs(8 * 86_400);
    let task = lock(&tasks).pop().expect("a timer is set");
    task();
    client.idle();
    assert_eq!(client.state(), Some(State::Revoked));
}

#[test]
fn a_fingerprint_that_hangs_is_a_fault() {
    let given = Activation::read();
    let storage = MemoryStorage::default();
    storage.set("app", r#"{"v": 1, "device": "machine"}"#).expect("memory doesn't fail");
    let (_end, ended) = channel::<()>();
    let ended = Mutex::new(ended);
    let options = Options {
        storage: Arc::new(storage),
        timeout: Duration::from_millis(20),
        fingerprint: Some(Arc::new(move || {
            // Blocks until the test has ended.
            let _ = lock(&ended).recv();
            Ok(None)
        })),
        ..given.options("http://127.0.0.1:1")
    };
    assert_eq!(fault_of(&client(options).check()), Some(FaultKind::Device));
}

#[test]
fn options_that_can_not_work_are_refused() {
    let given = Activation::read();
    let weak = json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "x": "A".repeat(43) }] }).to_string();
    let good = || given.options("https://licenses.example.com");
    let bad = [
        ("base_url", Options { base_url: "licenses.example.com".into(), ..good() }),
        ("base_url", Options { base_url: "https://user@licenses.example.com".into(), ..good() }),
        ("product_id", Options { product_id: 0, ..good() }),
        ("api_key", Options { api_key: String::new(), ..good() }),
        ("audience", Options { audience: Some(" ".into()), ..good() }),
        ("storage_name", Options { storage_name: Some("a/b".into()), ..good() }),
        ("grace", Options { grace: Duration::MAX, ..good() }),
        ("timeout", Options { timeout: Duration::ZERO, ..good() }),
        ("retry_delay", Options { retry_delay: Duration::MAX, ..good() }),
        ("release", Options { release: Release { version: Some("1".repeat(201)), ..Release::default() }, ..good() }),
        ("release", Options { release: Release { version: Some("1.0\0".to_owned()), ..Release::default() }, ..good() }),
        ("public_keys", Options { public_keys: vec![], ..good() }),
        ("public_keys", Options { public_keys: vec!["no key".into()], ..good() }),
        ("public_keys", Options { public_keys: vec![weak], ..good() }),
    ];
    for (option, options) in bad {
        let message = Client::new(options).err().map(|invalid| invalid.to_string());
        assert_eq!(message, Some(format!("the option {option} is not valid")));
    }
}
