package licensekey

import (
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
type Client struct {
	product  int64
	rules    rules
	service  *service
	clock    func() time.Time
	onWarn   func(message string, cause error)
	schedule func(task func(), after time.Duration) (cancel func())

	checking, validating shared
	background           background

	// lock is held while the record is assessed and changed; never while the service is asked or a listener is called.
	lock   sync.Mutex
	cache  *cache
	finder *deviceFinder
	// changes counts changes of the record; a reply to a request from before one is about the past.
	changes int
	// askAgainAt is when the background may ask again, in epoch milliseconds.
	askAgainAt float64
	// refreshAt is when the token that is held is due to be refreshed, in epoch milliseconds.
	refreshAt    float64
	isReleasing  bool
	isClosed     bool
	stopTimer    func()
	state        *State
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

// State is the newest result; nil before the first.
func (client *Client) State() *State {
	client.lock.Lock()
	defer client.lock.Unlock()
	return client.state
}

// Subscribe calls a function whenever State changes, in the goroutine that has changed it. It gives what ends that.
func (client *Client) Subscribe(listener func(State)) (end func()) {
	client.lock.Lock()
	defer client.lock.Unlock()
	place := client.nextListener
	client.nextListener++
	client.listeners[place] = listener
	return func() {
		client.lock.Lock()
		defer client.lock.Unlock()
		delete(client.listeners, place)
	}
}

// Has says whether use is granted now and a feature was bought, by State: it works offline too.
func (client *Client) Has(feature string) bool {
	state := client.State()
	return state != nil && state.Status == Licensed && slices.Contains(state.Features, feature)
}

// Fingerprint is this device as the service knows it. The error is a *Fault: it can't be found now.
func (client *Client) Fingerprint() (string, error) {
	client.lock.Lock()
	defer client.lock.Unlock()
	device, fault := client.finder.find(client.cache.load())
	if fault != nil {
		return "", fault
	}
	return device.id, nil
}

// Check says whether this app may be used here. A cached token that verifies is accepted without the network, and
// refreshed in the background once half of its life is over. Otherwise the service is asked, once. Calls at the same
// time share one result.
func (client *Client) Check() State {
	defer client.notify()
	return client.checking.run()
}

// Validate asks the service now. If it gives no verdict, the result is what the cache is worth, with the Fault.
func (client *Client) Validate() State {
	defer client.notify()
	return client.validating.run()
}

// Activate takes a seat for this device and caches its token. The key is as the user typed it. A key that is refused
// leaves the license of another key as it is; one that is accepted replaces it, and the seat of the old key is freed.
// Repeating it is harmless. The error is an *InputError: nothing was sent.
func (client *Client) Activate(key string, labels Labels) (State, error) {
	if err := checkInput(append([]field{keyField(key)}, labels.fields()...)...); err != nil {
		return State{}, err
	}
	defer client.notify()
	return client.takeSeat(activate, map[string]string{"key": trim(key), "name": labels.Name, "platform": labels.Platform}), nil
}

// Trial starts the trial that the product offers without a key, or continues it on a device that had it before. A device
// that is licensed already stays as it is, and nobody is asked. The e-mail address, which may be empty, is kept with the
// trial. The error is an *InputError: nothing was sent.
func (client *Client) Trial(customerEmail string, labels Labels) (State, error) {
	if err := checkInput(append(labels.fields(), field{"customer_email", customerEmail, 254, false})...); err != nil {
		return State{}, err
	}
	defer client.notify()
	if state, isLicensed := client.heldState(); isLicensed {
		return state, nil
	}
	return client.takeSeat(trial, map[string]string{"name": labels.Name, "platform": labels.Platform, "customer_email": customerEmail}), nil
}

func (client *Client) heldState() (State, bool) {
	client.lock.Lock()
	defer client.lock.Unlock()
	found := client.assess()
	if found.problem != "" {
		return State{}, false
	}
	return client.publish(client.rules.stateFromCache(found, nil), nil, record{}), true
}

// Deactivate frees this device's seat and forgets its key and token; it says whether a seat was freed. It needs the
// network, unless the license came by ImportToken. The error is a *Fault: the seat is still taken, the license still held.
func (client *Client) Deactivate() (freed bool, err error) {
	defer client.notify()
	found := client.assessNow()
	freed, fault := client.freeSeat(found.record)
	if fault != nil {
		return false, fault
	}
	client.lock.Lock()
	defer client.lock.Unlock()
	client.change(found.record.emptied(found.time))
	client.publish(State{Status: Unbound}, nil, record{})
	return freed, nil
}

// Forget is for uninstallers: it frees this device's seat if the service can be reached, and deletes everything that is
// stored. The error is a *Fault: the seat is still taken.
func (client *Client) Forget() (freed bool, err error) {
	defer client.notify()
	freed, fault := client.freeSeat(client.assessNow().record)
	client.lock.Lock()
	defer client.lock.Unlock()
	client.invalidate()
	client.cache.clear()
	client.publish(State{Status: Unbound}, nil, record{})
	if fault != nil {
		return false, fault
	}
	return freed, nil
}

// OfflineRequest is what a machine that is never online sends to the operator, as text, file or QR code. The operator's
// token goes to ImportToken. The error is an *InputError, or a *Fault if this device can't be identified now.
func (client *Client) OfflineRequest(key string, labels Labels) (string, error) {
	if err := checkInput(append([]field{keyField(key)}, labels.fields()...)...); err != nil {
		return "", err
	}
	fingerprint, err := client.Fingerprint()
	if err != nil {
		return "", err
	}
	return OfflineRequest{client.product, trim(key), fingerprint, labels.Name, labels.Platform}.String(), nil
}

// ImportToken licenses a machine that is never online with a token that came by other means: the operator's response to
// an OfflineRequest, or one that was minted for no device (needs AllowUnboundTokens). It takes the place of what was
// cached, unless it is not accepted; then the error is a *TokenError.
func (client *Client) ImportToken(token string) (State, error) {
	defer client.notify()
	client.lock.Lock()
	defer client.lock.Unlock()
	text := withoutWhiteSpace(token)
	held := client.cache.load()
	device, fault := client.finder.find(held)
	found := assess(client.rules, held, device, fault, client.now(), text)
	if text == "" && fault == nil {
		found.problem = "malformed"
	}
	if found.problem != "" {
		return State{}, &TokenError{found.problem}
	}
	imported := held.emptied(found.time)
	imported.Token, imported.Device = text, device.kind
	if before := client.assess().claims; before != nil && before.Subject == found.claims.Subject {
		imported.Key = held.Key
	}
	imported = imported.releasing(held.Key)
	client.change(imported)
	return client.publish(licensedState(FromCache, found.claims, imported, nil, found.claims.end()), found.claims, imported), nil
}

// Idle returns when the background has come to rest: no request under way, the cache written.
func (client *Client) Idle() {
	client.background.wait()
	client.lock.Lock()
	defer client.lock.Unlock()
	client.cache.settle()
}

// Close ends requests under way, timers and notifications. What is cached is still written.
func (client *Client) Close() { client.end(func() {}) }

// CloseAndRelease frees this device's seat first and keeps the key: for floating licenses. The next start is Unbound with
// the key to activate again. Without a network the seat is free when its lease has ended.
func (client *Client) CloseAndRelease() { client.end(client.releaseSeat) }

func (client *Client) end(release func()) {
	client.lock.Lock()
	client.isClosed = true
	client.stopTimer()
	client.lock.Unlock()
	release()
	client.notify()
	client.service.close()
	client.lock.Lock()
	clear(client.listeners)
	client.lock.Unlock()
	client.Idle()
}

func (client *Client) releaseSeat() {
	found := client.assessNow()
	held := found.record
	if held.Token == "" || held.Key == "" {
		return
	}
	if _, fault := client.freeSeat(held); fault != nil {
		return
	}
	client.lock.Lock()
	defer client.lock.Unlock()
	kept := held.emptied(found.time)
	kept.Key, kept.Refused, kept.Device = held.Key, string(Unbound), held.Device
	client.change(kept)
	client.publish(refusalState(kept.Refused, kept.Key, nil), nil, record{})
}

// freeSeat says whether a seat was freed, or why that is unknown.
func (client *Client) freeSeat(held record) (bool, *Fault) {
	if held.Key == "" {
		return false, nil
	}
	client.lock.Lock()
	device, fault := client.finder.find(held)
	client.lock.Unlock()
	if fault != nil {
		return false, fault
	}
	return client.service.free(held.Key, device.id)
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
		client.background.submit(func() { client.Validate() })
	}
	return client.publish(client.rules.stateFromCache(found, nil), found.claims, held), true
}

func (client *Client) validateOnce() State {
	client.lock.Lock()
	changes := client.changes
	before := client.assess()
	if before.fault != nil || before.record.Key == "" {
		defer client.lock.Unlock()
		return client.concludeFault(before.fault, before)
	}
	client.lock.Unlock()

	reply, fault := client.service.ask(validate, map[string]string{"key": before.record.Key, "fingerprint": before.device.id})
	if state, isConcluded := client.concludeValidation(reply, fault, before, changes); isConcluded {
		return state
	}
	return client.checking.run()
}

// concludeValidation is false if another call or another process has overtaken the request: the reply is about what is
// no longer held.
func (client *Client) concludeValidation(reply reply, fault *Fault, before assessment, changes int) (State, bool) {
	client.lock.Lock()
	defer client.lock.Unlock()
	found := client.assess()
	isHeldStill := found.record.Key == before.record.Key && found.record.Token == before.record.Token
	if client.changes != changes || !isHeldStill {
		client.invalidate()
		return State{}, false
	}
	if fault != nil {
		return client.concludeFault(fault, found), true
	}
	trusted, fault := client.verifyReply(reply, found, true)
	if fault != nil {
		return client.concludeFault(fault, found), true
	}
	return client.conclude(trusted, found), true
}

func (client *Client) takeSeat(operation operation, fields map[string]string) State {
	client.lock.Lock()
	before := client.assess()
	if before.fault != nil {
		defer client.lock.Unlock()
		return client.concludeFault(before.fault, before)
	}
	client.lock.Unlock()

	key, fingerprint := fields["key"], before.device.id
	fields["fingerprint"] = fingerprint
	reply, fault := client.service.ask(operation, fields)
	var seats *Seats
	if refusal, isRefused := reply.(refused); isRefused && refusal.name == string(NoSeats) && key != "" {
		seats = client.seatsOf(key, fingerprint)
	}

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
			return client.concludeFault(fault, found)
		}
		// What is held is still held; the result says that the other key was not activated.
		return client.publishUnlessLicensed(offlineState(found, fault), found)
	}
	if trusted.refusal == "" {
		replaced := held.Key
		if replaced == "" {
			replaced = before.record.Key
		}
		trusted.record = trusted.record.releasing(replaced)
		return client.conclude(trusted, found)
	}
	if isHeld && (isLicenseStatus(trusted.refusal) || !client.rules.mayStillCount(found)) {
		if seats != nil {
			found.record.Seats = seats
		}
		return client.conclude(trusted, found)
	}
	return client.publishUnlessLicensed(refusalState(trusted.refusal, "", seats), found)
}

