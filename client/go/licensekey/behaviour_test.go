package licensekey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tests run the behaviour vectors (docs/client.md, "Behaviour vectors"). If a vector fails, apps in two languages
// on one device treat the same license differently.

type behaviourSettings struct {
	BaseURL            string `json:"base_url"`
	ProductID          int64  `json:"product_id"`
	APIKey             string `json:"api_key"`
	PublicKey          string `json:"public_key"`
	Audience           string
	GraceDays          int  `json:"grace_days"`
	AllowUnboundTokens bool `json:"allow_unbound_tokens"`
	Offline            string
	Release            struct {
		Version    string
		ReleasedAt time.Time `json:"released_at"`
	}
}

type behaviourCase struct {
	Name     string
	Settings json.RawMessage
	Stored   struct {
		Record, Queue json.RawMessage
		Device        *string
	}
	Steps []behaviourStep
}

type behaviourStep struct {
	Restart bool
	Now     float64
	// Fingerprint is null if the device has none. If the field is missing, the fingerprint stays unchanged.
	Fingerprint json.RawMessage
	Storage     string
	// FailingRenames is how many attempts to store a text fail.
	FailingRenames int `json:"failing_renames"`
	// Client is the name of the client that makes the call; empty for the first one.
	Client    string
	Call      string
	Arguments map[string]any
	Responses []json.RawMessage
	// Polls are the responses to the questions of ActivateInBrowser; Responses has all others.
	Polls []json.RawMessage

	Result, State, Requests, Stored any
	SignIn                          any `json:"sign_in"`
	WakesAfter                      any `json:"wakes_after"`
}

type scriptedResponse struct {
	Status  int
	Headers map[string]string
	Body    json.RawMessage
	// Clock is the time from this response on; nil if the clock isn't set.
	Clock     *float64
	Meanwhile json.RawMessage
	// Between replaces the record when the client next takes the record's lock.
	Between json.RawMessage
	// Storage is the fault of the storage from this response to the end of the step.
	Storage string
}

// scriptedStorage is a storage whose reading or writing fails if the test case has set this fault.
type scriptedStorage struct {
	MemoryStorage
	fault          string
	failingRenames int
	// between replaces the record when its lock is taken; nil if there is no such event.
	record  string
	between json.RawMessage
}

func (storage *scriptedStorage) Lock(name string) (func(), error) {
	unlock, err := storage.MemoryStorage.Lock(name)
	if name == storage.record && storage.between != nil {
		_ = storage.MemoryStorage.Set(name, string(storage.between))
		storage.between = nil
	}
	return unlock, err
}

func (storage *scriptedStorage) fail(what string) error {
	if storage.fault == what {
		return errors.New("the storage is " + what)
	}
	return nil
}

func (storage *scriptedStorage) Get(name string) (string, bool, error) {
	text, isThere, _ := storage.MemoryStorage.Get(name)
	return text, isThere, storage.fail("unreadable")
}

func (storage *scriptedStorage) Set(name, text string) error {
	if err := storage.fail("unwritable"); err != nil {
		return err
	}
	if storage.failingRenames > 0 {
		storage.failingRenames--
		return errors.New("the file is in use")
	}
	return storage.MemoryStorage.Set(name, text)
}

func (storage *scriptedStorage) Remove(name string) error {
	if err := storage.fail("unwritable"); err != nil {
		return err
	}
	return storage.MemoryStorage.Remove(name)
}

// script runs a test case. It creates a client with a storage, and controls the client's clock, network and device.
type script struct {
	t        *testing.T
	settings behaviourSettings
	name     string
	storage  *scriptedStorage
	// given is the whole case. Ids of 64 hex digits that are not in it were made by the client.
	given       []byte
	now         float64
	fingerprint any
	responses   []json.RawMessage
	polls       []json.RawMessage
	requests    []any
	// signIn is what ActivateInBrowser has shown; nil in the steps of other calls.
	signIn     map[string]any
	wakesAfter map[string]any
	clients    map[string]*Client
}

