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
	// BaseURL is the service's URL, such as `https://licenses.example.com`.
	BaseURL string
	// ProductID is the product's `id`.
	ProductID int64
	// APIKey is the product's `api_key`; it ships with the app.
	APIKey string
	// PublicKeys contains the product's `public_key` (PEM) or its JWK set (JSON). It may contain several keys and sets.
	// Every given key is trusted, so that the service's signing key can be rotated.
	PublicKeys []string
	// Audience is the product's slug: tokens for another audience are refused. Without a slug, only the signing key
	// identifies the product.
	Audience string
	// Fingerprint finds this device's fingerprint. Use MachineFingerprint, or AppFingerprint with the product's slug.
	// The function returns an empty text if the machine has no fingerprint. In that case, or if Fingerprint is nil, the
	// client creates a random id once and keeps it in Storage.
	Fingerprint func() (string, error)
	// Storage keeps the license. Default: memory, so the license is lost when the process ends.
	Storage Storage
	// StorageName is 1 to 100 letters, digits, `.`, `_` and `-`. The default consists of ProductID and BaseURL; set a
	// name to keep the licenses when the service's URL changes.
	StorageName string
	// Grace is how long an expired token is still accepted while the service can't be asked. Grace ends no later than
	// the license.
	Grace time.Duration
	// Timeout is the maximum time for each attempt of a request (there are at most two), and for each access to the
	// storage. The fingerprint may take twice as long. Default: 5 s.
	Timeout time.Duration
	// RetryDelay is the pause between the two attempts of a request; a random time of up to half of the pause is added.
	// Default: 500 ms; negative: no pause.
	RetryDelay time.Duration
	// AllowUnboundTokens accepts tokens that the operator issued without a device: they work on every machine to which
	// they are copied.
	AllowUnboundTokens bool
	// Release is this build of the app. Activate takes no seat if the license doesn't cover this release. Covers says
	// whether the current license covers this release. Activations and validations contain its version, so that the
	// operator sees which versions are in use.
	Release Release
	// Offline is what Consume does with an amount if the service can't be reached. Default: OfflineRefuse.
	Offline Offline
	// OnWarning is called with faults that change no result, such as a cache that can't be written. Default: slog.
	OnWarning func(message string, cause error)
	// Transport sends HTTP requests. Default: http.DefaultTransport, which uses the proxies of the environment.
	Transport http.RoundTripper
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Schedule runs a task once after a time, and returns a function that cancels it. Default: a timer.
	Schedule func(task func(), after time.Duration) (cancel func())
}

const (
	defaultTimeout    = 5 * time.Second
	defaultRetryDelay = 500 * time.Millisecond
	maxTimeout        = 10 * time.Minute
	maxGrace          = 36_500 * 24 * time.Hour

	// retryPause (ms) is the pause between a failed background request and the next one.
	retryPause = 300_000
	// maxSleep (ms) is the longest sleep of the background timer. During a sleep the clock may be changed, and the device
	// may be in standby. Therefore a longer sleep could end too late.
	maxSleep = 3_600_000
	minSleep = 1000
	// storePause (ms) is the pause between attempts to store a record that could not be stored.
	storePause = 10_000
	// seenPrecision (ms) is the precision with which the latest time seen is stored, so that most starts of the app
	// write nothing to the storage.
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
		// The service would refuse every request that contains this version.
		"Release": field{"Version", options.Release.Version, 200, false}.problem() != "",
		"Offline": options.Offline != OfflineRefuse && options.Offline != OfflineQueue,
	}
	for _, option := range slices.Sorted(maps.Keys(isBad)) {
		if isBad[option] {
			return fmt.Errorf("the option %s is not valid", option)
		}
	}
	return nil
}

// storageName consists of the product's id and the service's URL without its scheme, in lower case, with `_` for
// characters that file names can't contain. The environments of a service, such as test and production, have different
// URLs, so their storage names differ.
func storageName(product int64, address string) string {
	place := notInFileNames.ReplaceAllString(scheme.ReplaceAllString(address, ""), "_")
	return fmt.Sprintf("%s.%d.%s", tokenIssuer, product, strings.ToLower(place))
}

