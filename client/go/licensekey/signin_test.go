package licensekey

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The tests are about how an app ends a sign-in. The vectors in sign-in.json test the decisions.

// unapproved starts a client whose sign-in nobody approves. onPoll is called for each question, with its number.
func unapproved(t *testing.T, onPoll func(count int64)) (client *Client, polls *atomic.Int64) {
	given, polls := readActivation(t), &atomic.Int64{}
	options := given.options(serve(t, func(w http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/poll") {
			onPoll(polls.Add(1))
			_, _ = w.Write([]byte(`{"status": "pending", "interval": 0}`))
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"request": "secret", "user_code": "7KQ2-9MXB", "url": "https://portal.example.com/", "interval": 0}`))
	}))
	return newClient(t, options), polls
}

func quiet() SignIn {
	return SignIn{Open: func(string) error { return nil }, OnCode: func(string) {}}
}

// If this fails, a dialog that the user has closed goes on asking the service for ten minutes.
func TestNoQuestionIsAskedAfterTheContextEnds(t *testing.T) {
	closed, end := context.WithCancel(ctx)
	client, polls := unapproved(t, func(count int64) {
		if count == 3 {
			end()
		}
	})
	if state := client.signIn(closed, quiet(), Labels{}); state.Fault == nil || state.Fault.Kind != Closed {
		t.Error(state)
	}
	if polls.Load() != 3 || client.State().Status != "" {
		t.Error(polls.Load(), client.State())
	}
	if state, err := client.ActivateInBrowser(closed, quiet()); !errors.Is(err, context.Canceled) {
		t.Error(state, err)
	}
}

// If this fails, an app can't end while its user signs in.
func TestCloseEndsASignInAlsoDuringAPauseOfMinutes(t *testing.T) {
	client, _ := unapproved(t, func(int64) {})
	client.schedule = func(func(), time.Duration) func() {
		go func() { _ = client.Close(ctx) }()
		return func() {}
	}
	state, err := client.ActivateInBrowser(ctx, quiet())
	if err != nil || state.Fault == nil || state.Fault.Kind != Closed {
		t.Error(state, err)
	}
}

// If this fails, a computer without a browser can't be activated with the browser of another one.
func TestABrowserThatCanNotBeOpenedIsAWarning(t *testing.T) {
	client, _ := unapproved(t, func(int64) {})
	var warning, code string
	client.onWarn = func(_ string, cause error) { warning = cause.Error() }
	signIn := SignIn{Open: func(string) error { return errors.New("there is no browser") }}
	signIn.OnCode = func(shown string) { code = shown }
	client.schedule = func(func(), time.Duration) func() {
		client.closed()
		return func() {}
	}
	if state, err := client.ActivateInBrowser(ctx, signIn); err != nil || warning != "there is no browser" || code != "7KQ2-9MXB" {
		t.Error(state, err, warning, code)
	}
	var input *InputError
	if _, err := client.ActivateInBrowser(ctx, SignIn{Open: signIn.Open}); !errors.As(err, &input) || input.Field != "OnCode" {
		t.Error(err)
	}
}