// seatsOf gives the numbers behind `no_seats`, which an error's body doesn't have.
func (client *Client) seatsOf(key, fingerprint string) *Seats {
	reply, _ := client.service.ask(validate, map[string]string{"key": key, "fingerprint": fingerprint})
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

// conclude keeps what the service said about the key that is held.
func (client *Client) conclude(reply trustedReply, found assessment) State {
	if reply.refusal == "" {
		client.change(reply.record)
		if len(reply.record.Release) > 0 {
			client.releaseInBackground()
		}
		return client.publish(licensedState(FromNetwork, reply.claims, reply.record, nil, reply.claims.end()), reply.claims, reply.record)
	}
	held := found.record
	kept := held.emptied(reply.seen)
	kept.Refused, kept.Key, kept.TypeName, kept.Device, kept.Seats = reply.refusal, held.Key, held.TypeName, held.Device, held.Seats
	kept.Verdicts = held.Verdicts || reply.isSigned
	client.change(kept)
	return client.publish(refusalState(reply.refusal, kept.Key, kept.Seats), nil, record{})
}

func (client *Client) releaseInBackground() {
	if !client.isReleasing {
		client.isReleasing = true
		client.background.submit(client.releaseOldSeats)
	}
}

// releaseOldSeats frees the seats of keys that were replaced. One that the service refuses to free is given up; one that
// it can't be asked about stays. It takes the lock itself.
func (client *Client) releaseOldSeats() {
	found := client.assessNow()
	client.lock.Lock()
	client.isReleasing = false
	client.lock.Unlock()
	if found.fault != nil {
		return
	}
	var settled []string
	hasFailed := false
	for _, key := range found.record.Release {
		if _, fault := client.service.free(key, found.device.id); fault == nil || fault.Kind == Rejected {
			settled = append(settled, key)
		} else {
			hasFailed = true
		}
	}
	client.lock.Lock()
	defer client.lock.Unlock()
	if hasFailed {
		client.askAgainAt = math.Max(client.askAgainAt, found.now+retryPause)
	}
	if len(settled) == 0 {
		return
	}
	held := client.cache.load()
	held.Release = slices.DeleteFunc(slices.Clone(held.Release), func(key string) bool { return slices.Contains(settled, key) })
	client.cache.save(held)
}

func (client *Client) now() float64 { return float64(client.clock().UnixMilli()) }

// assess assesses the cached token by key, clock and device, without a network.
func (client *Client) assess() assessment {
	held := client.cache.load()
	device, fault := client.finder.find(held)
	return assess(client.rules, held, device, fault, client.now(), held.Token)
}

// assessNow is assess for those who don't hold the lock.
func (client *Client) assessNow() assessment {
	client.lock.Lock()
	defer client.lock.Unlock()
	return client.assess()
}

// verifyReply verifies what a reply claims. Only a token grants a license. While one is held that may still count, only
// what the service has proved takes it away: a verdict, once the service is known to sign them; and never that it
// doesn't know the key.
func (client *Client) verifyReply(reply reply, found assessment, isAboutHeldKey bool) (trustedReply, *Fault) {
	held, claims := found.record, found.claims
	isProtected := isAboutHeldKey && client.rules.mayStillCount(found)
	untrusted := func(message string) (trustedReply, *Fault) {
		return trustedReply{}, &Fault{Kind: Untrusted, Message: message}
	}
	switch reply := reply.(type) {
	case granted:
		return client.verifyGrant(reply, found)
	case notBound:
		if isProtected && (reply.licenseID != claims.Subject || !isSameKey(held.Key, reply.key)) {
			return untrusted("the response is about another license")
		}
		return trustedReply{refusal: string(Unbound), seen: found.time}, nil
	case refused:
		unsigned := trustedReply{refusal: reply.name, seen: found.time}
		switch {
		case !isProtected:
			return unsigned, nil
		case reply.name == string(UnknownKey):
			return untrusted("the service does not know a key that it has licensed")
		case !isLicenseStatus(reply.name):
			return unsigned, nil
		case reply.verdict == nil && held.Verdicts:
			return untrusted("the refusal is not signed")
		case reply.verdict == nil:
			return unsigned, nil
		}
		audience := client.rules.audience
		if audience == "" {
			audience = claims.Audience
		}
		status, issuedAt, problem := verifyVerdict(client.rules.keys, *reply.verdict, verdictExpectation{audience, claims.Subject, found.device.id, claims.IssuedAt})
		if problem != "" {
			return untrusted("verdict not accepted: " + problem)
		}
		return trustedReply{refusal: status, seen: latestTime(issuedAt, found), isSigned: true}, nil
	}
	return untrusted("there is no such reply")
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
	// Read again: another process may have replaced the record while this one was assessed.
	current := client.cache.load()
	if current.Token != held.Token || current.Key != held.Key {
		return
	}
	seen := found.time
	if current.Seen != nil {
		seen = math.Max(seen, *current.Seen)
	}
	current.Seen = &seen
	client.cache.save(current)
}

// change keeps a new record. Replies to earlier requests come too late from here on.
func (client *Client) change(record record) {
	client.invalidate()
	client.cache.save(record)
}

func (client *Client) invalidate() {
	client.changes++
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
	if client.state == nil || !reflect.DeepEqual(*client.state, state) {
		client.state = &state
		client.news = append(client.news, state)
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
	client.stopTimer = client.schedule(func() { client.background.submit(func() { client.Check() }) }, time.Duration(after)*time.Millisecond)
}

// notify gives the listeners every state, in order, by one goroutine at a time. It takes the lock itself, and calls the
// listeners without it.
func (client *Client) notify() {
	client.lock.Lock()
	defer client.lock.Unlock()
	for !client.isNotifying && len(client.news) > 0 {
		state := client.news[0]
		client.news = client.news[1:]
		listeners := make([]func(State), 0, len(client.listeners))
		for _, place := range slices.Sorted(maps.Keys(client.listeners)) {
			listeners = append(listeners, client.listeners[place])
		}
		client.isNotifying = true
		client.lock.Unlock()
		for _, listener := range listeners {
			listener(state)
		}
		client.lock.Lock()
		client.isNotifying = false
	}
}