func (script *script) start(name string) {
	settings := script.settings
	client, err := New(Options{
		BaseURL:            settings.BaseURL,
		ProductID:          settings.ProductID,
		APIKey:             settings.APIKey,
		PublicKeys:         []string{settings.PublicKey},
		Audience:           settings.Audience,
		Grace:              time.Duration(settings.GraceDays) * 24 * time.Hour,
		AllowUnboundTokens: settings.AllowUnboundTokens,
		Release:            Release(settings.Release),
		Offline:            Offline(settings.Offline),
		Storage:            script.storage,
		Transport:          script,
		RetryDelay:         -1,
		OnWarning:          func(string, error) {},
		Now:                func() time.Time { return time.UnixMilli(int64(script.now * 1000)) },
		Fingerprint: func() (string, error) {
			text, _ := script.fingerprint.(string)
			if text == "fails" {
				return "", errors.New("access denied")
			}
			return text, nil
		},
		Schedule: func(task func(), after time.Duration) func() {
			if len(script.polls) > 0 {
				script.signIn["pauses"] = append(script.signIn["pauses"].([]any), after.Seconds())
				script.now += after.Seconds()
				task()
				return func() {}
			}
			script.wakesAfter[name] = after.Seconds()
			return func() { script.wakesAfter[name] = nil }
		},
	})
	if err != nil {
		script.t.Fatal(err)
	}
	script.clients[name] = client
}

// RoundTrip records the request, and returns the next response of the test case.
func (script *script) RoundTrip(request *http.Request) (*http.Response, error) {
	seen := map[string]any{"method": request.Method, "path": request.URL.Path}
	if request.Method == http.MethodGet {
		query := map[string]any{}
		for name, values := range request.URL.Query() {
			query[name] = values[0]
		}
		seen["query"] = query
	} else {
		var body any
		if err := json.NewDecoder(request.Body).Decode(&body); err != nil {
			script.t.Error(err)
		}
		seen["body"] = body
	}
	if request.Method == http.MethodGet {
		headers := map[string]any{}
		for _, name := range []string{"x-license-key", "x-license-token", "x-svc-token"} {
			if value := request.Header.Get(name); value != "" {
				headers[name] = value
			}
		}
		seen["headers"] = headers
	}
	script.requests = append(script.requests, seen)
	scripted := &script.responses
	if strings.HasSuffix(request.URL.Path, "/poll") {
		scripted = &script.polls
	}
	if len(*scripted) == 0 {
		script.t.Errorf("no response is scripted for %s %s", request.Method, request.URL.Path)
		return nil, errors.New("no response")
	}
	text := (*scripted)[0]
	*scripted = (*scripted)[1:]
	if string(text) == `"unreachable"` {
		return nil, errors.New("unreachable")
	}
	var response scriptedResponse
	decode(script.t, text, &response)
	if response.Clock != nil {
		script.now = *response.Clock
	}
	if response.Meanwhile != nil {
		_ = script.storage.Set(script.name, string(response.Meanwhile))
	}
	script.storage.between = response.Between
	if response.Storage != "" {
		script.storage.fault = response.Storage
	}
	header := http.Header{}
	for name, value := range response.Headers {
		header.Set(name, value)
	}
	return &http.Response{StatusCode: response.Status, Header: header, Body: io.NopCloser(strings.NewReader(rawText(response.Body))), Request: request}, nil
}

