package licensekey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// This file calls the client routes of the service. A call returns a reply or a fault.

const (
	// maxResponseBytes is the maximum size of a response. A list of 1,000 devices or a release with 50 files is
	// smaller.
	maxResponseBytes = 1_048_576
	// maxWait is the longest `Retry-After` for which a call waits before its second attempt.
	maxWait = 5 * time.Second
	// maxRetryAfter is the longest accepted `Retry-After`; a longer one is shortened to it.
	maxRetryAfter = 24 * time.Hour
)

var retryAfterSeconds = regexp.MustCompile(`^[0-9]+$`)

// Labels are shown to the operator.
type Labels struct {
	// Name is a device name for people, such as "Ada's laptop"; at most 200 characters.
	Name string
	// Platform is for example the operating system; at most 200 characters.
	Platform string
}

// tokenHeader contains the device's token, with which the service can sign that the license no longer exists.
const tokenHeader = "x-svc-token"

type operation string

const (
	validate   operation = "validate"
	activate   operation = "activate"
	trial      operation = "trial"
	deactivate operation = "deactivate"
	devices    operation = "devices"
	latest     operation = "releases/latest"
	consume    operation = "consume"
	meters     operation = "meters"

	createRequest operation = "activation-requests"
	pollRequest   operation = "activation-requests/poll"
)

// fields are names and values of a request. Texts are trimmed, and empty texts are left out. Names that start with `x-` are headers.
type fields map[string]any

// reply is the response of the service about a key and a device: granted, notBound or refused. Nothing in it is
// verified yet.
type reply interface{ isReply() }

type granted struct {
	token string
	// key is the license key in its canonical form.
	key string
	// The following fields are not signed; they are information only.
	typeName *string
	seats    *Seats
}

type notBound struct {
	key, licenseID string
	seats          *Seats
	// verdict is the content of the header `X-Svc-Verdict`; nil if there is none.
	verdict *string
}

type refused struct {
	name string
	// verdict is the content of the header `X-Svc-Verdict`; nil if there is none.
	verdict *string
}

func (granted) isReply()  {}
func (notBound) isReply() {}
func (refused) isReply()  {}

// response is a response that contains a JSON object, regardless of its content.
type response struct {
	status  int
	code    string
	verdict *string
	body    map[string]any
}

// isThrottling says whether a response with status 429 and this error code asks the client to wait. With another code it is a
// refusal, which must not be retried.
func isThrottling(code string) bool { return code == "" || code == "rate_limited" }

// isSeatRefusal says whether an error code with status 429 is about seats.
func isSeatRefusal(code string) bool { return code == "no_seats" || code == "too_many_devices" }

func (response response) hasDetail() bool {
	_, isText := textOf(response.body["detail"])
	return isText
}

func (response response) grant() (granted, bool) {
	license := response.body["license"]
	token, _ := textOf(response.body["offline_token"])
	key, _ := textOf(member(license, "key"))
	found := granted{token: token, key: key, seats: seatsOf(response.body["seats"])}
	if name, isText := textOf(member(member(license, "license_type"), "name")); isText && name != "" {
		found.typeName = &name
	}
	return found, token != "" && key != ""
}

// notBound reads the response for a valid key on a device without a seat. Such a response has neither device nor token.
func (response response) notBound() (notBound, bool) {
	license := response.body["license"]
	key, _ := textOf(member(license, "key"))
	id, hasID := integerOf(member(license, "id"))
	name, _ := textOf(response.body["status"])
	seats := seatsOf(response.body["seats"])
	_, hasDevice := response.body["device"]
	_, hasToken := response.body["offline_token"]
	return notBound{key, strconv.FormatInt(id, 10), seats, response.verdict}, key != "" && hasID && isStatusName(name) && seats != nil && !hasDevice && !hasToken
}

// validationReply is the reply in a response to a validation; nil if the response contains no reply of the service. An
// error response contains no decision about the license. A refusal without a verdict must have exactly the members
// `valid` and `status`. A refusal with a verdict may have further members, because the verdict can prove that the
// refusal comes from the service.
func (response response) validationReply() reply {
	if response.status != http.StatusOK {
		return nil
	}
	if response.body["valid"] == true {
		if found, isWhole := response.grant(); isWhole {
			return found
		}
		if found, isWhole := response.notBound(); isWhole {
			return found
		}
		return nil
	}
	name, _ := textOf(response.body["status"])
	if response.body["valid"] != false || !isRefusedStatus(name) || (response.verdict == nil && len(response.body) != 2) {
		return nil
	}
	if name == "invalid" {
		name = string(UnknownKey)
	}
	return refused{name, response.verdict}
}

