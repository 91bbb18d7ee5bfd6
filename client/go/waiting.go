package licensekey

import (
	"errors"
	"sync"
	"time"
)

var errLate = errors.New("it took too long")

// within gives the outcome of a task, or errLate if it has none in time.
func within[Value any](limit time.Duration, task func() (Value, error)) (Value, error) {
	type outcome struct {
		value Value
		err   error
	}
	// Room for an outcome that nobody waits for any more.
	outcomes := make(chan outcome, 1)
	go func() {
		value, err := task()
		outcomes <- outcome{value, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case found := <-outcomes:
		return found.value, found.err
	case <-timer.C:
		var none Value
		return none, errLate
	}
}

// shared runs a task once at a time: callers meanwhile share the run, unless it is to forget it.
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

// background runs tasks one after the other, in a goroutine that lives as long as there are any.
type background struct {
	lock  sync.Mutex
	tasks []func()
	// rest is closed when there is nothing left to do; nil if there is nothing now.
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

// wait returns when there is nothing left to do.
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