func (script *script) call(client *Client, name string, arguments map[string]any) any {
	text := func(name string) string {
		value, _ := arguments[name].(string)
		return value
	}
	labels := Labels{Name: text("name"), Platform: text("platform")}
	switch name {
	case "check":
		return stateOrError(client.Check(ctx))
	case "validate":
		return stateOrError(client.Validate(ctx))
	case "activate":
		if ref := text("replace"); ref != "" {
			return stateOrError(client.ActivateInPlace(ctx, text("key"), ref, labels))
		}
		return stateOrError(client.Activate(ctx, text("key"), labels))
	case "activate_in_browser":
		script.signIn = map[string]any{"code": nil, "url": nil, "pauses": []any{}}
		return stateOrError(client.ActivateInBrowser(ctx, SignIn{
			Labels: labels,
			Open: func(url string) error {
				script.signIn["url"] = url
				return nil
			},
			OnCode: func(code string) { script.signIn["code"] = code },
		}))
	case "covers":
		if len(arguments) == 0 {
			return client.Covers()
		}
		released, _ := time.Parse(time.RFC3339, text("released_at"))
		return client.State().Updates.Covers(Release{text("version"), released})
	case "devices":
		list := client.Devices
		if key, hasKey := arguments["key"].(string); hasKey {
			list = func(ctx context.Context) ([]ListedDevice, error) { return client.DevicesOf(ctx, key) }
		}
		found, err := list(ctx)
		if err != nil {
			return errorJSON(err)
		}
		return map[string]any{"status": "devices", "devices": devicesJSON(found)}
	case "latest":
		found, err := client.Latest(ctx, Target{text("platform"), text("arch"), text("channel"), text("version")})
		if err != nil {
			return errorJSON(err)
		}
		return latestJSON(found)
	case "free":
		free := client.Free
		if key, hasKey := arguments["key"].(string); hasKey {
			free = func(ctx context.Context, ref string) (bool, error) { return client.FreeOf(ctx, ref, key) }
		}
		freed, err := free(ctx, text("ref"))
		if err != nil {
			return errorJSON(err)
		}
		return map[string]any{"status": "deactivated", "freed": freed}
	case "trial":
		return stateOrError(client.Trial(ctx, text("customer_email"), labels))
	case "import_token":
		return stateOrError(client.ImportToken(ctx, text("token")))
	case "consume":
		amount, _ := arguments["amount"].(float64)
		found, err := client.Consume(ctx, text("meter"), int64(amount), text("id"))
		switch {
		case err != nil:
			result := errorJSON(err)
			if failed, isObject := result.(map[string]any); isObject && failed["status"] == "failed" {
				failed["id"] = found.ID
			}
			return result
		case found.IsQueued():
			return map[string]any{"status": "queued", "id": found.ID}
		}
		return map[string]any{"status": "consumed", "meter": meterJSON(*found.Meter)}
	case "meters":
		found, err := client.Meters(ctx)
		if err != nil {
			return errorJSON(err)
		}
		list := []any{}
		for _, meter := range found {
			list = append(list, meterJSON(meter))
		}
		return map[string]any{"status": "meters", "meters": list}
	case "pending":
		found, err := client.Pending(ctx)
		if err != nil {
			return errorJSON(err)
		}
		return pendingJSON(found)
	case "limit":
		if limit, isThere := client.Limit(text("limit")); isThere {
			return limit
		}
		return nil
	case "has":
		return client.Has(text("feature"))
	case "fingerprint":
		found, err := client.Fingerprint(ctx)
		if err != nil {
			return nil
		}
		return found
	case "offline_request":
		found, err := client.OfflineRequest(ctx, text("key"), labels)
		if err != nil {
			return errorJSON(err)
		}
		return map[string]any{"status": "request", "text": found}
	case "deactivate":
		freed, err := client.Deactivate(ctx)
		if err != nil {
			return errorJSON(err)
		}
		return map[string]any{"status": "deactivated", "freed": freed}
	case "forget":
		freed, err := client.Forget(ctx)
		result := map[string]any{"status": "forgotten", "freed": freed}
		var fault *Fault
		if errors.As(err, &fault) {
			result["fault"] = faultJSON(fault)
		}
		return result
	case "close":
		end := client.Close
		if arguments["release"] == true {
			end = client.CloseAndRelease
		}
		if err := end(ctx); err != nil {
			return errorJSON(err)
		}
		return nil
	}
	script.t.Fatalf("there is no call %q", name)
	return nil
}

func (script *script) stored() map[string]any {
	stored := map[string]any{"record": nil, "device": nil}
	for name, key := range map[string]string{"record": script.name, "queue": script.name + ".queue"} {
		if text, isThere, _ := script.storage.MemoryStorage.Get(key); isThere {
			var content any
			if err := json.Unmarshal([]byte(text), &content); err != nil {
				content = text
			}
			stored[name] = content
		}
	}
	if device, isThere, _ := script.storage.MemoryStorage.Get(script.name + ".device"); isThere {
		stored["device"] = device
	}
	return stored
}

