package licensekey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The tests use real files, sockets, goroutines and processes, which the vectors can't cover.

// ctx is the context of calls that are never cancelled.
var ctx = context.Background()

const (
	testKey = "9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z"
	// makeIDIn is the name of an environment variable. If the variable contains a folder, the test program only creates
	// a random id in this folder.
	makeIDIn = "LICENSEKEY_TEST_FOLDER"
)

func TestMain(m *testing.M) {
	folder := os.Getenv(makeIDIn)
	if folder == "" {
		os.Exit(m.Run())
	}
	cache := &cache{storage: FileStorage(folder), name: "app", timeout: time.Minute, warn: func(string, error) {}}
	id, err := cache.device()
	if err != nil {
		panic(err)
	}
	fmt.Print(id)
}

// activation is the test case "activate: takes a seat" of the vectors.
type activation struct {
	settings    behaviourSettings
	now         time.Time
	fingerprint string
	body        []byte
}

func readActivation(t *testing.T) activation {
	var content struct {
		Settings behaviourSettings
		Cases    []behaviourCase
	}
	readVectors(t, "behaviour", &content)
	for _, given := range content.Cases {
		if given.Name == "activate: takes a seat" {
			step := given.Steps[0]
			var response scriptedResponse
			decode(t, step.Responses[0], &response)
			return activation{content.Settings, time.Unix(int64(step.Now), 0), rawText(step.Fingerprint), response.Body}
		}
	}
	t.Fatal("there is no such case")
	return activation{}
}

func (activation activation) options(baseURL string) Options {
	return Options{
		BaseURL:     baseURL,
		ProductID:   activation.settings.ProductID,
		APIKey:      activation.settings.APIKey,
		PublicKeys:  []string{activation.settings.PublicKey},
		Audience:    activation.settings.Audience,
		Fingerprint: func() (string, error) { return activation.fingerprint, nil },
		StorageName: "app",
		RetryDelay:  -1,
		Timeout:     time.Minute,
		Now:         func() time.Time { return activation.now },
		OnWarning:   func(string, error) {},
	}
}

func newClient(t *testing.T, options Options) *Client {
	t.Helper()
	client, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(ctx) })
	return client
}

// now returns the state that a call returned. The call can't return an error, because ctx is never cancelled.
func now(state State, err error) State {
	if err != nil {
		panic(err)
	}
	return state
}

func activated(t *testing.T, client *Client) State {
	t.Helper()
	state, err := client.Activate(ctx, testKey, Labels{})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// serve starts a test server that responds instead of the service.
func serve(t *testing.T, handler http.HandlerFunc) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestTwoClientsInOneFolderShareTheLicense(t *testing.T) {
	given := readActivation(t)
	options := given.options(serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(given.body) }))
	options.Storage = FileStorage(filepath.Join(t.TempDir(), "app"))
	first, second := newClient(t, options), newClient(t, options)
	if state := now(second.Check(ctx)); state.Status != Unbound {
		t.Error(state)
	}
	if state := activated(t, first); state.Status != Licensed || state.Source != FromNetwork {
		t.Error(state)
	}
	if state := now(second.Check(ctx)); state.Status != Licensed || state.Source != FromCache || !second.Has("export") {
		t.Error(state)
	}
}

func TestFilesAreForTheirOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	folder := filepath.Join(t.TempDir(), "app")
	storage := FileStorage(folder)
	if err := storage.Set("a", "ü"); err != nil {
		t.Fatal(err)
	}
	if err := storage.Set("b", ""); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 2 {
		t.Errorf("%v, error %v", files, err)
	}
	for path, mode := range map[string]os.FileMode{"": 0o700, "a.json": 0o600, "b.json": 0o600} {
		if info, err := os.Stat(filepath.Join(folder, path)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%q: %v, error %v", path, info.Mode(), err)
		}
	}
	for range 2 {
		if err := storage.Remove("a"); err != nil {
			t.Error(err)
		}
	}
}

func TestBytesThatAreNotUTF8DamageOneFieldOnly(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "app.json"), []byte("{\"v\":1,\"key\":\"KEY\",\"type_name\":\"\xe9\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	cache := &cache{storage: FileStorage(folder), name: "app", timeout: time.Minute, warn: func(string, error) {}}
	if held, _ := cache.load(); held.Key != "KEY" {
		t.Error(held)
	}
}