// activationReply is the reply in a response to an activation or a trial.
func (response response) activationReply(operation operation) reply {
	if response.status == http.StatusOK || response.status == http.StatusCreated {
		if found, isWhole := response.grant(); isWhole {
			return found
		}
		return nil
	}
	var name string
	switch {
	case !response.hasDetail():
	case response.status == http.StatusForbidden && response.code == "release_not_covered":
		name = string(NotCovered)
	case response.status == http.StatusForbidden && response.code == string(SignInRequired):
		name = response.code
	case response.licenseStatus() != "":
		name = response.licenseStatus()
	case response.status == http.StatusNotFound && response.code == "not_found":
		name = string(UnknownKey)
		if operation == trial {
			name = string(NoTrial)
		}
	case response.status == http.StatusTooManyRequests && isSeatRefusal(response.code):
		name = response.code
	}
	if name == "" {
		return nil
	}
	return refused{name, response.verdict}
}

// licenseStatus is the status of the license in an error code such as `license_revoked`; empty if there is none.
func (response response) licenseStatus() string {
	status, isLicenseCode := strings.CutPrefix(response.code, "license_")
	if response.status != http.StatusForbidden || !isLicenseCode || !isRefusedStatus(status) {
		return ""
	}
	return status
}

// unusable is the fault of a response that says nothing about the license.
func (response response) unusable() *Fault {
	detail, isText := textOf(response.body["detail"])
	if response.status < 400 || response.code == "" || !isText {
		return foreign(response.status)
	}
	return &Fault{Kind: Rejected, Message: fmt.Sprintf("HTTP %d %s: %s", response.status, response.code, detail)}
}

// foreign is the fault of a response that does not come from the service, but from a captive portal or a proxy.
func foreign(status int) *Fault {
	return &Fault{Kind: Malformed, Message: fmt.Sprintf("not a response of the service: HTTP %d", status)}
}

// retryAfter is the time to wait according to the header `Retry-After` (RFC 9110, section 10.2.3). A header with a date
// is ignored.
func retryAfter(header string) time.Duration {
	if !retryAfterSeconds.MatchString(header) {
		return 0
	}
	// The only possible error is a number that is too large; the result is then infinite.
	seconds, _ := strconv.ParseFloat(header, 64)
	return time.Duration(min(seconds, maxRetryAfter.Seconds())) * time.Second
}

// service calls one product's client routes.
type service struct {
	prefix, apiKey string
	client         *http.Client
	// timeout is the time limit of each of the two attempts.
	timeout time.Duration
	// retryDelay is the pause before the second attempt; a random time of up to half of the pause is added.
	retryDelay time.Duration
	// closing is cancelled when the client is closed.
	closing context.Context
	close   context.CancelFunc
}

var errRedirect = errors.New("the response is a redirect")

// isRedirect says whether a status is a redirect, with or without the header `Location`.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func newService(prefix, apiKey string, transport http.RoundTripper, timeout, retryDelay time.Duration) *service {
	closing, cancel := context.WithCancel(context.Background())
	client := &http.Client{
		Transport: transport,
		// The service never redirects, and no other server must receive the key.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &service{prefix, apiKey, client, timeout, retryDelay, closing, cancel}
}

// ask sends a request that is safe to repeat, because a device that already has a seat takes no second seat. Empty
// fields are left out.
func (service *service) ask(operation operation, fields fields) (reply, *Fault) {
	response, fault := service.call(operation, fields)
	if fault != nil {
		return nil, fault
	}
	var found reply
	if operation == validate {
		found = response.validationReply()
	} else {
		found = response.activationReply(operation)
	}
	if found == nil {
		return nil, response.unusable()
	}
	// The token's signature does not protect the key in the response. If this key differs from the key in the request,
	// the client keeps the request's key. Otherwise a server that imitates the service could replace the license's key.
	sent, _ := fields["key"].(string)
	if grant, isGranted := found.(granted); isGranted && sent != "" && !isSameKey(grant.key, sent) {
		grant.key = sent
		found = grant
	}
	return found, nil
}