var madeID = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// run executes a step and returns what was observed, in the form of the vectors.
func (script *script) run(step behaviourStep) map[string]any {
	script.now, script.storage.fault, script.storage.failingRenames = step.Now, step.Storage, step.FailingRenames
	if step.Fingerprint != nil {
		decode(script.t, step.Fingerprint, &script.fingerprint)
	}
	script.responses, script.polls, script.requests, script.signIn = step.Responses, step.Polls, []any{}, nil
	if step.Restart || script.clients[step.Client] == nil {
		script.start(step.Client)
	}
	client := script.clients[step.Client]
	result := script.call(client, step.Call, step.Arguments)
	if err := client.Idle(ctx); err != nil {
		script.t.Error(err)
	}
	script.storage.between = nil
	if left := len(script.responses) + len(script.polls); left > 0 {
		script.t.Errorf("%d responses were not asked for", left)
	}
	var state any
	if found := client.State(); found.Status != "" {
		state = stateJSON(found)
	}
	seen := map[string]any{"result": result, "state": state, "requests": script.requests, "stored": script.stored(), "wakes_after": script.wakesAfter[step.Client]}
	if script.signIn != nil {
		seen["sign_in"] = script.signIn
	}
	text, err := json.Marshal(seen)
	if err != nil {
		script.t.Fatal(err)
	}
	text = madeID.ReplaceAllFunc(text, func(id []byte) []byte {
		if bytes.Contains(script.given, id) {
			return id
		}
		return []byte("<random id>")
	})
	seen = nil
	// The text is decoded again, because it is compared with decoded vectors.
	decode(script.t, text, &seen)
	return seen
}

func TestBehaviour(t *testing.T) { runVectors(t, "behaviour") }

func TestMeters(t *testing.T) { runVectors(t, "meters") }

func TestSignIn(t *testing.T) { runVectors(t, "sign-in") }

func runVectors(t *testing.T, name string) {
	var content struct {
		Settings behaviourSettings
		Cases    []json.RawMessage
	}
	readVectors(t, name, &content)
	for _, text := range content.Cases {
		var given behaviourCase
		decode(t, text, &given)
		t.Run(given.Name, func(t *testing.T) {
			script := &script{t: t, settings: content.Settings, given: text, storage: &scriptedStorage{}, wakesAfter: map[string]any{}, clients: map[string]*Client{}}
			if given.Settings != nil {
				decode(t, given.Settings, &script.settings)
			}
			script.name = fmt.Sprintf("license-key-service.%d.%s", script.settings.ProductID, strings.TrimPrefix(script.settings.BaseURL, "https://"))
			if given.Stored.Record != nil {
				_ = script.storage.Set(script.name, rawText(given.Stored.Record))
			}
			if given.Stored.Device != nil {
				_ = script.storage.Set(script.name+".device", *given.Stored.Device)
			}
			if given.Stored.Queue != nil {
				_ = script.storage.Set(script.name+".queue", rawText(given.Stored.Queue))
			}
			script.storage.record = script.name
			script.start("")
			for number, step := range given.Steps {
				expected := map[string]any{"result": step.Result, "state": step.State, "requests": step.Requests, "stored": step.Stored, "wakes_after": step.WakesAfter, "sign_in": step.SignIn}
				seen := script.run(step)
				for _, what := range []string{"result", "sign_in", "state", "requests", "stored", "wakes_after"} {
					if !reflect.DeepEqual(seen[what], expected[what]) {
						t.Errorf("step %d, %s:\n%s\nexpected:\n%s", number+1, what, pretty(seen[what]), pretty(expected[what]))
					}
				}
			}
		})
	}
}

func decode(t *testing.T, text []byte, value any) {
	t.Helper()
	if err := json.Unmarshal(text, value); err != nil {
		t.Fatal(err)
	}
}

// rawText returns a text unchanged, and other values as JSON.
func rawText(value json.RawMessage) string {
	var text string
	if err := json.Unmarshal(value, &text); err == nil {
		return text
	}
	return string(value)
}

