//! Runs tasks in threads: tasks with a time limit, tasks whose result several callers share, and background tasks for which a caller can
//! wait.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::options::Schedule;
use crate::state::State;

/// Locks a mutex, even if a thread has panicked while it held the lock. This is safe, because the guarded values are replaced completely
/// and never left half-changed.
pub(crate) fn lock<Value: ?Sized>(mutex: &Mutex<Value>) -> MutexGuard<'_, Value> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The reason why a wait ended without a result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoOutcome {
    Late,
    /// Another thread has ended the wait.
    Ended,
}

/// Waits for tasks, each of which runs in a separate thread. A wait ends when its task has a result, when its time limit has passed, or
/// when [`end`](Self::end) is called.
#[derive(Clone, Default)]
pub(crate) struct Waiting(Arc<Gate>);

#[derive(Default)]
struct Gate {
    is_ended: Mutex<bool>,
    changed: Condvar,
}

impl Waiting {
    /// Ends all current waits. Later waits end at once.
    pub(crate) fn end(&self) {
        *lock(&self.0.is_ended) = true;
        self.0.changed.notify_all();
    }

    pub(crate) fn is_ended(&self) -> bool {
        *lock(&self.0.is_ended)
    }

    /// Whether both are the same.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Waits for a timer. Returns false if the wait was ended before.
    pub(crate) fn timer(&self, schedule: &Schedule, time: Duration) -> bool {
        if self.is_ended() {
            return false;
        }
        let is_over = Arc::new(Mutex::new(None));
        let (gate, place) = (Arc::clone(&self.0), Arc::clone(&is_over));
        let stop = schedule(Box::new(move || gate.hand_over((), &place)), time);
        let outcome = self.wait(None, || lock(&is_over).take());
        stop();
        outcome.is_ok()
    }

    /// Returns after the given time, or earlier if all waits are ended.
    pub(crate) fn pause(&self, time: Duration) {
        // The caller continues in either case.
        let _ = self.wait(Some(time), || None::<()>);
    }

    /// The result of a task. The task isn't started if all waits are ended.
    pub(crate) fn within<Value: Send + 'static>(&self, limit: Duration, task: impl FnOnce() -> Value + Send + 'static) -> Result<Value, NoOutcome> {
        if self.is_ended() {
            return Err(NoOutcome::Ended);
        }
        let outcome = Arc::new(Mutex::new(None));
        let (gate, place) = (Arc::clone(&self.0), Arc::clone(&outcome));
        thread::spawn(move || gate.hand_over(task(), &place));
        self.wait(Some(limit), || lock(&outcome).take())
    }

    fn wait<Value>(&self, limit: Option<Duration>, look: impl Fn() -> Option<Value>) -> Result<Value, NoOutcome> {
        let deadline = limit.map(|limit| Instant::now() + limit);
        let mut is_ended = lock(&self.0.is_ended);
        loop {
            if let Some(value) = look() {
                return Ok(value);
            }
            if *is_ended {
                return Err(NoOutcome::Ended);
            }
            is_ended = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                None => self.0.changed.wait(is_ended).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => return Err(NoOutcome::Late),
                Some(left) => self.0.changed.wait_timeout(is_ended, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }
}

impl Gate {
    /// Passes a result to the thread that waits for it.
    fn hand_over<Value>(&self, value: Value, place: &Mutex<Option<Value>>) {
        *lock(place) = Some(value);
        // The lock is taken briefly before the notification. Otherwise a thread that has looked for the result, but doesn't wait yet, would
        // miss the notification.
        drop(lock(&self.is_ended));
        self.changed.notify_all();
    }
}

/// Runs a task, but never twice at the same time. A call during a run waits for the result of that run. After `forget`, the next call
/// starts a new run.
#[derive(Default)]
pub(crate) struct Shared(Mutex<Option<Arc<Run>>>);

#[derive(Default)]
struct Run {
    state: Mutex<Option<State>>,
    done: Condvar,
}

impl Shared {
    pub(crate) fn forget(&self) {
        *lock(&self.0) = None;
    }

    /// How many callers share the current run.
    #[cfg(test)]
    pub(crate) fn callers(&self) -> usize {
        lock(&self.0).as_ref().map_or(0, |run| Arc::strong_count(run) - 1)
    }

    pub(crate) fn run(&self, task: impl FnOnce() -> State) -> State {
        let mut current = lock(&self.0);
        if let Some(run) = current.clone() {
            drop(current);
            let mut state = lock(&run.state);
            loop {
                match &*state {
                    Some(state) => return state.clone(),
                    None => state = run.done.wait(state).unwrap_or_else(PoisonError::into_inner),
                }
            }
        }
        let own = Arc::new(Run::default());
        *current = Some(Arc::clone(&own));
        drop(current);

        let state = task();
        *lock(&own.state) = Some(state.clone());
        own.done.notify_all();
        let mut current = lock(&self.0);
        if current.as_ref().is_some_and(|run| Arc::ptr_eq(run, &own)) {
            *current = None;
        }
        state
    }
}

type Task = Box<dyn FnOnce() + Send>;

/// Runs tasks one after the other, in a thread that ends when no task is left.
#[derive(Clone, Default)]
pub(crate) struct Background(Arc<Queue>);

#[derive(Default)]
struct Queue {
    /// None: nothing runs.
    tasks: Mutex<Option<VecDeque<Task>>>,
    rest: Condvar,
}

impl Background {
    pub(crate) fn submit(&self, task: impl FnOnce() + Send + 'static) {
        let mut tasks = lock(&self.0.tasks);
        if let Some(waiting) = &mut *tasks {
            waiting.push_back(Box::new(task));
            return;
        }
        *tasks = Some(VecDeque::from([Box::new(task) as Task]));
        let queue = Arc::clone(&self.0);
        thread::spawn(move || queue.run());
    }

    /// Returns when no task is left.
    pub(crate) fn wait(&self) {
        let mut tasks = lock(&self.0.tasks);
        while tasks.is_some() {
            tasks = self.0.rest.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Queue {
    fn run(&self) {
        loop {
            let mut tasks = lock(&self.tasks);
            let Some(task) = tasks.as_mut().and_then(VecDeque::pop_front) else {
                *tasks = None;
                self.rest.notify_all();
                return;
            };
            drop(tasks);
            task();
        }
    }
}
