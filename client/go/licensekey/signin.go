package licensekey

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"
)

const (
	// requestLifetime is how long a request for an activation in the browser can be approved, in seconds.
	requestLifetime = 600.0
	// minPollPause is the minimum pause between two questions for the decision, in seconds.
	minPollPause = 1
	// slowDown is by how many seconds the client waits longer after a question that failed (RFC 8628, section 3.5).
	slowDown = 5
	// maxLabel is the maximum length of a label, in characters.
	maxLabel = 200
)

var (
	// pageAddress are the addresses that the app may open. Other schemes could start a program.
	pageAddress = regexp.MustCompile(`^(?i:https?)://`)
	// bidirectional are the characters that change the direction of text, with which a name could be shown as another one
	// (UAX #9, section 2).
	bidirectional = regexp.MustCompile(`[\x{061c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)
)

// SignIn says how an app activates its device in the browser (ActivateInBrowser). Open and OnCode are required.
type SignIn struct {
	// Labels are shown to the person who approves the activation. Characters that change the direction of text are removed
	// from them, and they are cut to 200 characters.
	Labels
	// Open opens an address in the user's browser, and returns without waiting until the browser is closed. The address
	// has the scheme `http` or `https`. An error is passed to Options.OnWarning, and the call continues.
	Open func(url string) error
	// OnCode shows the code until the call ends, so that the user can compare it with the code in the browser.
	OnCode func(code string)
}

// request is a request to activate this device, which somebody approves in the browser.
type request struct {
	// secret is the text with which this device asks for the decision.
	secret, userCode, url string
	// interval is the time to wait before the next question, in seconds.
	interval float64
}

// decision is the decision about a request.
type decision struct {
	// reply is the response to the approval; nil if there is none.
	reply reply
	// status is Denied or RequestExpired; empty for an approval, and while nobody has decided.
	status Status
	// interval is the time to wait before the next question, in seconds, while nobody has decided.
	interval float64
}

// ActivateInBrowser activates this device without a typed key: the user signs in to the vendor's portal in the browser,
// compares the code, and chooses a license. The call waits for the decision, at most ten minutes. It returns a state as
// Activate does, or Denied or RequestExpired. The device then has a key of its own, which is used like any key. A new call
// ends the request of an earlier one.
//
// When the context ends, the client asks no more questions. After Close, the fault of the state is Closed. If a label
// can't be sent, or a function is missing, nothing is sent, and the error is an *InputError.
func (client *Client) ActivateInBrowser(ctx context.Context, signIn SignIn) (State, error) {
	labels := Labels{shownLabel(signIn.Name), shownLabel(signIn.Platform)}
	if err := checkInput(labels.fields()...); err != nil {
		return State{}, err
	}
	switch {
	case signIn.Open == nil:
		return State{}, &InputError{Field: "Open", Message: "must be set"}
	case signIn.OnCode == nil:
		return State{}, &InputError{Field: "OnCode", Message: "must be set"}
	}
	return await(ctx, func() (State, error) {
		defer client.notify()
		return client.signIn(ctx, signIn, labels), nil
	})
}

func (client *Client) signIn(ctx context.Context, signIn SignIn, labels Labels) State {
	client.lock.Lock()
	device := client.assess()
	if device.fault != nil {
		defer client.lock.Unlock()
		return client.concludeFault(device.fault, device)
	}
	client.lock.Unlock()

	given := client.withRelease(fields{"fingerprint": device.device.id, "name": labels.Name, "platform": labels.Platform})
	asked, fault := client.service.requestActivation(given)
	var decided decision
	if fault == nil {
		signIn.OnCode(asked.userCode)
		if err := signIn.Open(asked.url); err != nil {
			client.onWarn("The browser was not opened", err)
		}
		decided, fault = client.decisionAbout(ctx, asked, device.device.id)
	}

	defer client.changingSeats()()
	held := client.assessNow()
	if fault != nil || decided.status != "" {
		return client.concludeWithoutSeat(fault, decided.status, held)
	}
	held.device = device.device
	expected := seatChange{before: held, change: client.changeKey}
	// If no token tells the license of the held key, the key may be one of the same license. Freeing its seat would free
	// the new one.
	if held.claims != nil {
		expected.replaced = held.record.Key
	}
	return client.concludeSeat("", decided.reply, nil, nil, expected)
}

// concludeWithoutSeat returns the state after a sign-in that ended with a fault or with a status.
func (client *Client) concludeWithoutSeat(fault *Fault, status Status, held assessment) State {
	client.lock.Lock()
	defer client.lock.Unlock()
	switch {
	case fault == nil:
		return client.publishUnlessLicensed(State{Status: status}, held)
	case fault.Kind == Closed:
		return offlineState(held, fault)
	}
	return client.publishUnlessLicensed(offlineState(held, fault), held)
}

// decisionAbout asks for the decision about a request until there is one, or until the pauses have lasted as long as the
// request. The pauses are counted, because the clock may be set meanwhile.
func (client *Client) decisionAbout(ctx context.Context, asked request, fingerprint string) (decision, *Fault) {
	interval, slower, retryAfter, left := asked.interval, 0.0, 0.0, requestLifetime
	for left > 0 {
		pause := min(max(interval+slower, retryAfter, minPollPause), left)
		if !client.pause(ctx, pause) {
			return decision{}, &Fault{Kind: Closed, Message: "the client was closed, or the app has ended the call"}
		}
		left -= pause
		decided, fault := client.service.poll(asked.secret, fingerprint)
		switch {
		case fault == nil && (decided.reply != nil || decided.status != ""):
			return decided, nil
		case fault == nil:
			interval, retryAfter = decided.interval, 0
		case fault.Kind == Rejected:
			return decision{}, fault
		default:
			slower += slowDown
			retryAfter = fault.RetryAfter.Seconds()
		}
	}
	return decision{status: RequestExpired}, nil
}

// pause waits some seconds. It returns false if Close or the context has ended the wait.
func (client *Client) pause(ctx context.Context, seconds float64) bool {
	if ctx.Err() != nil || client.closing.Err() != nil {
		return false
	}
	over := make(chan struct{})
	stop := client.schedule(func() { close(over) }, time.Duration(seconds*float64(time.Second)))
	defer stop()
	select {
	case <-over:
		return true
	case <-ctx.Done():
	case <-client.closing.Done():
	}
	return false
}

// shownLabel is a label that another person reads in the browser.
func shownLabel(label string) string {
	shown := []rune(trim(bidirectional.ReplaceAllString(label, "")))
	return string(shown[:min(len(shown), maxLabel)])
}

// requestActivation creates a request that somebody approves in the browser. It ends the previous request of this device.
func (service *service) requestActivation(given fields) (request, *Fault) {
	response, fault := service.call(createRequest, given)
	if fault != nil {
		return request{}, fault
	}
	secret, _ := textOf(response.body["request"])
	userCode, _ := textOf(response.body["user_code"])
	url, _ := textOf(response.body["url"])
	interval, isInteger := integerOf(response.body["interval"])
	isAddress := pageAddress.MatchString(url) && !strings.ContainsAny(url, whiteSpace)
	if response.status != http.StatusCreated || secret == "" || userCode == "" || !isAddress || !isInteger || interval < 0 {
		return request{}, response.unusable()
	}
	return request{secret, userCode, url, float64(interval)}, nil
}

// poll asks once for the decision about a request.
func (service *service) poll(secret, fingerprint string) (decision, *Fault) {
	response, fault := service.attempt(pollRequest, fields{"request": secret, "fingerprint": fingerprint})
	if fault != nil {
		return decision{}, fault
	}
	found, isWhole := response.decision()
	if !isWhole {
		return decision{}, response.unusable()
	}
	return found, nil
}

// decision reads the decision about a request; false if the response contains none.
func (response response) decision() (decision, bool) {
	if response.status != http.StatusOK {
		// A refusal of the approved license has the form of a refused activation. An unknown request is `expired`, and never
		// 404.
		found := response.activationReply(activate)
		return decision{reply: found}, found != nil && response.status != http.StatusNotFound
	}
	switch name, _ := textOf(response.body["status"]); name {
	case "pending":
		interval, isInteger := integerOf(response.body["interval"])
		return decision{interval: float64(interval)}, isInteger && interval >= 0
	case "denied":
		return decision{status: Denied}, true
	case "expired":
		return decision{status: RequestExpired}, true
	case "approved":
		response.body, _ = response.body["activation"].(map[string]any)
		found, isWhole := response.grant()
		return decision{reply: found}, isWhole
	}
	return decision{}, false
}
