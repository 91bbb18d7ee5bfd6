package licensekey

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"
	"unicode/utf8"
)

// Offline says what Consume does with an amount if the service can't be reached.
type Offline string

const (
	// OfflineRefuse: the call fails.
	OfflineRefuse Offline = ""
	// OfflineQueue: the amount is stored, and sent when the service can be reached.
	OfflineQueue Offline = "queue"
)

// Meter is a meter of the license, as the service counted it at the time of the response.
type Meter struct {
	Name string
	// Used is what was consumed in the current period. It may exceed Included, if the vendor allows it.
	Used, Included int64
	// Remaining is what is left of Included; never below 0.
	Remaining int64
	// Period is `none` (the whole life of the license), `month` or `term` (the paid period).
	Period string
	// ResetsAt is when the next period begins; nil if none is known.
	ResetsAt *time.Time
}

// Consumption is the result of Consume.
type Consumption struct {
	// ID is the id with which the amount is counted once. It is also set if the error is a *Fault.
	ID string
	// Meter is the meter after the amount was counted; nil if the amount was not sent yet.
	Meter *Meter
}

// IsQueued says whether the amount is stored, and will be sent when the service can be reached.
func (consumption Consumption) IsQueued() bool { return consumption.Meter == nil }

// UsageError is a refusal of Consume or Meters. Nothing was consumed, and the license state stays.
type UsageError struct {
	// Reason is one of the following values:
	//   - `meter_exhausted`: the amount does not fit into what is included
	//   - `unknown_meter`: the license has no such meter
	//   - `not_activated`: this device has no seat
	//   - `idempotency_mismatch`: the id was used for another meter or amount
	//   - `invalid_request`: the meter doesn't accept the amount, for example because it is negative
	//   - `unknown_key`, `sign_in_required`, or the status of a license that can't be used (`revoked`, `suspended`, `expired`)
	//   - `no_key`: this device has no key, so no request was sent
	//   - `queue_full`: 1,000 amounts are waiting, so the amount was neither stored nor sent
	Reason string
	// Message is an English message for logs and developers.
	Message string
}

func (problem *UsageError) Error() string { return problem.Reason + ": " + problem.Message }

// PendingAmount is an amount that waits until it can be sent.
type PendingAmount struct {
	ID, Meter string
	Amount    int64
	// Since is when the app consumed the amount.
	Since time.Time
}

// DroppedAmount is an amount that was not counted.
type DroppedAmount struct {
	PendingAmount
	// Reason is the reason of a UsageError, or `too_old` after 29 days.
	Reason string
}

// Pending is the result of Client.Pending. Both lists have the oldest amount first.
type Pending struct {
	Amounts []PendingAmount
	// Dropped has the 100 amounts that were dropped last.
	Dropped []DroppedAmount
}

// notRead is the message of the fault that the stored data can't be read.
const notRead = "the license cache was not read"

// maxAmount is the largest amount of a request, and the largest that may be given back.
const maxAmount = 1_000_000_000

var errUseNoKey = &UsageError{"no_key", "this device has no key"}

// Consume consumes an amount of a meter of the license. The service counts it, and counts every id once. A refusal
// doesn't change the license state. With Options.Offline = OfflineQueue, the amount is stored before it is sent, and it
// is sent later if the service can't be reached now. Amounts are sent one at a time, in the order of the calls.
//
// The amount is from 1 to 1,000,000,000; for a meter that allows it, a negative amount gives back. The id has 8 to 64
// characters, for example the id of the document that is counted; with an empty id, the client makes a random one. To
// repeat a call, repeat its id.
//
// If an argument can't be sent, the error is an *InputError. If the amount is refused, the error is a *UsageError. If
// the error is a *Fault, it is not known whether the service counted the amount; Consumption.ID is set.
func (client *Client) Consume(ctx context.Context, meter string, amount int64, id string) (Consumption, error) {
	if id == "" {
		id = randomHex(32)
	}
	if err := checkUse(meter, amount, id); err != nil {
		return Consumption{}, err
	}
	return await(ctx, func() (Consumption, error) { return client.consume(trim(meter), amount, id) })
}

func (client *Client) consume(meter string, number int64, id string) (Consumption, error) {
	held := client.assessNow()
	switch {
	case held.fault != nil && held.fault.Kind == StorageFailed:
		return Consumption{ID: id}, held.fault
	case held.record.Key == "":
		return Consumption{}, errUseNoKey
	}
	entry := amount{ID: id, Meter: meter, Amount: number, At: int64(math.Floor(held.time)), Key: held.record.Key}
	if held.claims != nil {
		entry.License = held.claims.Subject
	}
	if client.queues {
		return client.consumeInTurn(entry)
	}
	return entry.consumption(client.send(entry))
}

// consumption is the result of a call that consumed an amount, after the reply to its request.
func (entry amount) consumption(meter *Meter, err error) (Consumption, error) {
	if _, isFault := err.(*Fault); err != nil && !isFault {
		return Consumption{}, err
	}
	return Consumption{entry.ID, meter}, err
}

