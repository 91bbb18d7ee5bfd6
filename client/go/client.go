package licensekey

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options of a client. BaseURL, ProductID, APIKey and PublicKeys are required.
type Options struct {
	// BaseURL is the service's address, such as `https://licenses.example.com`.
	BaseURL string
	// ProductID is the product's `id`.
	ProductID int64
	// APIKey is the product's `api_key`; it ships with the app.
	APIKey string
	// PublicKeys are the product's `public_key` (PEM), its JWK set (JSON), or several of them: every key given is trusted,
	// so that the service's signing key can be rotated.
	PublicKeys []string
	// Audience is the product's slug: tokens of another audience are refused. Without it the key alone stands for the product.
	Audience string
	// Fingerprint finds this device's: MachineFingerprint, or AppFingerprint of the product's slug. An empty text says that
	// this machine has none; then, and without this function, a random id stands in, made once and kept in Storage.
	Fingerprint func() (string, error)
	// Storage: by default memory, so nothing survives the process.
	Storage Storage
	// StorageName is 1 to 100 letters, digits, `.`, `_` and `-`. The default is made of ProductID and BaseURL; give a name
	// to keep the licenses when the address changes.
	StorageName string
	// Grace is for how long an expired token still counts while the service can't be asked; never past the license's own end.
	Grace time.Duration
	// Timeout is the maximum for each of at most two attempts of a request, and of every access to the storage. Twice as
	// long for the fingerprint. Default: 5 s.
	Timeout time.Duration
	// RetryDelay is between the two attempts; chance adds up to half of it. Default: 500 ms; negative: none.
	RetryDelay time.Duration
	// AllowUnboundTokens accepts tokens that the operator minted for no device: they work on every machine that they are
	// copied to.
	AllowUnboundTokens bool
	// Release is this build of the app: Activate refuses a license that doesn't cover it, and Covers is about it.
	Release Release
	// OnWarning is called with faults that change no result (a cache that can't be written). Default: slog.
	OnWarning func(message string, cause error)
	// Transport is of HTTP. Default: http.DefaultTransport, which uses the proxies of the environment.
	Transport http.RoundTripper
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Schedule runs a task once after a time, and gives what cancels that. Default: a timer.
	Schedule func(task func(), after time.Duration) (cancel func())
}

const (
	defaultTimeout    = 5 * time.Second
	defaultRetryDelay = 500 * time.Millisecond
	maxTimeout        = 10 * time.Minute
	maxGrace          = 36_500 * 24 * time.Hour

	// retryPause (ms) is between two attempts to ask in the background, after one that failed.
	retryPause = 300_000
	// maxSleep (ms) is the longest sleep of the background: clocks are set, and machines sleep.
	maxSleep = 3_600_000
	minSleep = 1000
	// seenPrecision (ms): the latest time seen is stored to this precision, which spares most starts a write.
	seenPrecision = 60_000
)

var (
	addressForm     = regexp.MustCompile(`^(?i:https?)://[^\s/?#@][^\s?#@]*$`)
	apiKeyForm      = regexp.MustCompile(`^[\x21-\x7e]+$`)
	storageNameForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)
	scheme          = regexp.MustCompile(`^(?i:https?)://`)
	notInFileNames  = regexp.MustCompile(`[^A-Za-z0-9.-]+`)
)

func (options Options) check() error {
	isBad := map[string]bool{
		"BaseURL":     !addressForm.MatchString(options.BaseURL),
		"ProductID":   options.ProductID < 1 || options.ProductID > maxInteger,
		"APIKey":      !apiKeyForm.MatchString(options.APIKey),
		"Audience":    options.Audience != "" && trim(options.Audience) == "",
		"StorageName": options.StorageName != "" && !storageNameForm.MatchString(options.StorageName),
		"Grace":       options.Grace < 0 || options.Grace > maxGrace,
		"Timeout":     options.Timeout < 0 || options.Timeout > maxTimeout,
		"RetryDelay":  options.RetryDelay > maxTimeout,
	}
	for _, option := range slices.Sorted(maps.Keys(isBad)) {
		if isBad[option] {
			return fmt.Errorf("the option %s is not valid", option)
		}
	}
	return nil
}

// storageName is made of the product and the address without its scheme, in lower case, with `_` for what file names
// can't hold: it tells two environments apart.
func storageName(product int64, address string) string {
	place := notInFileNames.ReplaceAllString(scheme.ReplaceAllString(address, ""), "_")
	return fmt.Sprintf("%s.%d.%s", tokenIssuer, product, strings.ToLower(place))
}