func TestAnItemIsRemovedTogetherWithItsDrafts(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "app")
	storage := FileStorage(folder)
	if err := storage.Remove("a"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"a", "a.device"} {
		if err := storage.Set(name, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "a.json.0123456789ab.tmp"), []byte("a license key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := storage.Remove("a"); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 || files[0].Name() != "a.device.json" {
		t.Error(files, err)
	}
}

func TestALockIsTakenByOneAtATimeAndGivenUpWhenItsOwnerHasEnded(t *testing.T) {
	folder := t.TempDir()
	storage := FileStorage(folder)
	var all sync.WaitGroup
	// The counter is atomic, because the race detector doesn't know that the file lock protects the counter.
	var entered atomic.Int32
	enter := func() {
		unlock, err := storage.Lock("a")
		if err != nil {
			t.Error(err)
			return
		}
		defer unlock()
		if entered.Add(1) != 1 {
			t.Error("two have the lock")
		}
		runtime.Gosched()
		entered.Add(-1)
	}
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			enter()
		}()
	}
	all.Wait()
	// An empty file was created by a process that crashed before it wrote the content.
	for _, owner := range []string{"a process that has crashed", ""} {
		if err := os.WriteFile(filepath.Join(folder, "a.lock"), []byte(owner), 0o600); err != nil {
			t.Fatal(err)
		}
		enter()
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
		t.Error(files, err)
	}
}

func TestAFileThatCanNotBeReadIsNotTakenForNone(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "a.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := FileStorage(folder).Get("a"); err == nil {
		t.Error("a folder was read as a text")
	}
}

func TestProcessesThatStartAtOnceShareOneRandomID(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "app")
	var lock sync.Mutex
	var all sync.WaitGroup
	ids := map[string]bool{}
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			command := exec.Command(os.Args[0])
			command.Env = append(os.Environ(), makeIDIn+"="+folder)
			output, err := command.Output()
			if err != nil {
				t.Error(err)
			}
			lock.Lock()
			defer lock.Unlock()
			ids[string(output)] = true
		}()
	}
	all.Wait()
	if len(ids) != 1 {
		t.Error(ids)
	}
}

// Only the service may receive the license key.
func TestARedirectIsNotFollowed(t *testing.T) {
	given := readActivation(t)
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, location := range []string{elsewhere, "mailto:a@example.com", ""} {
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if location != "" {
					w.Header().Set("Location", location)
				}
				w.WriteHeader(status)
				_, _ = w.Write(given.body)
			})
			if state := activated(t, newClient(t, given.options(url))); state.Fault == nil || state.Fault.Kind != Unreachable {
				t.Error(status, location, state)
			}
		}
	}
}

func TestALicenseIsStoredEvenIfNobodyReleasesTheLock(t *testing.T) {
	for name, leave := range map[string]func(lock string) error{
		"a crashed process": func(lock string) error { return os.WriteFile(lock, []byte("a process that has crashed"), 0o600) },
		"not readable":      func(lock string) error { return os.WriteFile(lock, []byte("a process of another user"), 0) },
		"a folder":          func(lock string) error { return os.MkdirAll(filepath.Join(lock, "of something else"), 0o700) },
		"a link to nothing": func(lock string) error { return os.Symlink(filepath.Join(filepath.Dir(lock), "nothing"), lock) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := leave(filepath.Join(folder, "app.lock")); err != nil {
				t.Fatal(err)
			}
			cache := &cache{storage: FileStorage(folder), name: "app", timeout: time.Minute, warn: func(string, error) {}}
			cache.change(func(record) (record, bool) { return record{Key: "KEY"}, true })
			if text, err := os.ReadFile(filepath.Join(folder, "app.json")); err != nil || !strings.Contains(string(text), "KEY") {
				t.Error(string(text), err)
			}
		})
	}
}