// Meters returns the license's meters, as the service has counted them. The error is a *UsageError or a *Fault.
func (client *Client) Meters(ctx context.Context) ([]Meter, error) {
	return await(ctx, func() ([]Meter, error) {
		client.lock.Lock()
		held, device, fault := client.identify()
		client.lock.Unlock()
		switch {
		case fault != nil:
			return nil, fault
		case held.Key == "":
			return nil, errUseNoKey
		}
		return client.service.meters(held.Key, device.id)
	})
}

// Pending returns the amounts that wait until they can be sent, and the amounts that were dropped. It sends no request.
// If the stored data can't be read, the error is a *Fault.
func (client *Client) Pending(ctx context.Context) (Pending, error) {
	return await(ctx, func() (Pending, error) {
		report, err := client.queue.report()
		if err != nil {
			return Pending{}, &Fault{Kind: StorageFailed, Message: notRead}
		}
		return report, nil
	})
}

// send sends an amount with the key of its license. The error is a *UsageError or a *Fault.
func (client *Client) send(entry amount) (*Meter, error) {
	held := client.assessNow()
	if held.fault != nil {
		return nil, held.fault
	}
	key := entry.Key
	if held.record.Key != "" && held.claims != nil && held.claims.Subject == entry.License {
		key = held.record.Key
	}
	return client.service.consume(fields{"key": key, "fingerprint": held.device.id, "meter": entry.Meter, "amount": entry.Amount, "id": entry.ID})
}

// sendingAmounts takes the locks that keep two goroutines or processes from sending stored amounts at the same time.
func (client *Client) sendingAmounts() (leave func()) {
	client.sending.Lock()
	unlock := client.cache.exclusively(client.service.closing, "sending")
	return func() {
		unlock()
		client.sending.Unlock()
	}
}

// consumeInTurn stores an amount and sends it, unless older amounts wait.
func (client *Client) consumeInTurn(entry amount) (Consumption, error) {
	place := client.queue.add(entry)
	switch place {
	case full:
		return Consumption{}, &UsageError{"queue_full", "too many amounts are waiting"}
	case mismatch:
		return Consumption{}, &UsageError{"idempotency_mismatch", "another meter or amount is waiting with this id"}
	case behind:
		if client.isBehind() {
			return Consumption{ID: entry.ID}, nil
		}
	}
	defer client.sendingAmounts()()
	if entries := client.queue.entries(); place != notStored && len(entries) > 0 && entries[0].ID != entry.ID {
		client.lock.Lock()
		defer client.lock.Unlock()
		client.isWaitingToSend = true
		client.sendInBackground()
		return Consumption{ID: entry.ID}, nil
	}
	meter, err := client.send(entry)
	if fault, isFault := err.(*Fault); isFault && fault.Kind != Rejected {
		if place == notStored {
			return Consumption{ID: entry.ID}, &Fault{Kind: StorageFailed, Message: "the amount was neither sent nor stored"}
		}
		client.waitToSend(fault)
		return Consumption{ID: entry.ID}, nil
	}
	client.queue.settle(entry, "")
	return entry.consumption(meter, err)
}

// isBehind says whether this process knows that older amounts could not be sent. If the pause has ended, it has them sent.
func (client *Client) isBehind() bool {
	client.lock.Lock()
	defer client.lock.Unlock()
	if client.isWaitingToSend && client.now() >= client.askAgainAt {
		client.sendInBackground()
	}
	return client.isWaitingToSend
}

// sendAmounts sends the stored amounts, the oldest first, until the service can't be reached.
func (client *Client) sendAmounts() {
	defer client.sendingAmounts()()
	for {
		entries := client.queue.entries()
		client.lock.Lock()
		wasWaiting := client.isWaitingToSend
		client.isWaitingToSend = len(entries) > 0
		if wasWaiting && len(entries) == 0 {
			client.sleep()
		}
		client.lock.Unlock()
		if len(entries) == 0 {
			return
		}
		switch problem := client.sendStored(entries[0]).(type) {
		case *Fault:
			client.waitToSend(problem)
			return
		case *UsageError:
			client.queue.settle(entries[0], problem.Reason)
		default:
			client.queue.settle(entries[0], "")
		}
	}
}

// sendStored sends a stored amount, unless it is too old. This device's clock may be wrong, so before an amount is
// dropped, the service is asked for the time, which is in its token. The error is a *UsageError or a *Fault.
func (client *Client) sendStored(entry amount) error {
	held := client.assessNow()
	if held.fault != nil {
		return held.fault
	}
	now := int64(math.Floor(held.time))
	if entry.At > now {
		// The clock was ahead when the amount was consumed. Its age counts from now.
		client.queue.correctTime(entry, now)
	}
	if now-entry.At >= maxAge {
		key := held.record.Key
		if key == "" {
			key = entry.Key
		}
		reply, fault := client.service.ask(validate, fields{
			"key":         key,
			"fingerprint": held.device.id,
			"version":     client.release.Version,
			tokenHeader:   held.record.Token,
		})
		if fault != nil {
			return fault
		}
		if grant, isGranted := reply.(granted); isGranted {
			claims, _ := verifyWith(client.rules.keys, grant.token, client.rules.expectation(held.device.id), func(claims *TokenClaims) float64 { return claims.IssuedAt * 1000 })
			if claims == nil {
				return &Fault{Kind: Untrusted, Message: "token not accepted"}
			}
			if claims.IssuedAt*1000-float64(entry.At) >= maxAge {
				return &UsageError{"too_old", "it waited for 29 days"}
			}
		}
	}
	_, err := client.send(entry)
	return err
}