// Client manages the license of this device. Create one client per product and process; several goroutines may use it.
//
// Most apps need only Activate, and Check at the start. After Check, State is kept up to date, and tokens and leases
// are renewed in the background. Faults of the network, the storage or a token are part of the state, never an error.
//
// Every call that may wait takes a context. When the context ends, the call returns the context's error at once. The
// work that the call started continues in the background, so that a seat that was just taken isn't lost, and the result
// appears in State. State, Has, Limit and Covers return at once.
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

	// seat is locked while a seat is taken or freed. It is never locked while a listener is called, because the
	// listener may call the client.
	seat sync.Mutex
	// lock is locked while the record is assessed and changed. It is never locked during a request or while a listener
	// is called.
	lock   sync.Mutex
	cache  *cache
	finder *deviceFinder
	// queues is true if amounts that can't be sent are stored.
	queues bool
	queue  *queue
	// sending is locked while stored amounts are sent.
	sending sync.Mutex
	// askAgainAt is the earliest time at which the next background request may be sent, in epoch milliseconds.
	askAgainAt float64
	// refreshAt is when the current token is due to be refreshed, in epoch milliseconds.
	refreshAt   float64
	isReleasing bool
	// isSendDue is true if the stored amounts will be sent in the background.
	isSendDue bool
	// isWaitingToSend is true if this process knows of stored amounts that could not be sent.
	isWaitingToSend bool
	// found is the state before the release of the app is compared with what the license covers.
	found     State
	stopTimer func()
	// closing ends when the client is closed; then no timer is started any more.
	closing context.Context
	closed  context.CancelFunc

	// state is read without a lock, because an app may ask for it each time it draws.
	state atomic.Pointer[State]
	// telling protects the following fields. It is locked only briefly.
	telling      sync.Mutex
	listeners    map[int]func(State)
	nextListener int
	// news are states that the listeners have not received yet.
	news        []State
	isNotifying bool
}

// New creates a client. It returns an error for an invalid option.
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
	client.closing, client.closed = context.WithCancel(context.Background())
	client.cache = &cache{storage: options.Storage, name: options.StorageName, timeout: options.Timeout, pause: max(0, options.RetryDelay) / 2, warn: client.onWarn}
	client.queues, client.queue = options.Offline == OfflineQueue, &queue{cache: client.cache}
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

// State is the latest license state. Before the first result, its Status is empty. State returns at once.
func (client *Client) State() State {
	if state := client.state.Load(); state != nil {
		return *state
	}
	return State{}
}

// Subscribe calls a function whenever State changes. The call happens in a goroutine of the client, before the method
// that changed the state returns. The function may call the client, and close it. Subscribe returns a function that
// unsubscribes.
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

// Has says whether the app may be used now and the license includes a feature, according to State. It works offline.
func (client *Client) Has(feature string) bool {
	state := client.State()
	return state.Status == Licensed && slices.Contains(state.Features, feature)
}

// Limit returns a limit of the license, according to State. It works offline. The second result is false if the license
// has no such limit, or if the app may not be used now.
func (client *Client) Limit(name string) (int64, bool) {
	state := client.State()
	if state.Status != Licensed {
		return 0, false
	}
	limit, isThere := state.Limits[name]
	return limit, isThere
}

// Covers says whether the app may be used now and the license covers Options.Release, according to State. It works
// offline, and doesn't depend on the clock. For another release use State().Updates.
func (client *Client) Covers() bool { return client.State().Updates.Covers(client.release) }

// Fingerprint is the fingerprint that identifies this device, in the canonical form that the service stores. If the
// device can't be identified now, the error is a *Fault.
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

// Check checks whether the app may be used on this device. A valid cached token is accepted without the
// network, and is refreshed in the background after half of its lifetime. Otherwise the service is asked once.
// Simultaneous calls share one result.
func (client *Client) Check(ctx context.Context) (State, error) {
	return await(ctx, func() (State, error) {
		defer client.notify()
		return client.checking.run(), nil
	})
}

// Validate asks the service now. If the service gives no decision, the result comes from the cache. If this result is
// Licensed or OfflineWithoutToken, its Fault says why there is no decision.
func (client *Client) Validate(ctx context.Context) (State, error) {
	return await(ctx, func() (State, error) {
		defer client.notify()
		return client.validating.run(), nil
	})
}

