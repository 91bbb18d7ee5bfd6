package licensekey

import (
	"encoding/json"
	"slices"
	"sync"
)

const (
	// maxWaiting is the maximum number of waiting amounts.
	maxWaiting = 1000
	// maxDropped is the maximum number of reported amounts that were dropped.
	maxDropped = 100
	// maxAge (ms) is the maximum age of an amount. The service remembers an id for 30 days, so an older amount could be
	// counted twice.
	maxAge = 29 * 86_400_000
)

// amount is a stored amount: a waiting one or a dropped one. The field names are those of the stored JSON, which clients
// in other languages also read.
type amount struct {
	ID     string `json:"id"`
	Meter  string `json:"meter"`
	Amount int64  `json:"amount"`
	// At is when the app consumed the amount, in epoch milliseconds.
	At int64 `json:"at"`
	// Key is the key that was held at that time; empty for a dropped amount.
	Key string `json:"key,omitempty"`
	// License is the id of the license that was held at that time; empty if its token was not known. The amount is sent
	// with whatever key of this license is held later.
	License string `json:"license,omitempty"`
	// Reason is why the amount was dropped; empty for a waiting amount.
	Reason string `json:"reason,omitempty"`
}

func (entry amount) pending() PendingAmount {
	return PendingAmount{entry.ID, entry.Meter, entry.Amount, timeOf(float64(entry.At))}
}

// amounts is the stored text of a queue. Both lists have the oldest amount first.
type amounts struct {
	Version int      `json:"v"`
	Entries []amount `json:"entries"`
	Dropped []amount `json:"dropped"`
}

// parseAmounts reads the stored text, and ignores whatever has another form.
func parseAmounts(text string) amounts {
	found := amounts{Version: 1, Entries: []amount{}, Dropped: []amount{}}
	stored, _ := parseObject([]byte(text))
	if version, isInteger := integerOf(stored["v"]); !isInteger || version != 1 {
		return found
	}
	entries, _ := stored["entries"].([]any)
	for _, value := range entries {
		entry, isAmount := amountOf(value)
		entry.Key, _ = textOf(member(value, "key"))
		object, _ := value.(map[string]any)
		license, hasLicense := object["license"]
		entry.License, _ = textOf(license)
		if isAmount && entry.Key != "" && (!hasLicense || entry.License != "") {
			found.Entries = append(found.Entries, entry)
		}
	}
	dropped, _ := stored["dropped"].([]any)
	for _, value := range dropped {
		entry, isAmount := amountOf(value)
		if entry.Reason, _ = textOf(member(value, "reason")); isAmount && entry.Reason != "" {
			found.Dropped = append(found.Dropped, entry)
		}
	}
	return found
}

func amountOf(value any) (amount, bool) {
	id, _ := textOf(member(value, "id"))
	meter, _ := textOf(member(value, "meter"))
	number, isNumber := integerOf(member(value, "amount"))
	at, isTime := integerOf(member(value, "at"))
	return amount{ID: id, Meter: meter, Amount: number, At: at}, id != "" && meter != "" && isNumber && isTime
}

// place says what was done with an amount.
type place int

const (
	// notStored: the amount could not be stored.
	notStored place = iota
	// first and behind: the amount is stored. With behind, older amounts wait.
	first
	behind
	// full: too many amounts wait.
	full
	// mismatch: another meter or amount waits with the same id.
	mismatch
)

// queue keeps amounts that could not be sent yet. Every amount is stored before it is sent, and removed after the
// service has responded. After a crash in between, it is sent again with the same id, and the service counts it once.
type queue struct {
	cache *cache
	lock  sync.Mutex
	// settled are the amounts that this process has settled, with the reason if the amount was dropped. They are not sent
	// again, even if their removal can't be stored.
	settled map[string]string
}

// add stores an amount at the end. If an amount with the same id, meter and amount waits, it is the same amount.
func (queue *queue) add(entry amount) place {
	found := notStored
	isStored := queue.change(func(entries []amount) ([]amount, bool) {
		same := slices.IndexFunc(entries, func(other amount) bool { return other.ID == entry.ID })
		switch {
		case same >= 0 && (entries[same].Meter != entry.Meter || entries[same].Amount != entry.Amount):
			found = mismatch
			return nil, false
		case same < 0 && len(entries) >= maxWaiting:
			found = full
			return nil, false
		case same < 0:
			entries = append(entries, entry)
		}
		found = behind
		if entries[0].ID == entry.ID {
			found = first
		}
		return entries, true
	})
	if !isStored && (found == first || found == behind) {
		return notStored
	}
	return found
}

// entries returns the waiting amounts; none if they can't be read.
func (queue *queue) entries() []amount {
	text, err := queue.cache.queueText()
	if err != nil {
		return nil
	}
	return queue.current(text).Entries
}

// settle removes an amount for which the service has responded. With a reason it was dropped, and is reported.
func (queue *queue) settle(entry amount, reason string) {
	queue.lock.Lock()
	if queue.settled == nil {
		queue.settled = map[string]string{}
	}
	queue.settled[entry.ID] = reason
	queue.lock.Unlock()
	queue.change(func(entries []amount) ([]amount, bool) { return entries, true })
}

// correctTime counts the age of an amount from another time.
func (queue *queue) correctTime(entry amount, at int64) {
	queue.change(func(entries []amount) ([]amount, bool) {
		for place := range entries {
			if entries[place].ID == entry.ID {
				entries[place].At = at
			}
		}
		return entries, true
	})
}

// report returns what waits and what was dropped; an error if it can't be read.
func (queue *queue) report() (Pending, error) {
	text, err := queue.cache.queueText()
	if err != nil {
		return Pending{}, err
	}
	found := queue.current(text)
	report := Pending{Amounts: []PendingAmount{}, Dropped: []DroppedAmount{}}
	for _, entry := range found.Entries {
		report.Amounts = append(report.Amounts, entry.pending())
	}
	for _, entry := range found.Dropped {
		report.Dropped = append(report.Dropped, DroppedAmount{entry.pending(), entry.Reason})
	}
	return report, nil
}

// current is the stored text without the amounts that this process has settled.
func (queue *queue) current(text string) amounts {
	found := parseAmounts(text)
	queue.lock.Lock()
	defer queue.lock.Unlock()
	waiting := []amount{}
	for _, entry := range found.Entries {
		reason, isSettled := queue.settled[entry.ID]
		switch {
		case !isSettled:
			waiting = append(waiting, entry)
		case reason != "":
			entry.Key, entry.License, entry.Reason = "", "", reason
			found.Dropped = append(found.Dropped, entry)
		}
	}
	found.Entries = waiting
	found.Dropped = found.Dropped[max(0, len(found.Dropped)-maxDropped):]
	return found
}

// change returns whether the change is stored.
func (queue *queue) change(make func(entries []amount) ([]amount, bool)) bool {
	var written []string
	isStored := queue.cache.changeQueueText(func(text string) (string, bool) {
		found := queue.current(text)
		entries, isChanged := make(found.Entries)
		if !isChanged {
			return "", false
		}
		found.Entries = entries
		queue.lock.Lock()
		for id := range queue.settled {
			written = append(written, id)
		}
		queue.lock.Unlock()
		changed, err := json.Marshal(found)
		return string(changed), err == nil
	})
	if isStored {
		queue.lock.Lock()
		defer queue.lock.Unlock()
		for _, id := range written {
			delete(queue.settled, id)
		}
	}
	return isStored
}