func (client *Client) waitToSend(fault *Fault) {
	client.lock.Lock()
	defer client.lock.Unlock()
	client.askAgainAt = math.Max(client.askAgainAt, client.now()+math.Max(retryPause, float64(fault.RetryAfter/time.Millisecond)))
	client.isWaitingToSend = true
	client.sleep()
}

// sendInBackground has the stored amounts sent. The caller has locked `lock`.
func (client *Client) sendInBackground() {
	if !client.queues || client.isSendDue {
		return
	}
	client.isSendDue = true
	client.submit(func() {
		client.lock.Lock()
		client.isSendDue = false
		client.lock.Unlock()
		client.sendAmounts()
	})
}

// sendBeforeFreeing sends the stored amounts before this device's seat is freed, because the device can't consume
// afterwards.
func (client *Client) sendBeforeFreeing() {
	if client.queues {
		client.sendAmounts()
	}
}

// checkUse returns an *InputError for the first argument of Consume that can't be sent; nil if all are valid.
func checkUse(meter string, amount int64, id string) error {
	if err := checkInput(field{"meter", meter, 64, true}); err != nil {
		return err
	}
	if amount == 0 || amount < -maxAmount || amount > maxAmount {
		return &InputError{"amount", fmt.Sprintf("must be an integer from -%d to %d, and not 0", maxAmount, maxAmount)}
	}
	if id != trim(id) || utf8.RuneCountInString(id) < 8 {
		return &InputError{"id", "must have at least 8 characters, and no white space at its ends"}
	}
	return checkInput(field{"id", id, 64, true})
}

// usageCodes are the error codes with which the service refuses `consume` and `meters`, with their statuses, and the name
// of the refusal.
var usageCodes = map[string]string{
	"404 not_found":            "unknown_key",
	"403 not_activated":        "not_activated",
	"403 sign_in_required":     "sign_in_required",
	"404 unknown_meter":        "unknown_meter",
	"409 idempotency_mismatch": "idempotency_mismatch",
	"422 invalid_request":      "invalid_request",
	"429 meter_exhausted":      "meter_exhausted",
}

// usageProblem is the refusal in a response, or the fault of a response that contains none.
func (response response) usageProblem() error {
	reason := response.licenseStatus()
	if reason == "" {
		reason = usageCodes[fmt.Sprintf("%d %s", response.status, response.code)]
	}
	if reason == "" || !response.hasDetail() {
		return response.unusable()
	}
	detail, _ := textOf(response.body["detail"])
	return &UsageError{reason, detail}
}

// consume consumes an amount of a meter. A request with the same `id` consumes nothing more, so it is safe to repeat.
func (service *service) consume(fields fields) (*Meter, error) {
	response, fault := service.call(consume, fields)
	if fault != nil {
		return nil, fault
	}
	if meter, isMeter := meterOf(response.body); response.status == http.StatusOK && isMeter {
		return &meter, nil
	}
	return nil, response.usageProblem()
}

// meters returns the meters of a license.
func (service *service) meters(key, fingerprint string) ([]Meter, error) {
	response, fault := service.call(meters, fields{"key": key, "fingerprint": fingerprint})
	if fault != nil {
		return nil, fault
	}
	list, isList := response.body["list"].([]any)
	if !isList {
		return nil, response.usageProblem()
	}
	found := []Meter{}
	for _, value := range list {
		meter, isMeter := meterOf(value)
		if !isMeter {
			return nil, response.unusable()
		}
		found = append(found, meter)
	}
	return found, nil
}

func meterOf(value any) (Meter, bool) {
	isWhole := true
	count := func(name string) int64 {
		number, isInteger := integerOf(member(value, name))
		isWhole = isWhole && isInteger && number >= 0
		return number
	}
	name, _ := textOf(member(value, "meter"))
	period, _ := textOf(member(value, "period"))
	found := Meter{Name: name, Used: count("used"), Included: count("included"), Remaining: count("remaining"), Period: period}
	object, _ := value.(map[string]any)
	resetsAt, isThere := object["resets_at"]
	if isThere && resetsAt != nil {
		text, _ := textOf(resetsAt)
		moment, isTimestamp := parseTimestamp(text)
		isThere = isTimestamp
		end := timeOf(moment)
		found.ResetsAt = &end
	}
	return found, isWhole && isThere && name != "" && period != ""
}