// Activate takes a seat for this device and caches its token. Pass the key as the user typed it. If the service refuses
// the key, the license of an earlier key stays active. If the service accepts the key, the new license replaces the
// earlier one, and the seat of the earlier key is freed. Repeating a call is harmless. If an argument can't be sent,
// nothing is sent, and the error is an *InputError.
func (client *Client) Activate(ctx context.Context, key string, labels Labels) (State, error) {
	return client.ActivateInPlace(ctx, key, "", labels)
}

// ActivateInPlace does the same as Activate. In addition, if the license is full, the service frees the seat of the
// device with the given ref (ListedDevice.Ref), and gives this seat to the current device.
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
	return client.takeSeat(activate, client.withRelease(fields{"key": key, "name": labels.Name, "platform": labels.Platform, "replace": ref}))
}

// withRelease adds the release of the app to the fields of a request.
func (client *Client) withRelease(given fields) fields {
	if release := client.release.json(); release != nil {
		given["release"] = release
	}
	return given
}

// Devices returns the devices that have seats of the current license; the device that was activated last comes first.
// Without a license the list is empty. The error is a *Fault. Its kind is Rejected if the vendor doesn't let apps see the
// list.
func (client *Client) Devices(ctx context.Context) ([]ListedDevice, error) {
	return client.devices(ctx, "")
}

// DevicesOf is like Devices, for the license with the given key. If the key can't be sent, the error is an *InputError.
func (client *Client) DevicesOf(ctx context.Context, key string) ([]ListedDevice, error) {
	if err := checkInput(keyField(key)); err != nil {
		return nil, err
	}
	return client.devices(ctx, trim(key))
}