// devices returns the devices of a license.
func (service *service) devices(key, fingerprint string) ([]ListedDevice, *Fault) {
	response, fault := service.call(devices, fields{"key": key, "fingerprint": fingerprint})
	if fault != nil {
		return nil, fault
	}
	list, isList := response.body["list"].([]any)
	if !isList {
		return nil, response.unusable()
	}
	found := []ListedDevice{}
	for _, value := range list {
		ref, _ := textOf(member(value, "ref"))
		name, hasName := textOf(member(value, "name"))
		platform, hasPlatform := textOf(member(value, "platform"))
		activated, _ := textOf(member(value, "activated_at"))
		moment, isTimestamp := parseTimestamp(activated)
		seen := member(value, "last_seen_on")
		day, isText := textOf(seen)
		isThis, isBool := member(value, "this").(bool)
		if ref == "" || !hasName || !hasPlatform || !isTimestamp || (seen != nil && !isText) || !isBool {
			return nil, response.unusable()
		}
		found = append(found, ListedDevice{ref, name, platform, timeOf(moment), day, isThis})
	}
	return found, nil
}

// latest returns the newest release that a license covers, and the headers of the request, because downloads need the
// same headers. If both a key and a token exist, the key is sent.
func (service *service) latest(held record, fields fields) (*Latest, *Fault) {
	headers := map[string]string{"x-api-key": service.apiKey}
	switch {
	case held.Key != "":
		headers["x-license-key"] = held.Key
	case held.Token != "":
		headers["x-license-token"] = held.Token
	}
	for name, value := range headers {
		fields[name] = value
	}
	response, fault := service.call(latest, fields)
	if fault != nil {
		return nil, fault
	}
	update, hasUpdate := updateIn(response.body)
	newest, hasNewest := newestIn(response.body)
	if response.status != http.StatusOK || !hasUpdate || !hasNewest {
		return nil, response.unusable()
	}
	return &Latest{update, newest, headers}, nil
}

// optional returns a member of a response; isNull is true if the member is present and null.
func optional(body map[string]any, name string) (found any, isNull bool) {
	found, isThere := body[name]
	return found, isThere && found == nil
}

func releaseIn(release any) (version string, releasedAt time.Time, isWhole bool) {
	version, _ = textOf(member(release, "version"))
	text, _ := textOf(member(release, "released_at"))
	moment, isTimestamp := parseTimestamp(text)
	return version, timeOf(moment), isTimestamp && version != ""
}

func updateIn(body map[string]any) (*Update, bool) {
	found, isNull := optional(body, "update")
	if isNull {
		return nil, true
	}
	version, releasedAt, isWhole := releaseIn(found)
	channel, _ := textOf(member(found, "channel"))
	notes, hasNotes := textOrNil(member(found, "notes"))
	list, isList := member(found, "artifacts").([]any)
	update := &Update{version, channel, releasedAt, notes, make([]Artifact, 0, len(list))}
	isWhole = isWhole && channel != "" && hasNotes && isList
	for _, value := range list {
		artifact, isArtifact := artifactIn(value)
		update.Artifacts = append(update.Artifacts, artifact)
		isWhole = isWhole && isArtifact
	}
	return update, isWhole
}

func artifactIn(value any) (Artifact, bool) {
	isWhole := true
	text := func(name string) string {
		found, _ := textOf(member(value, name))
		isWhole = isWhole && found != ""
		return found
	}
	size, isInteger := integerOf(member(value, "size"))
	signature, hasSignature := textOrNil(member(value, "signature"))
	artifact := Artifact{text("filename"), text("platform"), text("arch"), size, text("sha256"), text("sha512"), signature, text("url")}
	return artifact, isWhole && isInteger && size >= 0 && hasSignature && (signature == nil || *signature != "")
}

func newestIn(body map[string]any) (*NewestRelease, bool) {
	found, isNull := optional(body, "newest")
	if isNull {
		return nil, true
	}
	version, releasedAt, isWhole := releaseIn(found)
	covered, isBool := member(found, "covered").(bool)
	return &NewestRelease{version, releasedAt, covered}, isWhole && isBool
}

// free frees the seat of the device with the given fingerprint or ref, and returns whether there was a seat. If the
// service doesn't know the key, free returns a fault, and isUnknown is true.
func (service *service) free(key, fingerprint, ref string) (freed, isUnknown bool, fault *Fault) {
	response, fault := service.call(deactivate, fields{"key": key, "fingerprint": fingerprint, "device": ref})
	if fault != nil {
		return false, false, fault
	}
	freed, isBool := response.body["freed"].(bool)
	if response.status != http.StatusOK || !isBool {
		fault = response.unusable()
		return false, fault.Kind == Rejected && response.code == "not_found", fault
	}
	return freed, false, nil
}