// Client is the license of this device: one client per product and process. It may be used by several goroutines.
//
// Check at the app's start is all that most apps need besides Activate: from then on State follows the time, and tokens
// and leases are renewed in the background. What a network, a storage or a token may contain is in the state, never an
// error.
//
// Every call that may wait takes a context. When it ends, the call returns its error at once; what was begun continues in the
// background, so that a seat which was just taken isn't lost, and its result is in State. State, Has and Covers wait for nothing.
type Client struct {
	product  int64
	release  Release
	rules    rules
	service  *service
	clock    func() time.Time
	onWarn   func(message string, cause error)
	schedule func(task func(), after time.Duration) (cancel func())

	checking, validating shared
	background           background

	// seat is held while a seat is taken or freed; never while a listener is called.
	seat sync.Mutex
	// lock is held while the record is assessed and changed; never while the service is asked or a listener is called.
	lock   sync.Mutex
	cache  *cache
	finder *deviceFinder
	// askAgainAt is when the background may ask again, in epoch milliseconds.
	askAgainAt float64
	// refreshAt is when the token that is held is due to be refreshed, in epoch milliseconds.
	refreshAt   float64
	isReleasing bool
	isClosed    bool
	stopTimer   func()

	// state is read without a lock: an app asks for it whenever it draws.
	state atomic.Pointer[State]
	// telling is held for what follows, never for long.
	telling      sync.Mutex
	listeners    map[int]func(State)
	nextListener int
	// news are states that the listeners have not seen yet.
	news        []State
	isNotifying bool
}

// New makes a client. An error: an option that can't work.
func New(options Options) (*Client, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	keys, err := verifyKeys(options.PublicKeys)
	if err != nil {
		return nil, err
	}
	address := strings.TrimRight(options.BaseURL, "/")
	options.setDefaults(address)
	client := &Client{
		product:   options.ProductID,
		release:   options.Release,
		rules:     rules{keys, options.Audience, options.AllowUnboundTokens, float64(options.Grace / time.Millisecond)},
		service:   newService(fmt.Sprintf("%s/v1/products/%d", address, options.ProductID), options.APIKey, options.Transport, options.Timeout, max(0, options.RetryDelay)),
		clock:     options.Now,
		onWarn:    options.OnWarning,
		schedule:  options.Schedule,
		stopTimer: func() {},
		listeners: map[int]func(State){},
	}
	client.cache = &cache{storage: options.Storage, name: options.StorageName, timeout: options.Timeout, warn: client.onWarn}
	client.finder = &deviceFinder{source: options.Fingerprint, cache: client.cache, timeout: 2 * options.Timeout, warn: client.onWarn}
	client.checking.task = client.checkOnce
	client.validating.task = client.validateOnce
	return client, nil
}