func (client *Client) devices(ctx context.Context, key string) ([]ListedDevice, error) {
	return await(ctx, func() ([]ListedDevice, error) {
		client.lock.Lock()
		held, device, fault := client.identify()
		client.lock.Unlock()
		if key == "" {
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

// Latest returns the newest release that the license covers, with its files and the headers that a download needs. The
// request contains the current key, or the token if there is no key. Without key and token, the result contains a
// release only if the product's downloads are public. The error is a *Fault. Its kind is Rejected if the license grants
// no downloads, for example because it is revoked.
func (client *Client) Latest(ctx context.Context, target Target) (*Latest, error) {
	return await(ctx, func() (*Latest, error) {
		client.lock.Lock()
		held, _, fault := client.identify()
		client.lock.Unlock()
		if fault != nil && fault.Kind == StorageFailed {
			return nil, fault
		}
		version := trim(target.Version)
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

// Free frees the seat of another device of the current license (ListedDevice.Ref), and returns whether there was a seat.
// To free the seat of this device, use Deactivate, which also forgets the key. If the ref can't be sent, the error is an
// *InputError, otherwise a *Fault.
func (client *Client) Free(ctx context.Context, ref string) (freed bool, err error) {
	return client.free(ctx, ref, "", refField(ref))
}

// FreeOf is like Free, for a device of the license with the given key.
func (client *Client) FreeOf(ctx context.Context, ref, key string) (freed bool, err error) {
	return client.free(ctx, ref, trim(key), keyField(key), refField(ref))
}

func (client *Client) free(ctx context.Context, ref, key string, checked ...field) (freed bool, err error) {
	if err := checkInput(checked...); err != nil {
		return false, err
	}
	return await(ctx, func() (freed bool, err error) {
		defer client.changingSeats()()
		client.lock.Lock()
		held, _, fault := client.identify()
		client.lock.Unlock()
		if key == "" {
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

// Trial starts the product's trial, which needs no key. If this device had the trial before, Trial continues it. On a
// licensed device nothing changes, and no request is sent. If the device has a key but no accepted token, Trial
// validates the key and never replaces it. The e-mail address, which may be empty, is stored with the trial. If an
// argument can't be sent, nothing is sent, and the error is an *InputError.
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

// changingSeats takes the locks that keep two goroutines or processes from taking or freeing seats at the same time. It
// waits while another goroutine or process has a lock. The returned function releases the locks.
func (client *Client) changingSeats() (leave func()) {
	client.seat.Lock()
	unlock := client.cache.exclusively(client.service.closing, "seat")
	return func() {
		unlock()
		client.seat.Unlock()
	}
}

// Deactivate frees this device's seat and forgets its key and token. It returns whether a seat was freed. It needs the
// network only if a key is stored; a license from ImportToken may have no key. If another key is activated during the
// call, that activation stays. If the error is a *Fault, the seat may still be taken, and this device still has the
// license.
func (client *Client) Deactivate(ctx context.Context) (freed bool, err error) {
	return await(ctx, func() (freed bool, err error) {
		client.sendBeforeFreeing()
		defer client.notify()
		defer client.changingSeats()()
		found := client.assessNow()
		freed, fault := client.freeSeat(found)
		if fault != nil {
			return false, fault
		}
		client.lock.Lock()
		_, isHeld := client.changeKey(found.record, func(current record) record { return current.emptied(found.time) })
		if isHeld {
			client.publish(State{Status: Unbound}, nil, record{})
		}
		client.lock.Unlock()
		if !isHeld {
			client.overtaken()
		}
		return freed, nil
	})
}

// Forget is for uninstallers. It frees this device's seat if the service can be reached, and deletes all stored data.
// If the error is a *Fault, the seat may still be taken.
func (client *Client) Forget(ctx context.Context) (freed bool, err error) {
	return await(ctx, func() (freed bool, err error) {
		client.sendBeforeFreeing()
		defer client.notify()
		defer client.changingSeats()()
		for {
			held := client.assessNow()
			freed, fault := client.freeSeat(held)
			// If another process has activated a key in the meantime, the next round frees the seat of that key and deletes its
			// data as well.
			if !client.clear(held.record) {
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
	client.isWaitingToSend = false
	client.publish(State{Status: Unbound}, nil, record{})
	return true
}

// OfflineRequest returns a request for a device that is never online. The user gives this text to the operator, for
// example in a file or as a QR code. The operator responds with a token for ImportToken. If an argument is not valid,
// the error is an *InputError. If this device can't be identified now, the error is a *Fault.
func (client *Client) OfflineRequest(ctx context.Context, key string, labels Labels) (string, error) {
	if err := checkInput(append([]field{keyField(key)}, labels.fields()...)...); err != nil {
		return "", err
	}
	fingerprint, err := client.Fingerprint(ctx)
	if err != nil {
		return "", err
	}
	return OfflineRequest{client.product, trim(key), fingerprint, trim(labels.Name), trim(labels.Platform)}.String(), nil
}

// ImportToken licenses a device that is never online. The token is the operator's response to an OfflineRequest, or a
// token that is bound to no device (needs AllowUnboundTokens). If the token is accepted, it replaces the cached data.
// Otherwise the error is a *TokenError.
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
			imported, isHeld := client.changeActivation(before.record, func(current record) record {
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

// importTime is the time at which an imported token is verified; this time is then stored as the latest time seen.
// issuedAt is when the imported token was issued (epoch ms). Normally importTime is issuedAt or the latest time seen,
// whichever is later. There are two exceptions. If the imported token is newer than the current one, the clock replaces
// the latest time seen, so that an import corrects a wrong time from a clock that was ahead. If issuedAt is more than a
// day ahead of the clock, issuedAt is ignored.
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

// Idle returns when no background request is in progress and the cache is written.
func (client *Client) Idle(ctx context.Context) error {
	return done(ctx, client.rest)
}

// Close stops requests, timers and notifications. The cache is still written.
func (client *Client) Close(ctx context.Context) error {
	client.stop()
	return done(ctx, client.end)
}

// CloseAndRelease is for floating licenses. It frees this device's seat, and then does the same as Close. The key stays
// stored: at the next start the state is Unbound, and State.Key contains the key, so that the app can activate it
// again. Without a network, the seat is freed when its lease ends.
func (client *Client) CloseAndRelease(ctx context.Context) error {
	client.stop()
	return done(ctx, func() {
		client.releaseSeat()
		client.notify()
		client.end()
	})
}

// done waits for a task that has no result.
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
	client.closed()
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
	client.sendBeforeFreeing()
	defer client.changingSeats()()
	found := client.assessNow()
	key := found.record.Key
	if found.record.Token == "" || key == "" {
		return
	}
	if _, fault := client.freeSeat(found); fault != nil {
		return
	}
	client.lock.Lock()
	defer client.lock.Unlock()
	_, isHeld := client.changeKey(found.record, func(current record) record {
		kept := current.emptied(found.time)
		kept.Key, kept.Refused, kept.Device = key, string(Unbound), current.Device
		return kept
	})
	if isHeld {
		client.publish(refusalState(string(Unbound), key, nil), nil, record{})
	}
}

// freeSeat frees this device's seat. It returns whether a seat was freed, or why the result is unknown.
func (client *Client) freeSeat(held assessment) (bool, *Fault) {
	if held.record.Key == "" && (held.fault == nil || held.fault.Kind != StorageFailed) {
		return false, nil
	}
	if held.fault != nil {
		return false, held.fault
	}
	freed, _, fault := client.service.free(held.record.Key, held.device.id, "")
	return freed, fault
}

// keepSeat is called after the seat of a key was freed. If another process has activated the same key in the meantime,
// that process needs the seat, so the key is activated again.
func (client *Client) keepSeat(freed string) {
	held := client.assessNow().record
	if freed != "" && held.Key != "" && held.Token != "" && isSameKey(held.Key, freed) {
		client.submit(func() { client.activate(held.Key, "", Labels{}) })
	}
}

// submit runs a task in the background. The listeners are called in another goroutine, so that a listener may call Idle
// or Close, which wait for the background tasks.
func (client *Client) submit(task func()) {
	client.background.submit(func() {
		task()
		go client.notify()
	})
}

func (client *Client) checkOnce() State {
	state, found := client.checkCache()
	if found.problem != "" {
		state = client.validating.run()
	}
	client.keepTime(found)
	return state
}

// checkCache returns the state if the cached token is accepted.
func (client *Client) checkCache() (State, assessment) {
	client.lock.Lock()
	defer client.lock.Unlock()
	found := client.assess()
	held := found.record
	if found.now >= client.askAgainAt {
		client.sendInBackground()
		if len(held.Release) > 0 {
			client.releaseInBackground()
		}
	}
	if found.problem != "" {
		return State{}, found
	}
	if held.Key != "" && found.now >= math.Max(found.claims.refreshTime(), client.askAgainAt) {
		client.submit(func() { client.validating.run() })
	}
	return client.publish(client.rules.stateFromCache(found, nil), found.claims, held), found
}

func (client *Client) validateOnce() State {
	client.lock.Lock()
	before := client.assess()
	if before.fault != nil || before.record.Key == "" {
		defer client.lock.Unlock()
		return client.concludeFault(before.fault, before)
	}
	client.lock.Unlock()

	reply, fault := client.service.ask(validate, fields{
		"key":         before.record.Key,
		"fingerprint": before.device.id,
		"version":     client.release.Version,
		tokenHeader:   before.record.Token,
	})
	if state, isConcluded := client.concludeValidation(reply, fault, before); isConcluded {
		return state
	}
	return client.overtaken()
}

// concludeValidation returns false if another call or another process has changed the activation during the request,
// because the reply then no longer applies.
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

// overtaken returns the state of the current activation, after another call or another process has changed the
// activation during a request.
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
	expected := seatChange{before: before, replaced: before.record.Key, change: client.changeKey}
	if key == "" {
		expected.change = client.changeActivation
	}
	return client.concludeSeat(key, reply, fault, seats, expected)
}

// seatChange is what a call that takes a seat has found before its request.
type seatChange struct {
	before assessment
	// replaced is the key whose seat is freed, unless the new key has the same seat; empty if there is none.
	replaced string
	// change updates the record if it still has the activation that was found.
	change func(expected record, make func(current record) record) (record, bool)
}

// concludeSeat returns the state after a reply that may grant a seat. key is the key that was sent, if there was one.
func (client *Client) concludeSeat(key string, reply reply, fault *Fault, seats *Seats, expected seatChange) State {
	if state, isConcluded := client.concludeSeatNow(key, reply, fault, seats, expected); isConcluded {
		return state
	}
	return client.overtaken()
}

// concludeSeatNow is concludeSeat if the activation has not changed during the request; otherwise it returns false.
func (client *Client) concludeSeatNow(key string, reply reply, fault *Fault, seats *Seats, expected seatChange) (State, bool) {
	client.lock.Lock()
	defer client.lock.Unlock()
	found := client.assess()
	held := found.record
	isHeld := key != "" && held.Key != "" && isSameKey(held.Key, key)
	var trusted trustedReply
	if fault == nil {
		asked := found
		asked.device, asked.fault = expected.before.device, nil
		trusted, fault = client.verifyReply(reply, asked, isHeld)
	}
	if fault != nil {
		if isHeld {
			return client.concludeFault(fault, found), true
		}
		// If another key can't be activated, the current license stays, and the result says that the other key was not
		// activated.
		return client.publishUnlessLicensed(offlineState(found, fault), found), true
	}
	if trusted.refusal == "" {
		replaced := expected.replaced
		if found.isOfLicense(trusted.claims) {
			replaced = ""
		}
		kept, isChanged := expected.change(expected.before.record, func(current record) record { return trusted.record.grantedIn(current).releasing(replaced) })
		if isChanged {
			return client.concludeGrant(kept, trusted.claims), true
		}
		// The reply comes too late, because another process has activated a key during the request.
		if !client.assess().isOfLicense(trusted.claims) {
			client.change(func(current record) (record, bool) { return current.releasing(trusted.record.Key), true })
		}
		client.releaseInBackground()
		return State{}, false
	}
	if isHeld && (trusted.isSigned || isSignable(trusted.refusal) || !client.isProtected(found)) {
		if seats != nil {
			found.record.Seats = seats
		}
		return client.conclude(trusted, found)
	}
	return client.publishUnlessLicensed(refusalState(trusted.refusal, "", seats), found), true
}

// seatsOf requests a validation to get the seat numbers for the state NoSeats, because the refusal doesn't contain
// them.
func (client *Client) seatsOf(key, fingerprint string) *Seats {
	reply, _ := client.service.ask(validate, fields{"key": key, "fingerprint": fingerprint})
	if found, isUnbound := reply.(notBound); isUnbound {
		return found.seats
	}
	return nil
}

// trustedReply is a reply of the service: a grant, or the name of a refusal. If the reply needs a signature, the
// signature was verified.
type trustedReply struct {
	// The following fields belong to a grant.
	record record
	claims *TokenClaims
	// The following fields belong to a refusal.
	refusal  string
	seen     float64
	isSigned bool
}

// The callers of the following functions have locked `lock`, unless the function's comment says otherwise.

// concludeFault returns the state if the service gave no decision. fault is the fault that prevented a decision; nil if
// there was no fault.
func (client *Client) concludeFault(fault *Fault, found assessment) State {
	if fault != nil {
		client.askAgainAt = found.now + math.Max(retryPause, float64(fault.RetryAfter/time.Millisecond))
	}
	return client.publish(client.rules.stateFromCache(found, fault), found.claims, found.record)
}

// conclude stores the service's decision about the current key; it returns false if the activation has changed since
// the request.
func (client *Client) conclude(reply trustedReply, found assessment) (State, bool) {
	if reply.refusal == "" {
		kept, isHeld := client.changeActivation(found.record, reply.record.grantedIn)
		if !isHeld {
			return State{}, false
		}
		return client.concludeGrant(kept, reply.claims), true
	}
	kept, isHeld := client.changeActivation(found.record, func(current record) record {
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

// concludeGrant returns the state after a grant was stored.
func (client *Client) concludeGrant(kept record, claims *TokenClaims) State {
	// Ends the pause. A pause that began while the clock was ahead could last for days after the clock is corrected.
	client.askAgainAt = 0
	client.sendInBackground()
	if len(kept.Release) > 0 {
		client.releaseInBackground()
	}
	return client.publish(licensedState(FromNetwork, claims, kept, nil, claims.end()), claims, kept)
}

// isOfLicense says whether the held token is of the same license as a new token. If so, its key has the same seat, even
// if the key is written differently.
func (found assessment) isOfLicense(claims *TokenClaims) bool {
	return found.claims != nil && found.claims.Subject == claims.Subject
}

func (client *Client) releaseInBackground() {
	if !client.isReleasing {
		client.isReleasing = true
		client.submit(client.releaseOldSeats)
	}
}

// releaseOldSeats frees the seats of replaced keys, but never the seat of the current key. A key that the service
// doesn't know is dropped; a key whose seat can't be freed now stays in record.Release. No seat is freed while the
// storage may still contain the replaced key, because the app would start with this key after a crash. The function
// takes `lock` itself.
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
	if fault != nil || !slices.Contains(held.Release, key) || !client.cache.isStored() {
		return
	}
	isHeld := held.hasKey(key)
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
	client.cache.change(func(current record) (record, bool) { return current.without(key), true })
	client.lock.Unlock()
	if !isHeld {
		client.keepSeat(key)
	}
}

func (client *Client) now() float64 { return float64(client.clock().UnixMilli()) }

// identify returns the record and this device, or a fault if the device can't be identified, or if no attempt to read
// the record has succeeded yet.
func (client *Client) identify() (record, device, *Fault) {
	held, isKnown := client.cache.load()
	if !isKnown {
		return record{}, device{}, &Fault{Kind: StorageFailed, Message: notRead}
	}
	found, fault := client.finder.find(held)
	return held, found, fault
}

// assess verifies the cached token for this device, without a network.
func (client *Client) assess() assessment {
	held, device, fault := client.identify()
	return assess(client.rules, held, device, fault, client.now(), held.Token, nil)
}

// assessOther is like assess, but verifies the given token instead of the cached one. timeOf returns the time at which
// the token is verified.
func (client *Client) assessOther(token string, timeOf func(*TokenClaims) float64) assessment {
	held, device, fault := client.identify()
	return assess(client.rules, held, device, fault, client.now(), token, timeOf)
}

// assessNow is assess for callers that have not locked `lock`.
func (client *Client) assessNow() assessment {
	client.lock.Lock()
	defer client.lock.Unlock()
	return client.assess()
}

// signs says whether the client knows that this service signs its refusals.
func (found assessment) signs() bool {
	return found.record.Verdicts || (found.claims != nil && found.claims.Verdicts)
}

// isProtected says whether a refusal must pass the checks of verifyReply before it may end the current license. This is
// the case if the service signs its refusals, or if the license may still be valid.
func (client *Client) isProtected(found assessment) bool {
	return found.signs() || client.rules.mayStillCount(found)
}

// verifyReply verifies the content of a reply. A reply grants a license only if it contains a valid token. A refusal of
// the current key is verified if the current license is protected (isProtected). In that case a reply that says
// that the key is unknown is never trusted. If the service is known to sign its refusals, a refusal that can be signed
// must be signed.
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
	isProtected := isAboutHeldKey && client.isProtected(found)
	if verdict != nil && (isSignable(name) || name == string(UnknownKey)) {
		expected := verdictExpectation{audience: client.rules.audience, fingerprint: found.device.id}
		if expected.audience == "" {
			expected.audience = claims.Audience
		}
		if isAboutHeldKey {
			expected.licenseID, expected.tokenIssuedAt = claims.Subject, claims.IssuedAt
		}
		status, issuedAt, problem := verifyVerdict(client.rules.keys, *verdict, expected)
		switch {
		case problem == "" && status == "unknown":
			status = string(UnknownKey)
			fallthrough
		case problem == "":
			return trustedReply{refusal: status, seen: latestTime(issuedAt, found), isSigned: true}, nil
		case isProtected:
			return untrusted("verdict not accepted: " + problem)
		}
		return unsigned, nil
	}
	switch {
	case !isProtected:
		return unsigned, nil
	case name == string(UnknownKey):
		return untrusted("the service does not know a key that it has licensed")
	case !isSignable(name):
		return unsigned, nil
	case found.signs():
		return untrusted("the refusal is not signed")
	case isUnbound && (unbound.licenseID != claims.Subject || !isSameKey(found.record.Key, unbound.key)):
		return untrusted("the response is about another license")
	}
	return unsigned, nil
}

func (client *Client) verifyGrant(reply granted, found assessment) (trustedReply, *Fault) {
	var seen float64
	claims, problem := verifyWith(client.rules.keys, reply.token, client.rules.expectation(found.device.id), func(claims *TokenClaims) float64 {
		seen = latestTime(claims.IssuedAt, found)
		return seen
	})
	switch problem {
	case "":
	case "expired":
		return trustedReply{}, &Fault{Kind: ClockAhead, Message: "the clock is ahead: the new token has already expired"}
	default:
		return trustedReply{}, &Fault{Kind: Untrusted, Message: "token not accepted: " + problem}
	}
	return trustedReply{claims: claims, record: record{
		Key:      reply.key,
		Token:    reply.token,
		Seen:     &seen,
		Device:   found.device.kind,
		TypeName: reply.typeName,
		Seats:    reply.seats,
	}}, nil
}

// grantedIn is the record with a new grant. Its other fields are those of the current record.
func (granted record) grantedIn(current record) record {
	granted.Verdicts, granted.Release = current.Verdicts, current.Release
	return granted.releasing("")
}

// latestTime returns the latest time that is known to have passed, after a signature with issuedAt (in seconds) has
// arrived. If the clock and issuedAt differ by at most clockSkew, the clock is right: the result is the clock's time,
// even if a later time was stored. Otherwise the result is the latest of the clock's time, the stored time and
// issuedAt: a clock behind issuedAt is wrong, but a clock ahead of issuedAt may be right, because the response may be
// old.
func latestTime(issuedAt float64, found assessment) float64 {
	if math.Abs(found.now-issuedAt*1000) > clockSkew {
		return math.Max(found.time, issuedAt*1000)
	}
	return found.now
}

// keepTime stores the latest time that is known to have passed, at most once a minute. It does so in the background, so
// that a lock that another process has left behind doesn't delay the app's start. The caller has not locked `lock`.
func (client *Client) keepTime(found assessment) {
	held := found.record
	if held.Token == "" || (held.Seen != nil && found.time-*held.Seen < seenPrecision) {
		return
	}
	client.submit(func() {
		client.cache.change(func(current record) (record, bool) {
			seen := found.time
			if current.Seen != nil {
				seen = math.Max(seen, *current.Seen)
			}
			current.Seen = &seen
			return current, current.isSameActivation(held)
		})
	})
}

// change updates the record. After the update, replies to earlier requests are ignored.
func (client *Client) change(make maker) (record, bool) {
	client.invalidate()
	return client.cache.change(make)
}

// changeActivation updates the record if it still has the expected key and token.
func (client *Client) changeActivation(expected record, make func(current record) record) (record, bool) {
	return client.change(func(current record) (record, bool) {
		return make(current), current.isSameActivation(expected)
	})
}

// changeKey updates the record if it still has the expected key. This is the comparison for calls that have the lock for
// seats: meanwhile only a refresh can have stored another token, and that token is about the same seat.
func (client *Client) changeKey(expected record, make func(current record) record) (record, bool) {
	return client.change(func(current record) (record, bool) {
		return make(current), current.Key == expected.Key
	})
}

func (client *Client) invalidate() {
	client.checking.forget()
	client.validating.forget()
}

// publishUnlessLicensed publishes a state only if the device is not licensed. For example, if the service refuses
// another key, a licensed device keeps its state.
func (client *Client) publishUnlessLicensed(state State, found assessment) State {
	if client.rules.stateFromCache(found, nil).Status == Licensed {
		return state
	}
	return client.publish(state, nil, record{})
}

// publish makes a state the latest one. The claims and the record belong to the current token, and determine when to
// refresh the token.
func (client *Client) publish(state State, claims *TokenClaims, held record) State {
	client.refreshAt = math.Inf(1)
	if claims != nil && held.Key != "" {
		client.refreshAt = claims.refreshTime()
	}
	if state.Status == Licensed && state.Fault == nil && !client.cache.isStored() {
		state.Fault = &Fault{Kind: StorageFailed, Message: "the license was not stored"}
	}
	client.found = state
	client.sleep()
	if state.Status == Licensed && !state.Updates.Covers(client.release) {
		// The token of a license that doesn't cover this release is still refreshed, because the operator may extend
		// the license, or the user may install an older release.
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

// sleep schedules the next check for the time at which the state may change: when the token ends, when the token is due
// to be refreshed, when the pause after a failed request ends, or when a record that could not be stored is to be stored
// again.
func (client *Client) sleep() {
	client.stopTimer()
	now, state := client.now(), client.found
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
	if client.isWaitingToSend {
		wakeAt = math.Min(wakeAt, client.askAgainAt)
	}
	if !client.cache.isStored() {
		wakeAt = math.Min(wakeAt, now+storePause)
	}
	if client.closing.Err() != nil || math.IsInf(wakeAt, 1) {
		return
	}
	after := math.Min(math.Max(wakeAt-now, minSleep), maxSleep)
	client.stopTimer = client.schedule(func() { client.submit(func() { client.checking.run() }) }, time.Duration(after)*time.Millisecond)
}

// notify passes every state to the listeners, in order, from one goroutine at a time. It calls the listeners without a
// lock.
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