// call sends a request with one retry, which happens only after faults that may be temporary.
func (service *service) call(operation operation, fields fields) (response, *Fault) {
	found, fault := service.attempt(operation, fields)
	if fault == nil || fault.RetryAfter > maxWait || service.closing.Err() != nil {
		return found, fault
	}
	delay := time.Duration(float64(service.retryDelay) * (1 + rand.Float64()/2))
	timer := time.NewTimer(max(delay, fault.RetryAfter))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-service.closing.Done():
	}
	return service.attempt(operation, fields)
}

func (service *service) attempt(operation operation, fields fields) (response, *Fault) {
	ctx, cancel := context.WithTimeout(service.closing, service.timeout)
	defer cancel()
	found, fault, err := service.exchange(ctx, operation, fields)
	switch {
	case err == nil:
		return found, fault
	case service.closing.Err() != nil:
		return response{}, &Fault{Kind: Closed, Message: "client closed"}
	case ctx.Err() != nil:
		return response{}, &Fault{Kind: TimedOut, Message: fmt.Sprintf("no response within %s", service.timeout)}
	}
	// The error text of a request contains the URL, and the URL contains the key. The wrapped error contains only the
	// reason.
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return response{}, &Fault{Kind: Unreachable, Message: err.Error()}
}

func (service *service) exchange(ctx context.Context, operation operation, fields fields) (response, *Fault, error) {
	request, err := service.request(ctx, operation, fields)
	if err != nil {
		return response{}, nil, err
	}
	// After Close, the transport of an app might send the request without a look at its context.
	if err := ctx.Err(); err != nil {
		return response{}, nil, err
	}
	received, err := service.client.Do(request)
	if err != nil {
		return response{}, nil, err
	}
	// The rest of the body is not needed, so a failure to close it doesn't matter.
	defer func() { _ = received.Body.Close() }()
	// Not every HTTP library removes the white space around a value.
	header := func(name string) string { return trim(received.Header.Get(name)) }
	status, code := received.StatusCode, header("X-Svc-Error-Code")
	if isRedirect(status) {
		return response{}, nil, errRedirect
	}
	if status >= 500 || (status == http.StatusTooManyRequests && isThrottling(code)) {
		return response{}, &Fault{Kind: Busy, Message: fmt.Sprintf("HTTP %d", status), RetryAfter: retryAfter(header("Retry-After"))}, nil
	}
	text, err := io.ReadAll(io.LimitReader(received.Body, maxResponseBytes+1))
	if err != nil {
		return response{}, nil, err
	}
	if len(text) > maxResponseBytes {
		return response{}, foreign(status), nil
	}
	value, isJSON := parseJSON(text)
	if isJSON && (operation == devices || operation == meters) && status == http.StatusOK {
		// The lists of devices and meters are the only responses that are not objects.
		value = map[string]any{"list": value}
	}
	body, isObject := value.(map[string]any)
	if !isJSON || !isObject {
		return response{}, foreign(status), nil
	}
	found := response{status: status, code: code, body: body}
	if len(received.Header.Values("X-Svc-Verdict")) > 0 {
		verdict := header("X-Svc-Verdict")
		found.verdict = &verdict
	}
	return found, nil, nil
}

func (service *service) request(ctx context.Context, operation operation, fields fields) (*http.Request, error) {
	given := map[string]any{}
	query := url.Values{}
	headers := http.Header{}
	for name, value := range fields {
		if text, isText := value.(string); isText {
			value = trim(text)
		}
		switch {
		case value == "":
		case strings.HasPrefix(name, "x-"):
			headers.Set(name, fmt.Sprint(value))
		default:
			given[name] = value
			query.Set(name, fmt.Sprint(value))
		}
	}
	address := service.prefix + "/" + string(operation)
	method, body := http.MethodGet, []byte(nil)
	if operation == validate || operation == latest {
		address += "?" + query.Encode()
	} else {
		var err error
		method = http.MethodPost
		if body, err = json.Marshal(given); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = headers
	request.Header.Set("X-API-Key", service.apiKey)
	request.Header.Set("User-Agent", "license-key-client-go/"+version)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}

// version of this package.
const version = "0.2.0"
