package licensekey

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// commandLimit is the maximum time that a command may take.
const commandLimit = 5 * time.Second

// linuxFiles are the files in which Linux keeps its machine id (machine-id(5)), the usual one first.
var linuxFiles = []string{"/etc/machine-id", "/var/lib/dbus/machine-id"}

// machineIDs contains, for each operating system (GOOS), the pattern that finds the machine id in the system's file or command output.
var machineIDs = map[string]*regexp.Regexp{
	"linux":   regexp.MustCompile(`(?i)^\s*([0-9a-f]{32})\s*$`),
	"darwin":  regexp.MustCompile(`(?i)"IOPlatformUUID"\s*=\s*"([0-9a-f-]{36})"`),
	"windows": regexp.MustCompile(`(?i)^\s*([0-9a-f-]{36})\s*$`),
}

// placeholder matches the id of firmware and system images that were never set up: only zeros or only `f`.
var placeholder = regexp.MustCompile(`^([0-]+|[f-]+)$`)

// system contains the system functions that read a machine id.
type system struct {
	os       string
	readFile func(path string) (string, error)
	// run runs a command and returns its standard output.
	run func(command string, arguments ...string) (string, error)
	// machineGUID reads the value `MachineGuid` from the registry of Windows.
	machineGUID func() (string, error)
}

var thisSystem = system{
	os: runtime.GOOS,
	readFile: func(path string) (string, error) {
		data, err := os.ReadFile(path)
		return string(data), err
	},
	run: func(command string, arguments ...string) (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
		defer cancel()
		output, err := exec.CommandContext(ctx, command, arguments...).Output()
		return string(output), err
	},
	machineGUID: machineGUID,
}

// parseMachineID returns the machine id in a system's output, in lower case; empty if there is none, or only a
// placeholder.
func parseMachineID(os, shown string) string {
	pattern := machineIDs[os]
	if pattern == nil {
		return ""
	}
	match := pattern.FindStringSubmatch(shown)
	if match == nil {
		return ""
	}
	id := strings.ToLower(match[1])
	if placeholder.MatchString(id) {
		return ""
	}
	return id
}

// machineID returns the machine id; empty if there is none. A source that doesn't exist is skipped. A source that can't
// be read is an error, because a temporary fault must not give the machine another fingerprint.
func (system system) machineID() (string, error) {
	switch system.os {
	case "linux":
		for _, path := range linuxFiles {
			shown, err := system.readFile(path)
			isMissing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
			if err != nil && !isMissing {
				return "", err
			}
			if id := parseMachineID(system.os, shown); err == nil && id != "" {
				return id, nil
			}
		}
	case "darwin":
		// The command has an absolute path, so that another program of the same name is never run.
		shown, err := system.run("/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice")
		return parseMachineID(system.os, shown), err
	case "windows":
		shown, err := system.machineGUID()
		return parseMachineID(system.os, shown), err
	}
	return "", nil
}

// fingerprintOf is the fingerprint of a machine id.
func fingerprintOf(machineID string) string {
	sum := sha256.Sum256([]byte(machineID))
	return hex.EncodeToString(sum[:])
}

// appFingerprintOf is the fingerprint of a machine id for one app: HMAC-SHA256 with the machine id as key.
func appFingerprintOf(app, machineID string) string {
	mac := hmac.New(sha256.New, []byte(machineID))
	mac.Write([]byte(app))
	return hex.EncodeToString(mac.Sum(nil))
}

// MachineFingerprint returns this machine's fingerprint, which is the SHA-256 of its machine id. The fingerprint stays
// the same after restarts and updates, and is the same for every app and SDK. It is empty if there is no machine id,
// for example in some containers; the client then creates a random id. If there is a machine id that can't be read now,
// MachineFingerprint returns an error.
func MachineFingerprint() (string, error) { return thisSystem.fingerprint() }

// AppFingerprint returns a function like MachineFingerprint, but the fingerprint differs between apps. Therefore two
// vendors can't recognize the same machine by its fingerprint. Choose one of the two functions before the first
// activation, because their fingerprints of the same machine differ. app is the product's slug.
func AppFingerprint(app string) func() (string, error) {
	return func() (string, error) { return thisSystem.appFingerprint(app) }
}

func (system system) fingerprint() (string, error) {
	id, err := system.machineID()
	if id == "" || err != nil {
		return "", err
	}
	return fingerprintOf(id), nil
}

func (system system) appFingerprint(app string) (string, error) {
	id, err := system.machineID()
	if id == "" || err != nil {
		return "", err
	}
	return appFingerprintOf(app, id), nil
}