func (options *Options) setDefaults(address string) {
	if options.Storage == nil {
		options.Storage = &MemoryStorage{}
	}
	if options.StorageName == "" {
		options.StorageName = storageName(options.ProductID, address)
	}
	if options.Timeout == 0 {
		options.Timeout = defaultTimeout
	}
	if options.RetryDelay == 0 {
		options.RetryDelay = defaultRetryDelay
	}
	if options.OnWarning == nil {
		options.OnWarning = func(message string, cause error) { slog.Warn(message, "cause", cause) }
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Schedule == nil {
		options.Schedule = func(task func(), after time.Duration) func() {
			timer := time.AfterFunc(after, task)
			return func() { timer.Stop() }
		}
	}
}

// State is the newest result; nil before the first. It waits for nothing.
func (client *Client) State() *State { return client.state.Load() }

// Subscribe calls a function whenever State changes, in a goroutine of the client, before the call that has changed it
// returns. It gives what ends that. The function may call the client, and close it.
func (client *Client) Subscribe(listener func(State)) (end func()) {
	client.telling.Lock()
	defer client.telling.Unlock()
	place := client.nextListener
	client.nextListener++
	client.listeners[place] = listener
	return func() {
		client.telling.Lock()
		defer client.telling.Unlock()
		delete(client.listeners, place)
	}
}

// Has says whether use is granted now and a feature was bought, by State: it works offline too.
func (client *Client) Has(feature string) bool {
	state := client.State()
	return state != nil && state.Status == Licensed && slices.Contains(state.Features, feature)
}

// Covers says whether use is granted now and what was bought covers Options.Release, by State: it works offline too, and
// regardless of the clock. For another release ask State().Updates.
func (client *Client) Covers() bool {
	state := client.State()
	return state != nil && state.Status == Licensed && state.Updates.Covers(client.release)
}

// Fingerprint is this device as the service knows it. The error is a *Fault: it can't be found now.
func (client *Client) Fingerprint(ctx context.Context) (string, error) {
	return await(ctx, func() (string, error) {
		client.lock.Lock()
		defer client.lock.Unlock()
		_, device, fault := client.identify()
		if fault != nil {
			return "", fault
		}
		return device.id, nil
	})
}

// Check says whether this app may be used here. A cached token that verifies is accepted without the network, and
// refreshed in the background once half of its life is over. Otherwise the service is asked, once. Calls at the same
// time share one result.
func (client *Client) Check(ctx context.Context) (State, error) {
	return await(ctx, func() (State, error) {
		defer client.notify()
		return client.checking.run(), nil
	})
}

// Validate asks the service now. If it gives no verdict, the result is what the cache is worth, with the Fault.
func (client *Client) Validate(ctx context.Context) (State, error) {
	return await(ctx, func() (State, error) {
		defer client.notify()
		return client.validating.run(), nil
	})
}

// Activate takes a seat for this device and caches its token. The key is as the user typed it. A key that is refused
// leaves the license of another key as it is; one that is accepted replaces it, and the seat of the old key is freed.
// Repeating it is harmless. The error is an *InputError: nothing was sent.
func (client *Client) Activate(ctx context.Context, key string, labels Labels) (State, error) {
	return client.ActivateInPlace(ctx, key, "", labels)
}

// ActivateInPlace is Activate, and names a device (ListedDevice.Ref) whose seat is freed for this one, if the license is full.
func (client *Client) ActivateInPlace(ctx context.Context, key, ref string, labels Labels) (State, error) {
	return await(ctx, func() (State, error) {
		if err := checkInput(append([]field{keyField(key), {"replace", ref, 100, false}}, labels.fields()...)...); err != nil {
			return State{}, err
		}
		defer client.notify()
		return client.activate(trim(key), ref, labels), nil
	})
}

func (client *Client) activate(key, ref string, labels Labels) State {
	given := fields{"key": key, "name": labels.Name, "platform": labels.Platform, "replace": ref}
	if release := client.release.json(); release != nil {
		given["release"] = release
	}
	return client.takeSeat(activate, given)
}

// Devices are those that hold seats of a license, newest first, if the vendor lets apps see them. An empty key stands for the
// key that is held. The error is a *Fault; it is Rejected if the list is disabled.
func (client *Client) Devices(ctx context.Context, key string) ([]ListedDevice, error) {
	return await(ctx, func() ([]ListedDevice, error) {
		client.lock.Lock()
		held, device, fault := client.identify()
		client.lock.Unlock()
		if key = trim(key); key == "" {
			key = held.Key
		}
		if fault == nil && key != "" {
			var found []ListedDevice
			if found, fault = client.service.devices(key, device.id); fault == nil {
				return found, nil
			}
		}
		if fault != nil {
			return nil, fault
		}
		return []ListedDevice{}, nil
	})
}

// Latest is the newest release that the license covers, with its files and what a download must send. It asks the service, by
// the key that is held or else by the token; without either, only a product whose downloads are public responds with one. The
// error is a *Fault; it is Rejected if the license grants no downloads, because it is revoked for example.
func (client *Client) Latest(ctx context.Context, target Target) (*Latest, error) {
	return await(ctx, func() (*Latest, error) {
		client.lock.Lock()
		held, _, fault := client.identify()
		client.lock.Unlock()
		if fault != nil && fault.Kind == StorageFailed {
			return nil, fault
		}
		version := target.Version
		if version == "" {
			version = client.release.Version
		}
		found, fault := client.service.latest(held, fields{"platform": target.Platform, "arch": target.Arch, "channel": target.Channel, "version": version})
		if fault != nil {
			return nil, fault
		}
		return found, nil
	})
}

// Free frees the seat of another device (ListedDevice.Ref), and says whether there was one. This one's is freed by Deactivate,
// which forgets the key as well. An empty key stands for the key that is held. The error is a *Fault.
func (client *Client) Free(ctx context.Context, ref, key string) (freed bool, err error) {
	return await(ctx, func() (freed bool, err error) {
		defer client.changingSeats()()
		client.lock.Lock()
		held, _, fault := client.identify()
		client.lock.Unlock()
		if key = trim(key); key == "" {
			key = held.Key
		}
		if fault == nil && key != "" {
			freed, _, fault = client.service.free(key, "", ref)
		}
		if fault != nil {
			return false, fault
		}
		return freed, nil
	})
}

// Trial starts the trial that the product offers without a key, or continues it on a device that had it before. A device
// that is licensed already stays as it is, and nobody is asked. A key that is held is validated, and never replaced. The e-mail address, which may be empty, is kept with the
// trial. The error is an *InputError: nothing was sent.
func (client *Client) Trial(ctx context.Context, customerEmail string, labels Labels) (State, error) {
	return await(ctx, func() (State, error) {
		if err := checkInput(append(labels.fields(), field{"customer_email", customerEmail, 254, false})...); err != nil {
			return State{}, err
		}
		defer client.notify()
		state, isLicensed, hasKey := client.heldState()
		switch {
		case isLicensed:
			return state, nil
		case hasKey:
			return client.validating.run(), nil
		}
		return client.takeSeat(trial, fields{"name": labels.Name, "platform": labels.Platform, "customer_email": customerEmail}), nil
	})
}

func (client *Client) heldState() (state State, isLicensed, hasKey bool) {
	client.lock.Lock()
	defer client.lock.Unlock()
	found := client.assess()
	if found.problem != "" {
		return State{}, false, found.record.Key != ""
	}
	return client.publish(client.rules.stateFromCache(found, nil), nil, record{}), true, true
}

// changingSeats waits until no other goroutine or process takes or frees seats.
func (client *Client) changingSeats() (leave func()) {
	client.seat.Lock()
	unlock := client.cache.seat()
	return func() {
		unlock()
		client.seat.Unlock()
	}
}

// Deactivate frees this device's seat and forgets its key and token; it says whether a seat was freed. It needs the
// network, unless the license came by ImportToken. What is activated meanwhile stays. The error is a *Fault: the seat is
// still taken, the license still held.
func (client *Client) Deactivate(ctx context.Context) (freed bool, err error) {
	return await(ctx, func() (freed bool, err error) {
		defer client.notify()
		defer client.changingSeats()()
		found := client.assessNow()
		freed, fault := client.freeSeat()
		if fault != nil {
			return false, fault
		}
		client.lock.Lock()
		_, isHeld := client.change(&found.record, func(current record) record { return current.emptied(found.time) })
		if isHeld {
			client.publish(State{Status: Unbound}, nil, record{})
		}
		client.lock.Unlock()
		if !isHeld {
			client.keepSeat(found.record.Key)
			client.overtaken()
		}
		return freed, nil
	})
}

// Forget is for uninstallers: it frees this device's seat if the service can be reached, and deletes everything that is
// stored. The error is a *Fault: the seat is still taken.
func (client *Client) Forget(ctx context.Context) (freed bool, err error) {
	return await(ctx, func() (freed bool, err error) {
		defer client.notify()
		defer client.changingSeats()()
		for {
			held := client.assessNow().record
			freed, fault := client.freeSeat()
			// What another process has activated meanwhile is freed and deleted as well.
			if !client.clear(held) {
				continue
			}
			if fault != nil {
				return false, fault
			}
			return freed, nil
		}
	})
}

func (client *Client) clear(held record) bool {
	client.lock.Lock()
	defer client.lock.Unlock()
	client.invalidate()
	if !client.cache.clear(held) {
		return false
	}
	client.publish(State{Status: Unbound}, nil, record{})
	return true
}

// OfflineRequest is what a machine that is never online sends to the operator, as text, file or QR code. The operator's
// token goes to ImportToken. The error is an *InputError, or a *Fault if this device can't be identified now.
func (client *Client) OfflineRequest(ctx context.Context, key string, labels Labels) (string, error) {
	if err := checkInput(append([]field{keyField(key)}, labels.fields()...)...); err != nil {
		return "", err
	}
	fingerprint, err := client.Fingerprint(ctx)
	if err != nil {
		return "", err
	}
	return OfflineRequest{client.product, trim(key), fingerprint, labels.Name, labels.Platform}.String(), nil
}

// ImportToken licenses a machine that is never online with a token that came by other means: the operator's response to
// an OfflineRequest, or one that was minted for no device (needs AllowUnboundTokens). It takes the place of what was
// cached, unless it is not accepted; then the error is a *TokenError.
func (client *Client) ImportToken(ctx context.Context, token string) (State, error) {
	return await(ctx, func() (State, error) {
		defer client.notify()
		client.lock.Lock()
		defer client.lock.Unlock()
		text := withoutWhiteSpace(token)
		for {
			before := client.assess()
			found := client.assessOther(text, func(claims *TokenClaims) float64 { return importTime(claims.IssuedAt*1000, before) })
			if text == "" && found.fault == nil {
				found.problem = "malformed"
			}
			if found.problem != "" {
				return State{}, &TokenError{found.problem}
			}
			isOfHeldLicense := before.claims != nil && before.claims.Subject == found.claims.Subject
			imported, isHeld := client.change(&before.record, func(current record) record {
				made := current.emptied(found.time)
				made.Token, made.Device = text, found.device.kind
				if isOfHeldLicense {
					made.Key = current.Key
				}
				return made.releasing(current.Key)
			})
			if isHeld {
				return client.publish(licensedState(FromCache, found.claims, imported, nil, found.claims.end()), found.claims, imported), nil
			}
		}
	})
}

// importTime is the time, when a token is imported that was issued at a time (epoch ms). One that is newer than the token
// that is held proves that the clock is right, unless the clock is more than a day behind: a start with a clock that was
// ahead is undone by it.
func importTime(issuedAt float64, before assessment) float64 {
	base := before.time
	if before.claims != nil && issuedAt > before.claims.IssuedAt*1000 {
		base = before.now
	}
	if issuedAt-before.now > clockBehind {
		return base
	}
	return math.Max(base, issuedAt)
}

// Idle returns when the background has come to rest: no request under way, the cache written.
func (client *Client) Idle(ctx context.Context) error {
	return done(ctx, client.rest)
}

// Close ends requests under way, timers and notifications. What is cached is still written.
func (client *Client) Close(ctx context.Context) error {
	client.stop()
	return done(ctx, client.end)
}

// CloseAndRelease frees this device's seat first and keeps the key: for floating licenses. The next start is Unbound with
// the key to activate again. Without a network the seat is free when its lease has ended.
func (client *Client) CloseAndRelease(ctx context.Context) error {
	client.stop()
	return done(ctx, func() {
		client.releaseSeat()
		client.notify()
		client.end()
	})
}

// done waits for a task that has no outcome.
func done(ctx context.Context, task func()) error {
	_, err := await(ctx, func() (struct{}, error) {
		task()
		return struct{}{}, nil
	})
	return err
}

func (client *Client) rest() {
	client.background.wait()
	client.lock.Lock()
	defer client.lock.Unlock()
	client.cache.settle()
}

func (client *Client) stop() {
	client.lock.Lock()
	defer client.lock.Unlock()
	client.isClosed = true
	client.stopTimer()
}

func (client *Client) end() {
	client.service.close()
	client.telling.Lock()
	clear(client.listeners)
	client.telling.Unlock()
	client.rest()
}

func (client *Client) releaseSeat() {
	defer client.changingSeats()()
	found := client.assessNow()
	key := found.record.Key
	if found.record.Token == "" || key == "" {
		return
	}
	if _, fault := client.freeSeat(); fault != nil {
		return
	}
	client.lock.Lock()
	_, isHeld := client.change(&found.record, func(current record) record {
		kept := current.emptied(found.time)
		kept.Key, kept.Refused, kept.Device = key, string(Unbound), current.Device
		return kept
	})
	if isHeld {
		client.publish(refusalState(string(Unbound), key, nil), nil, record{})
	}
	client.lock.Unlock()
	if !isHeld {
		client.keepSeat(key)
	}
}

// freeSeat says whether a seat was freed, or why that is unknown.
func (client *Client) freeSeat() (bool, *Fault) {
	client.lock.Lock()
	held, device, fault := client.identify()
	client.lock.Unlock()
	if held.Key == "" && (fault == nil || fault.Kind != StorageFailed) {
		return false, nil
	}
	if fault != nil {
		return false, fault
	}
	freed, _, fault := client.service.free(held.Key, device.id, "")
	return freed, fault
}

// keepSeat is called after the seat of a key was freed: if the key is held again, by a process that did not wait, its seat
// is taken again.
func (client *Client) keepSeat(freed string) {
	held := client.assessNow().record
	if freed != "" && held.Key != "" && held.Token != "" && isSameKey(held.Key, freed) {
		client.submit(func() { client.activate(held.Key, "", Labels{}) })
	}
}

// submit runs a task in the background. The listeners are told outside of it, so that they may wait for the background.
func (client *Client) submit(task func()) {
	client.background.submit(func() {
		task()
		go client.notify()
	})
}

func (client *Client) checkOnce() State {
	if state, isLicensed := client.checkCache(); isLicensed {
		return state
	}
	return client.validating.run()
}

func (client *Client) checkCache() (State, bool) {
	client.lock.Lock()
	defer client.lock.Unlock()
	found := client.assess()
	client.keepTime(found)
	held := found.record
	if len(held.Release) > 0 && found.now >= client.askAgainAt {
		client.releaseInBackground()
	}
	if found.problem != "" {
		return State{}, false
	}
	if held.Key != "" && found.now >= math.Max(found.claims.refreshTime(), client.askAgainAt) {
		client.submit(func() { client.validating.run() })
	}
	return client.publish(client.rules.stateFromCache(found, nil), found.claims, held), true
}

func (client *Client) validateOnce() State {
	client.lock.Lock()
	before := client.assess()
	if before.fault != nil || before.record.Key == "" {
		defer client.lock.Unlock()
		return client.concludeFault(before.fault, before)
	}
	client.lock.Unlock()

	reply, fault := client.service.ask(validate, fields{"key": before.record.Key, "fingerprint": before.device.id})
	if state, isConcluded := client.concludeValidation(reply, fault, before); isConcluded {
		return state
	}
	return client.overtaken()
}

// concludeValidation is false if another call or another process has overtaken the request: the reply is about what is
// no longer held.
func (client *Client) concludeValidation(reply reply, fault *Fault, before assessment) (State, bool) {
	client.lock.Lock()
	defer client.lock.Unlock()
	found := client.assess()
	if !found.record.isSameActivation(before.record) {
		return State{}, false
	}
	if fault != nil {
		return client.concludeFault(fault, found), true
	}
	trusted, fault := client.verifyReply(reply, found, true)
	if fault != nil {
		return client.concludeFault(fault, found), true
	}
	return client.conclude(trusted, found)
}

// overtaken gives the state of what is held, when another call or another process has overtaken a request.
func (client *Client) overtaken() State {
	client.lock.Lock()
	client.invalidate()
	client.lock.Unlock()
	return client.checking.run()
}

func (client *Client) takeSeat(operation operation, fields fields) State {
	defer client.changingSeats()()
	client.lock.Lock()
	before := client.assess()
	if before.fault != nil {
		defer client.lock.Unlock()
		return client.concludeFault(before.fault, before)
	}
	client.lock.Unlock()

	key, _ := fields["key"].(string)
	fingerprint := before.device.id
	if key == "" && before.record.Key != "" {
		return client.overtaken()
	}
	fields["fingerprint"] = fingerprint
	reply, fault := client.service.ask(operation, fields)
	var seats *Seats
	if refusal, isRefused := reply.(refused); isRefused && refusal.name == string(NoSeats) && key != "" {
		seats = client.seatsOf(key, fingerprint)
	}
	if state, isConcluded := client.concludeSeat(key, reply, fault, seats, before); isConcluded {
		return state
	}
	return client.overtaken()
}

// concludeSeat is what a reply to an activation or a trial leads to; false if it was overtaken.
func (client *Client) concludeSeat(key string, reply reply, fault *Fault, seats *Seats, before assessment) (State, bool) {
	client.lock.Lock()
	defer client.lock.Unlock()
	found := client.assess()
	held := found.record
	isHeld := key != "" && held.Key != "" && isSameKey(held.Key, key)
	var trusted trustedReply
	if fault == nil {
		asked := found
		asked.device, asked.fault = before.device, nil
		trusted, fault = client.verifyReply(reply, asked, isHeld)
	}
	if fault != nil {
		if isHeld {
			return client.concludeFault(fault, found), true
		}
		// What is held is still held; the result says that the other key was not activated.
		return client.publishUnlessLicensed(offlineState(found, fault), found), true
	}
	if trusted.refusal == "" {
		// The token of the key that was held may have been refreshed meanwhile. A trial, or another key than that, comes too late.
		isLate := held.Key != before.record.Key
		if key == "" {
			isLate = !held.isSameActivation(before.record)
		}
		if isLate {
			client.change(nil, func(current record) record { return current.releasing(trusted.record.Key) })
			client.releaseInBackground()
			return State{}, false
		}
		trusted.record = trusted.record.releasing(held.Key)
		return client.conclude(trusted, found)
	}
	if isHeld && (isSignable(trusted.refusal) || !client.isProtected(found)) {
		if seats != nil {
			found.record.Seats = seats
		}
		return client.conclude(trusted, found)
	}
	return client.publishUnlessLicensed(refusalState(trusted.refusal, "", seats), found), true
}

// seatsOf gives the numbers behind `no_seats`, which an error's body doesn't have.
func (client *Client) seatsOf(key, fingerprint string) *Seats {
	reply, _ := client.service.ask(validate, fields{"key": key, "fingerprint": fingerprint})
	if found, isUnbound := reply.(notBound); isUnbound {
		return found.seats
	}
	return nil
}

// trustedReply is a reply whose signature, if it needs one, was verified: a grant, or the name of a refusal.
type trustedReply struct {
	// Of a grant:
	record record
	claims *TokenClaims
	// Of a refusal:
	refusal  string
	seen     float64
	isSigned bool
}

// The functions from here on expect that the lock is held, but for those that say otherwise.

// concludeFault gives the state if the service gave no verdict, or was not asked (a nil fault).
func (client *Client) concludeFault(fault *Fault, found assessment) State {
	if fault != nil {
		client.askAgainAt = found.now + math.Max(retryPause, float64(fault.RetryAfter/time.Millisecond))
	}
	return client.publish(client.rules.stateFromCache(found, fault), found.claims, found.record)
}

// conclude keeps what the service said about the key that is held; it is false if another one is held now.
func (client *Client) conclude(reply trustedReply, found assessment) (State, bool) {
	if reply.refusal == "" {
		kept, isHeld := client.change(&found.record, func(current record) record {
			made := reply.record
			made.Verdicts = current.Verdicts
			for _, key := range append([]string{""}, current.Release...) {
				made = made.releasing(key)
			}
			return made
		})
		if !isHeld {
			return State{}, false
		}
		if len(kept.Release) > 0 {
			client.releaseInBackground()
		}
		return client.publish(licensedState(FromNetwork, reply.claims, kept, nil, reply.claims.end()), reply.claims, kept), true
	}
	kept, isHeld := client.change(&found.record, func(current record) record {
		made := current.emptied(reply.seen)
		made.Refused, made.Key, made.TypeName, made.Device, made.Seats = reply.refusal, current.Key, current.TypeName, current.Device, found.record.Seats
		made.Verdicts = current.Verdicts || reply.isSigned
		return made
	})
	if !isHeld {
		return State{}, false
	}
	return client.publish(refusalState(reply.refusal, kept.Key, kept.Seats), nil, record{}), true
}

func (client *Client) releaseInBackground() {
	if !client.isReleasing {
		client.isReleasing = true
		client.submit(client.releaseOldSeats)
	}
}

// releaseOldSeats frees the seats of keys that were replaced, but never that of the key that is held. One that the service
// doesn't know is given up; one that can't be freed now stays. It takes the lock itself.
func (client *Client) releaseOldSeats() {
	client.lock.Lock()
	client.isReleasing = false
	client.lock.Unlock()
	defer client.changingSeats()()
	for _, key := range client.assessNow().record.Release {
		client.releaseOldSeat(key)
	}
}

func (client *Client) releaseOldSeat(key string) {
	client.lock.Lock()
	held, device, fault := client.identify()
	client.lock.Unlock()
	if fault != nil || !slices.Contains(held.Release, key) {
		return
	}
	isHeld := held.Key != "" && isSameKey(held.Key, key)
	if !isHeld {
		_, isUnknown, fault := client.service.free(key, device.id, "")
		if fault != nil && !isUnknown {
			client.lock.Lock()
			defer client.lock.Unlock()
			client.askAgainAt = math.Max(client.askAgainAt, client.now()+retryPause)
			return
		}
	}
	client.lock.Lock()
	client.cache.change(nil, func(current record) record { return current.without(key) })
	client.lock.Unlock()
	if !isHeld {
		client.keepSeat(key)
	}
}

func (client *Client) now() float64 { return float64(client.clock().UnixMilli()) }

// identify gives the record and this device, or the fault that it can't be identified or the record could never be read.
func (client *Client) identify() (record, device, *Fault) {
	held, isKnown := client.cache.load()
	if !isKnown {
		return record{}, device{}, &Fault{Kind: StorageFailed, Message: "the license cache was not read"}
	}
	found, fault := client.finder.find(held)
	return held, found, fault
}

// assess assesses the cached token by key, clock and device, without a network.
func (client *Client) assess() assessment {
	held, device, fault := client.identify()
	return assess(client.rules, held, device, fault, client.now(), held.Token, nil)
}

// assessOther assesses another token in the place of the cached one, at a time that depends on its claims.
func (client *Client) assessOther(token string, timeOf func(*TokenClaims) float64) assessment {
	held, device, fault := client.identify()
	return assess(client.rules, held, device, fault, client.now(), token, timeOf)
}

// assessNow is assess for those who don't hold the lock.
func (client *Client) assessNow() assessment {
	client.lock.Lock()
	defer client.lock.Unlock()
	return client.assess()
}

// signs says whether the service is known to sign its refusals.
func (found assessment) signs() bool {
	return found.record.Verdicts || (found.claims != nil && found.claims.Verdicts)
}

// isProtected says whether what is held may only be taken away by a refusal that the service signs, or could have signed.
func (client *Client) isProtected(found assessment) bool {
	return found.signs() || client.rules.mayStillCount(found)
}

// verifyReply verifies what a reply claims. Only a token grants a license. What is held is taken away only by what the
// service has proved, if it is known to sign its refusals; and while a token may still count, never by the service not
// knowing the key.
func (client *Client) verifyReply(reply reply, found assessment, isAboutHeldKey bool) (trustedReply, *Fault) {
	if reply, isGranted := reply.(granted); isGranted {
		return client.verifyGrant(reply, found)
	}
	var name string
	var verdict *string
	unbound, isUnbound := reply.(notBound)
	if isUnbound {
		name, verdict = string(Unbound), unbound.verdict
	} else if refusal, isRefused := reply.(refused); isRefused {
		name, verdict = refusal.name, refusal.verdict
	}
	claims := found.claims
	if claims == nil {
		claims = &TokenClaims{}
	}
	untrusted := func(message string) (trustedReply, *Fault) {
		return trustedReply{}, &Fault{Kind: Untrusted, Message: message}
	}
	unsigned := trustedReply{refusal: name, seen: found.time}
	switch {
	case !isAboutHeldKey || !client.isProtected(found):
		return unsigned, nil
	case name == string(UnknownKey):
		return untrusted("the service does not know a key that it has licensed")
	case !isSignable(name):
		return unsigned, nil
	case verdict == nil && found.signs():
		return untrusted("the refusal is not signed")
	case verdict == nil && isUnbound && (unbound.licenseID != claims.Subject || !isSameKey(found.record.Key, unbound.key)):
		return untrusted("the response is about another license")
	case verdict == nil:
		return unsigned, nil
	}
	audience := client.rules.audience
	if audience == "" {
		audience = claims.Audience
	}
	status, issuedAt, problem := verifyVerdict(client.rules.keys, *verdict, verdictExpectation{audience, claims.Subject, found.device.id, claims.IssuedAt})
	if problem != "" {
		return untrusted("verdict not accepted: " + problem)
	}
	return trustedReply{refusal: status, seen: latestTime(issuedAt, found), isSigned: true}, nil
}

func (client *Client) verifyGrant(reply granted, found assessment) (trustedReply, *Fault) {
	var seen float64
	claims, problem := verifyWith(client.rules.keys, reply.token, client.rules.expectation(found.device.id), func(claims *TokenClaims) float64 {
		seen = latestTime(claims.IssuedAt, found)
		return seen
	})
	if problem != "" {
		return trustedReply{}, &Fault{Kind: Untrusted, Message: "token not accepted: " + problem}
	}
	return trustedReply{claims: claims, record: record{
		Key:            reply.key,
		Token:          reply.token,
		Seen:           &seen,
		Device:         found.device.kind,
		TypeName:       reply.typeName,
		Seats:          reply.seats,
		LeaseExpiresAt: reply.leaseExpiresAt,
		Verdicts:       found.record.Verdicts,
		Release:        found.record.Release,
	}}, nil
}

// latestTime is the time, when a signature from issuedAt (in seconds) has just arrived. One that was made just now
// confirms the clock, regardless of what was seen before. A clock that is behind is proved wrong by it. A clock that is ahead may
// be right, and the response an old one.
func latestTime(issuedAt float64, found assessment) float64 {
	if math.Abs(found.now-issuedAt*1000) > clockSkew {
		return math.Max(found.time, issuedAt*1000)
	}
	return found.now
}

// keepTime stores that time has passed, at most once a minute.
func (client *Client) keepTime(found assessment) {
	held := found.record
	if held.Token == "" || (held.Seen != nil && found.time-*held.Seen < seenPrecision) {
		return
	}
	client.cache.change(&held, func(current record) record {
		seen := found.time
		if current.Seen != nil {
			seen = math.Max(seen, *current.Seen)
		}
		current.Seen = &seen
		return current
	})
}

// change changes the record, if it holds the expected activation. Replies to earlier requests come too late from here on.
func (client *Client) change(expected *record, make func(current record) record) (record, bool) {
	client.invalidate()
	return client.cache.change(expected, make)
}

func (client *Client) invalidate() {
	client.checking.forget()
	client.validating.forget()
}

// publishUnlessLicensed: the state of a device that is licensed stays as it is when another key is refused.
func (client *Client) publishUnlessLicensed(state State, found assessment) State {
	if client.rules.stateFromCache(found, nil).Status == Licensed {
		return state
	}
	return client.publish(state, nil, record{})
}

// publish makes a state the newest one. The claims are of the token that is held, and the record its: when to refresh it.
func (client *Client) publish(state State, claims *TokenClaims, held record) State {
	client.refreshAt = math.Inf(1)
	if claims != nil && held.Key != "" {
		client.refreshAt = claims.refreshTime()
	}
	client.sleep(state)
	if state.Status == Licensed && !state.Updates.Covers(client.release) {
		// The license is looked after as ever: it may be extended, or an older release installed.
		state = State{Status: NotCovered, Updates: state.Updates}
	}
	if before := client.state.Load(); before == nil || !reflect.DeepEqual(*before, state) {
		client.state.Store(&state)
		client.telling.Lock()
		client.news = append(client.news, state)
		client.telling.Unlock()
	}
	return state
}

// sleep has the client check again automatically when the state may change: at the token's end, when it is due to be
// refreshed, or when a fault may be over.
func (client *Client) sleep(state State) {
	client.stopTimer()
	now := client.now()
	wakeAt := math.Inf(1)
	end := float64(state.OfflineUntil.UnixMilli())
	switch {
	case state.Status == Licensed && state.Source == FromGrace:
		wakeAt = math.Min(end, client.askAgainAt)
	case state.Status == Licensed:
		wakeAt = math.Min(end+clockSkew, math.Max(client.refreshAt, client.askAgainAt))
	case state.Status == OfflineWithoutToken && state.Fault != nil && client.askAgainAt > now:
		wakeAt = client.askAgainAt
	}
	if client.isClosed || math.IsInf(wakeAt, 1) {
		return
	}
	after := math.Min(math.Max(wakeAt-now, minSleep), maxSleep)
	client.stopTimer = client.schedule(func() { client.submit(func() { client.checking.run() }) }, time.Duration(after)*time.Millisecond)
}

// notify gives the listeners every state, in order, by one goroutine at a time. It calls the
// listeners without a lock.
func (client *Client) notify() {
	client.telling.Lock()
	defer client.telling.Unlock()
	for !client.isNotifying && len(client.news) > 0 {
		state := client.news[0]
		client.news = client.news[1:]
		listeners := make([]func(State), 0, len(client.listeners))
		for _, place := range slices.Sorted(maps.Keys(client.listeners)) {
			listeners = append(listeners, client.listeners[place])
		}
		client.isNotifying = true
		client.telling.Unlock()
		for _, listener := range listeners {
			listener(state)
		}
		client.telling.Lock()
		client.isNotifying = false
	}
}