func TestALockThatNobodyReleasesDoesNotDelayTheStart(t *testing.T) {
	given := readActivation(t)
	folder := t.TempDir()
	options := given.options("https://licenses.example.com")
	options.Storage, options.StorageName, options.Timeout = FileStorage(folder), "app", time.Minute
	var content struct{ Cases []behaviourCase }
	readVectors(t, "behaviour", &content)
	for _, vector := range content.Cases {
		if vector.Name == "check: a cached token is accepted with no request" {
			if err := os.WriteFile(filepath.Join(folder, "app.json"), vector.Stored.Record, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	lock := filepath.Join(folder, "app.lock")
	if err := os.WriteFile(lock, []byte("a process that has crashed"), 0o600); err != nil {
		t.Fatal(err)
	}
	client := newClient(t, options)
	if state := now(client.Check(ctx)); state.Status != Licensed {
		t.Error(state)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error("the check waited for the lock", err)
	}
	if err := client.Idle(ctx); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "app.json"))
	if seen := fmt.Sprintf(`"seen":%d`, given.now.UnixMilli()); err != nil || !strings.Contains(string(text), seen) {
		t.Error(string(text), err)
	}
}

func TestABodyThatNeverEndsIsNotWaitedFor(t *testing.T) {
	given := readActivation(t)
	options := given.options(serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	options.Timeout = 50 * time.Millisecond
	if state := activated(t, newClient(t, options)); state.Fault == nil || state.Fault.Kind != TimedOut {
		t.Error(state)
	}
}

func TestALargeBodyIsNotTheServices(t *testing.T) {
	given := readActivation(t)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat(" ", 1_100_000) + string(given.body)))
	})
	if state := activated(t, newClient(t, given.options(url))); state.Fault == nil || state.Fault.Kind != Malformed {
		t.Error(state)
	}
}

// Faults are logged, and logs must not contain the license key.
func TestAFaultHoldsNoKey(t *testing.T) {
	given := readActivation(t)
	options := given.options("http://127.0.0.1:1")
	options.Storage = &MemoryStorage{}
	if err := options.Storage.Set("app", fmt.Sprintf(`{"v": 1, "key": %q}`, testKey)); err != nil {
		t.Fatal(err)
	}
	state := now(newClient(t, options).Validate(ctx))
	if state.Fault == nil || state.Fault.Kind != Unreachable || strings.Contains(state.Fault.Error(), testKey) {
		t.Error(state.Fault)
	}
}

// A network that doesn't respond must not delay the end of an app.
func TestCloseEndsARequestUnderWay(t *testing.T) {
	given := readActivation(t)
	isAsked := make(chan struct{}, 2)
	client := newClient(t, given.options(serve(t, func(_ http.ResponseWriter, r *http.Request) {
		// The server only notices a closed connection after it has read everything that the client sent.
		_, _ = io.Copy(io.Discard, r.Body)
		isAsked <- struct{}{}
		<-r.Context().Done()
	})))
	states := make(chan State)
	go func() {
		state, _ := client.Activate(ctx, testKey, Labels{})
		states <- state
	}()
	<-isAsked
	_ = client.Close(ctx)
	if state := <-states; state.Fault == nil || state.Fault.Kind != Closed {
		t.Error(state)
	}
}

// If a user closes a dialog during an activation, the app must not lose the seat that was just taken.
func TestACallThatIsGivenUpContinues(t *testing.T) {
	given := readActivation(t)
	isAsked, mayRespond := make(chan struct{}), make(chan struct{})
	client := newClient(t, given.options(serve(t, func(w http.ResponseWriter, _ *http.Request) {
		close(isAsked)
		<-mayRespond
		_, _ = w.Write(given.body)
	})))
	states := make(chan State, 1)
	client.Subscribe(func(state State) { states <- state })
	dialog, closeDialog := context.WithCancel(ctx)
	go func() {
		<-isAsked
		closeDialog()
	}()
	if _, err := client.Activate(dialog, testKey, Labels{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// A call whose context has already ended starts nothing.
	if _, err := client.Activate(dialog, testKey, Labels{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(mayRespond)
	if state := <-states; state.Status != Licensed {
		t.Error(state)
	}
}

// Simultaneous calls share one request; otherwise ten windows of one app would ask the service ten times.
func TestCallsAtTheSameTimeShareOneRequest(t *testing.T) {
	given := readActivation(t)
	var lock sync.Mutex
	validations := 0
	isWaiting := make(chan struct{})
	client := newClient(t, given.options(serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			lock.Lock()
			validations++
			lock.Unlock()
			<-isWaiting
		}
		_, _ = w.Write(given.body)
	})))
	activated(t, client)
	var all sync.WaitGroup
	for range 10 {
		all.Add(1)
		go func() {
			defer all.Done()
			if state := now(client.Validate(ctx)); state.Source != FromNetwork {
				t.Error(state)
			}
		}()
	}
	// All ten calls are inside `run`: nine of them wait for the one that asks the service.
	for strings.Count(stacks(), "(*shared).run(") < 10 {
		runtime.Gosched()
	}
	close(isWaiting)
	all.Wait()
	if validations != 1 {
		t.Errorf("%d requests", validations)
	}
}

func stacks() string {
	buffer := make([]byte, 1<<20)
	return string(buffer[:runtime.Stack(buffer, true)])
}

// If a window calls the client within its listener, the app must not hang.
func TestAListenerMayCallTheClient(t *testing.T) {
	given := readActivation(t)
	client := newClient(t, given.options(serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(given.body) })))
	var seen []Status
	end := client.Subscribe(func(state State) {
		seen = append(seen, state.Status)
		now(client.Check(ctx))
		_ = client.Idle(ctx)
	})
	now(client.Check(ctx))
	activated(t, client)
	end()
	if _, err := client.Forget(ctx); err == nil {
		t.Error("Forget accepted a response that is not valid for a deactivation")
	}
	if fmt.Sprint(seen) != "[unbound licensed licensed]" {
		t.Error(seen)
	}
}

