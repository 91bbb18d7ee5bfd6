package licensekey

import (
	"context"
	"errors"
	"sync"
	"time"
)

var errLate = errors.New("it took too long")

// await runs a task and returns its result. If the context ends before the task, the task continues, and the error of
// await is the reason why the context ended. If the context has already ended, the task isn't started.
func await[Value any](ctx context.Context, task func() (Value, error)) (Value, error) {
	type outcome struct {
		value Value
		err   error
	}
	var none Value
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	// The channel has space for one result, so that the task can end even if no caller waits any more.
	outcomes := make(chan outcome, 1)
	go func() {
		value, err := task()
		outcomes <- outcome{value, err}
	}()
	select {
	case found := <-outcomes:
		return found.value, found.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// within runs a task and returns its result, or errLate if the task takes longer than the limit.
func within[Value any](limit time.Duration, task func() (Value, error)) (Value, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, errLate)
	defer cancel()
	return await(ctx, task)
}

// shared runs a task for several callers. A call during a run waits for this run and returns its result. After forget,
// the next call starts a new run, even if the previous run has not ended.
type shared struct {
	task    func() State
	lock    sync.Mutex
	current *run
}

type run struct {
	done  chan struct{}
	state State
}

func (shared *shared) forget() {
	shared.lock.Lock()
	defer shared.lock.Unlock()
	shared.current = nil
}

func (shared *shared) run() State {
	shared.lock.Lock()
	if current := shared.current; current != nil {
		shared.lock.Unlock()
		<-current.done
		return current.state
	}
	own := &run{done: make(chan struct{})}
	shared.current = own
	shared.lock.Unlock()

	own.state = shared.task()
	close(own.done)
	shared.lock.Lock()
	defer shared.lock.Unlock()
	if shared.current == own {
		shared.current = nil
	}
	return own.state
}

// background runs tasks one after the other, in a goroutine that ends when no task is left.
type background struct {
	lock  sync.Mutex
	tasks []func()
	// rest is closed when no task is left; nil if there is no task now.
	rest chan struct{}
}

func (background *background) submit(task func()) {
	background.lock.Lock()
	defer background.lock.Unlock()
	background.tasks = append(background.tasks, task)
	if background.rest == nil {
		background.rest = make(chan struct{})
		go background.run()
	}
}

// wait returns when no task is left.
func (background *background) wait() {
	background.lock.Lock()
	rest := background.rest
	background.lock.Unlock()
	if rest != nil {
		<-rest
	}
}

func (background *background) run() {
	for {
		background.lock.Lock()
		if len(background.tasks) == 0 {
			close(background.rest)
			background.rest = nil
			background.lock.Unlock()
			return
		}
		task := background.tasks[0]
		background.tasks = background.tasks[1:]
		background.lock.Unlock()
		task()
	}
}
