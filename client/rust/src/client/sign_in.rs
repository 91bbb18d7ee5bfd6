//! Activation by a sign-in in the browser, instead of a key (docs/client.md, "Sign in instead of a key").

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Client, Inner};
use crate::assessment::offline_state;
use crate::device::Device;
use crate::input::{check_labels, shown_labels, Labels};
use crate::service::{ActivationRequest, Decision, Operation};
use crate::state::{Fault, FaultKind, InvalidInput, State};
use crate::waiting::{lock, Waiting};

/// After this time a request that waits for an approval has ended in any case.
const REQUEST_LIFETIME: Duration = Duration::from_secs(600);
/// Minimum pause between two questions for the decision.
const MIN_POLL_PAUSE: Duration = Duration::from_secs(1);
/// By how much each fault lengthens the pause between two questions for the decision (RFC 8628, section 3.5).
const SLOW_DOWN: Duration = Duration::from_secs(5);

/// A sign-in that has begun ([`Client::activate_in_browser`]). Clones refer to the same sign-in, so another thread can
/// [`cancel`](Self::cancel) it.
#[derive(Clone)]
pub struct SignIn(Arc<Begun>);

struct Begun {
    client: Arc<Inner>,
    /// The state of this device if no request could be created.
    request: Result<(ActivationRequest, Device), Box<State>>,
    waiting: Waiting,
}

impl fmt::Debug for SignIn {
    /// Shows the code, and not the secret of the request.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SignIn").field("code", &self.code()).finish_non_exhaustive()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        lock(&self.client.held).sign_ins.retain(|waiting| !waiting.is(&self.waiting));
    }
}

impl SignIn {
    /// The code that the app shows until [`wait`](Self::wait) returns. The user compares it with the code in the browser. None if no request
    /// could be created; `wait` then returns the reason at once.
    pub fn code(&self) -> Option<&str> {
        self.0.request.as_ref().ok().map(|(request, _)| request.user_code.as_str())
    }

    /// The address that the app opens in the user's browser; None if there is no code. It begins with `http://` or `https://`, in any case.
    pub fn url(&self) -> Option<&str> {
        self.0.request.as_ref().ok().map(|(request, _)| request.url.as_str())
    }

    /// Waits for the user's decision in the browser, at most ten minutes. Returns a state as [`Client::activate`] does, or
    /// [`State::Denied`] or [`State::RequestExpired`]. After [`cancel`](Self::cancel) or the end of the client, the fault is
    /// [`FaultKind::Closed`].
    pub fn wait(&self) -> State {
        let Begun { client, request, waiting } = &*self.0;
        let state = match request {
            Ok((request, device)) => client.conclude_sign_in(client.decision(request, &device.id, waiting), device),
            Err(state) => State::clone(state),
        };
        client.notify();
        state
    }

    /// Ends [`wait`](Self::wait), for example when the user closes the dialog.
    pub fn cancel(&self) {
        self.0.waiting.end();
    }
}

impl Client {
    /// Activates this device without a typed key: the user signs in to the vendor's portal in the browser, compares the code, and chooses a
    /// license. This call sends the request. The app then shows the result's code, opens its address, and calls [`SignIn::wait`]. A new call
    /// ends the request of an earlier one. Characters that change the direction of text are removed from the labels, which are cut to 200
    /// characters.
    ///
    /// # Errors
    /// A label can't be sent, so nothing was sent.
    pub fn activate_in_browser(&self, labels: &Labels) -> Result<SignIn, InvalidInput> {
        let labels = shown_labels(labels);
        check_labels(&labels)?;
        let waiting = Waiting::default();
        let request = self.0.request_activation(&labels);
        let mut held = lock(&self.0.held);
        held.sign_ins.push(waiting.clone());
        if held.is_closed {
            waiting.end();
        }
        drop(held);
        self.0.notify();
        Ok(SignIn(Arc::new(Begun { client: Arc::clone(&self.0), request, waiting })))
    }
}

impl Inner {
    fn request_activation(self: &Arc<Self>, labels: &Labels) -> Result<(ActivationRequest, Device), Box<State>> {
        let mut held = lock(&self.held);
        let before = self.assess_held(&mut held);
        let device = match &before.device {
            Ok(device) => device.clone(),
            Err(fault) => return Err(Box::new(self.conclude_fault(&mut held, Some(fault.clone()), &before))),
        };
        drop(held);
        let released_at = self.released_at();
        let own = [("fingerprint", Some(device.id.as_str())), ("name", labels.name.as_deref()), ("platform", labels.platform.as_deref())];
        match self.service.request_activation(&[&own[..], &self.release_fields(released_at.as_deref())].concat()) {
            Ok(request) => Ok((request, device)),
            Err(fault) => Err(Box::new(self.conclude_sign_in(Err(fault), &device))),
        }
    }

    /// Asks for the decision about a request until there is one, or until the pauses have lasted as long as the request. The pauses are
    /// counted, because the clock may be set meanwhile.
    fn decision(&self, asked: &ActivationRequest, fingerprint: &str, waiting: &Waiting) -> Result<Decision, Fault> {
        let (mut interval, mut slower, mut retry_after, mut left) = (asked.interval, Duration::ZERO, Duration::ZERO, REQUEST_LIFETIME);
        while !left.is_zero() {
            let pause = interval.saturating_add(slower).max(retry_after).max(MIN_POLL_PAUSE).min(left);
            if !waiting.timer(&self.schedule, pause) {
                return Err(Fault::new(FaultKind::Closed, "the client was closed, or the app has ended the call"));
            }
            left -= pause;
            match self.service.poll(&asked.request, fingerprint, waiting) {
                Ok(Decision::Pending { interval: next }) => (interval, retry_after) = (next, Duration::ZERO),
                Err(fault) if !matches!(fault.kind, FaultKind::Rejected | FaultKind::Closed) => {
                    slower += SLOW_DOWN;
                    retry_after = fault.retry_after.unwrap_or_default();
                }
                decision => return decision,
            }
        }
        Ok(Decision::Expired)
    }

    fn conclude_sign_in(self: &Arc<Self>, decision: Result<Decision, Fault>, device: &Device) -> State {
        let _changing = self.changing_seats();
        let before = self.assess();
        let state = match decision {
            Ok(Decision::Reply(reply)) => {
                let concluded = self.conclude_seat(Operation::Poll, None, device.clone(), Ok(reply), None, &before);
                return concluded.unwrap_or_else(|| self.overtaken());
            }
            Ok(Decision::Denied) => State::Denied,
            // A decision is never `Pending`.
            Ok(Decision::Expired | Decision::Pending { .. }) => State::RequestExpired,
            Err(fault) if fault.kind == FaultKind::Closed => return offline_state(&before, Some(fault)),
            Err(fault) => offline_state(&before, Some(fault)),
        };
        self.publish_unless_licensed(&mut lock(&self.held), state, &before)
    }
}