// An app that closes its client when its license is revoked must not hang.
func TestAListenerMayCloseTheClientFromTheBackground(t *testing.T) {
	given := readActivation(t)
	bodies := []string{string(given.body), `{"valid": false, "status": "revoked"}`}
	options := given.options(serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(bodies[0]))
		bodies = bodies[1:]
	}))
	var ahead atomic.Int64
	options.Now = func() time.Time { return given.now.Add(time.Duration(ahead.Load())) }
	client := newClient(t, options)
	activated(t, client)
	isEnded := make(chan Status, 1)
	client.Subscribe(func(state State) {
		if state.Status != Licensed {
			_ = client.Close(ctx)
			isEnded <- state.Status
		}
	})
	// After half of the token's lifetime the client refreshes it in the background.
	ahead.Store(int64(5 * 24 * time.Hour))
	now(client.Check(ctx))
	select {
	case status := <-isEnded:
		if status != Revoked {
			t.Error(status)
		}
	case <-time.After(time.Minute):
		t.Fatal(stacks())
	}
}

// An app that draws a window must not wait for the disk when it reads the state.
func TestTheStateWaitsForNothing(t *testing.T) {
	given := readActivation(t)
	end := make(chan struct{})
	options := given.options("http://127.0.0.1:1")
	options.Storage = &hangingStorage{end: end}
	client := newClient(t, options)
	isChecked := make(chan struct{})
	go func() {
		now(client.Check(ctx))
		close(isChecked)
	}()
	for client.lock.TryLock() {
		client.lock.Unlock()
		runtime.Gosched()
	}
	if client.State().Status != "" || client.Has("export") || client.State().Updates.Covers(Release{Version: "1.0.0"}) {
		t.Error(client.State())
	}
	client.Subscribe(func(State) {})()
	close(end)
	<-isChecked
}

func TestTheStateChangesByItselfWhenTheTokenEnds(t *testing.T) {
	given := readActivation(t)
	bodies := []string{string(given.body), `{"valid": false, "status": "revoked"}`}
	options := given.options(serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(bodies[0]))
		bodies = bodies[1:]
	}))
	now := given.now
	var tasks []func()
	options.Now = func() time.Time { return now }
	options.Schedule = func(task func(), _ time.Duration) func() {
		tasks = append(tasks, task)
		return func() {}
	}
	client := newClient(t, options)
	activated(t, client)
	now = now.Add(8 * 24 * time.Hour)
	tasks[len(tasks)-1]()
	_ = client.Idle(ctx)
	if state := client.State(); state.Status != Revoked {
		t.Error(state)
	}
}

// hangingStorage acts like a disk that doesn't respond.
type hangingStorage struct {
	MemoryStorage
	end chan struct{}
}

func (storage *hangingStorage) Get(string) (string, bool, error) {
	<-storage.end
	return "", false, errors.New("ended")
}

func TestWhatHangsCostsNoMoreThanItsTime(t *testing.T) {
	given := readActivation(t)
	options := given.options("http://127.0.0.1:1")
	options.Timeout = 20 * time.Millisecond
	end := make(chan struct{})
	defer close(end)
	options.Storage = &hangingStorage{end: end}
	if state := now(newClient(t, options).Check(ctx)); state.Fault == nil || state.Fault.Kind != StorageFailed {
		t.Error(state)
	}
	options.Storage = &MemoryStorage{}
	if err := options.Storage.Set("app", `{"v": 1, "device": "machine"}`); err != nil {
		t.Fatal(err)
	}
	options.Fingerprint = func() (string, error) {
		<-end
		return given.fingerprint, nil
	}
	if state := now(newClient(t, options).Check(ctx)); state.Reason != "device_unknown" || state.Fault == nil || state.Fault.Kind != DeviceUnknown {
		t.Error(state)
	}
}