func pretty(value any) string {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func timeJSON(moment *time.Time) any {
	if moment == nil {
		return nil
	}
	return moment.Format("2006-01-02T15:04:05.000Z")
}

func faultJSON(fault *Fault) map[string]any {
	result := map[string]any{"kind": string(fault.Kind)}
	if fault.RetryAfter > 0 {
		result["retry_after"] = fault.RetryAfter.Seconds()
	}
	return result
}

func stateJSON(state State) map[string]any {
	result := map[string]any{"status": string(state.Status)}
	if state.Fault != nil {
		result["fault"] = faultJSON(state.Fault)
	}
	if state.Reason != "" {
		result["reason"] = state.Reason
	}
	if state.Key != "" {
		result["key"] = state.Key
	}
	if slices.Contains([]Status{Licensed, NoSeats}, state.Status) {
		result["seats"] = state.Seats
	}
	if state.Updates != nil {
		result["updates"] = map[string]any{"until": timeJSON(state.Updates.Until), "max_major": state.Updates.MaxMajor}
	}
	if license := state.License; license != nil {
		result["source"] = string(state.Source)
		result["license"] = map[string]any{"id": license.ID, "type": map[string]any{"name": license.TypeName, "kind": license.Kind}, "expires_at": timeJSON(license.ExpiresAt)}
		result["features"] = state.Features
		if len(state.Limits) > 0 {
			result["limits"] = state.Limits
		}
		result["lease_expires_at"] = timeJSON(state.LeaseExpiresAt)
		result["offline_until"] = timeJSON(&state.OfflineUntil)
	}
	return result
}

func devicesJSON(devices []ListedDevice) []any {
	list := []any{}
	for _, device := range devices {
		var seen any
		if device.LastSeenOn != "" {
			seen = device.LastSeenOn
		}
		list = append(list, map[string]any{
			"ref": device.Ref, "name": device.Name, "platform": device.Platform,
			"activated_at": timeJSON(&device.ActivatedAt), "last_seen_on": seen, "is_this": device.IsThis,
		})
	}
	return list
}

func meterJSON(meter Meter) map[string]any {
	return map[string]any{
		"name": meter.Name, "used": meter.Used, "included": meter.Included, "remaining": meter.Remaining,
		"period": meter.Period, "resets_at": timeJSON(meter.ResetsAt),
	}
}

func pendingJSON(pending Pending) map[string]any {
	amountJSON := func(amount PendingAmount) map[string]any {
		return map[string]any{"id": amount.ID, "meter": amount.Meter, "amount": amount.Amount, "since": timeJSON(&amount.Since)}
	}
	amounts, dropped := []any{}, []any{}
	for _, amount := range pending.Amounts {
		amounts = append(amounts, amountJSON(amount))
	}
	for _, amount := range pending.Dropped {
		result := amountJSON(amount.PendingAmount)
		result["reason"] = amount.Reason
		dropped = append(dropped, result)
	}
	return map[string]any{"status": "pending", "amounts": amounts, "dropped": dropped}
}

func latestJSON(latest *Latest) map[string]any {
	result := map[string]any{"status": "latest", "headers": latest.Headers, "update": nil, "newest": nil}
	if found := latest.Update; found != nil {
		result["update"] = map[string]any{
			"version": found.Version, "channel": found.Channel, "released_at": timeJSON(&found.ReleasedAt), "notes": found.Notes, "artifacts": found.Artifacts,
		}
	}
	if found := latest.Newest; found != nil {
		result["newest"] = map[string]any{"version": found.Version, "released_at": timeJSON(&found.ReleasedAt), "covered": found.Covered}
	}
	return result
}

func stateOrError(state State, err error) any {
	if err != nil {
		return errorJSON(err)
	}
	return stateJSON(state)
}

func errorJSON(err error) any {
	var input *InputError
	var token *TokenError
	var usage *UsageError
	var fault *Fault
	switch {
	case errors.As(err, &usage):
		return map[string]any{"status": "refused", "reason": usage.Reason}
	case errors.As(err, &input):
		return map[string]any{"status": "invalid_input", "field": input.Field}
	case errors.As(err, &token):
		return map[string]any{"status": "invalid_token", "problem": token.Problem}
	case errors.As(err, &fault):
		return map[string]any{"status": "failed", "fault": faultJSON(fault)}
	}
	return err.Error()
}