// lockStorage has one lock. Lock waits until the channel start is closed.
type lockStorage struct {
	MemoryStorage
	start, taken chan struct{}
	lock         sync.Mutex
}

func (storage *lockStorage) Lock(string) (func(), error) {
	<-storage.start
	storage.lock.Lock()
	close(storage.taken)
	return storage.lock.Unlock, nil
}

// isReleased waits until the lock was taken, and then until it is released, for at most ten seconds.
func (storage *lockStorage) isReleased() bool {
	<-storage.taken
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); runtime.Gosched() {
		if storage.lock.TryLock() {
			return true
		}
	}
	return false
}

// While another process takes a seat, which lasts as long as its network is slow, an app must be able to end.
func TestCloseEndsAWaitForAnotherProcess(t *testing.T) {
	given := readActivation(t)
	options := given.options("http://127.0.0.1:1")
	options.Storage, options.Timeout = &lockStorage{start: make(chan struct{})}, 100*time.Second
	client := newClient(t, options)
	activation := make(chan State)
	go func() { activation <- now(client.Activate(ctx, testKey, Labels{})) }()
	_ = client.Close(ctx)
	select {
	case state := <-activation:
		if state.Fault == nil || state.Fault.Kind != Closed {
			t.Error(state)
		}
	case <-time.After(time.Minute):
		t.Fatal("the activation still waits")
	}
}

// If a lock were not released, every process that takes a seat would first wait for it until the time limit.
func TestALockThatIsTakenTooLateIsReleased(t *testing.T) {
	seat := func(storage *lockStorage, timeout time.Duration) (leave func()) {
		storage.taken = make(chan struct{})
		return (&cache{storage: storage, name: "app", timeout: timeout, warn: func(string, error) {}}).exclusively(ctx, "seat")
	}
	afterTheWait := &lockStorage{start: make(chan struct{})}
	seat(afterTheWait, time.Microsecond)()
	close(afterTheWait.start)
	if !afterTheWait.isReleased() {
		t.Error("a lock that was taken after the wait is not released")
	}
	// These locks are taken at once, and the waits take a few microseconds, so some locks are taken at the moment when the
	// wait ends.
	for round := range 20_000 {
		storage := &lockStorage{start: afterTheWait.start}
		seat(storage, time.Microsecond+time.Duration(round%100)*10)()
		if !storage.isReleased() {
			t.Fatal("a lock that was taken when the wait ended is not released")
		}
	}
}

func TestOptionsThatCanNotWorkAreRefused(t *testing.T) {
	given := readActivation(t)
	weak, err := json.Marshal(map[string]any{"keys": []any{map[string]any{"kty": "OKP", "crv": "Ed25519", "x": strings.Repeat("A", 43)}}})
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*Options){
		"BaseURL without a scheme":  func(o *Options) { o.BaseURL = "licenses.example.com" },
		"BaseURL with a user":       func(o *Options) { o.BaseURL = "https://user@licenses.example.com" },
		"ProductID of zero":         func(o *Options) { o.ProductID = 0 },
		"APIKey that is empty":      func(o *Options) { o.APIKey = "" },
		"Audience of white space":   func(o *Options) { o.Audience = " " },
		"StorageName with a slash":  func(o *Options) { o.StorageName = "a/b" },
		"Grace that is negative":    func(o *Options) { o.Grace = -1 },
		"Release of 201 characters": func(o *Options) { o.Release.Version = strings.Repeat("1", 201) },
		"Release that is no text":   func(o *Options) { o.Release.Version = "1.0\x00" },
		"Timeout that is negative":  func(o *Options) { o.Timeout = -1 },
		"PublicKeys without one":    func(o *Options) { o.PublicKeys = nil },
		"PublicKeys with text":      func(o *Options) { o.PublicKeys = []string{"no key"} },
		"PublicKeys of small order": func(o *Options) { o.PublicKeys = []string{string(weak)} },
	} {
		options := given.options("https://licenses.example.com")
		change(&options)
		option := strings.Fields(what)[0]
		if _, err := New(options); err == nil || !strings.Contains(err.Error(), option) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
