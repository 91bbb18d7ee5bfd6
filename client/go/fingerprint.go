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
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// commandLimit is the longest that a command may take.
const commandLimit = 5 * time.Second

// linuxFiles are where Linux keeps its id (machine-id(5)), first the usual place.
var linuxFiles = []string{"/etc/machine-id", "/var/lib/dbus/machine-id"}

// machineIDs are how the id stands in what each system shows, by Go's name of the system.
var machineIDs = map[string]*regexp.Regexp{
	"linux":   regexp.MustCompile(`(?i)^\s*([0-9a-f]{32})\s*$`),
	"darwin":  regexp.MustCompile(`(?i)"IOPlatformUUID"\s*=\s*"([0-9a-f-]{36})"`),
	"windows": regexp.MustCompile(`(?i)\bMachineGuid\s+REG_SZ\s+([0-9a-f-]{36})\s`),
}

// placeholder: firmware and images that were never set up have all zeros or ones.
var placeholder = regexp.MustCompile(`^([0-]+|[f-]+)$`)

// system is what a machine id is read from.
type system struct {
	os       string
	readFile func(path string) (string, error)
	// run gives the standard output of a command.
	run func(command string, arguments ...string) (string, error)
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
}

// parseMachineID gives the machine id in what a system shows of it, in lower case; empty if there is none, or only a
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

// machineID gives the machine id; empty if there is none. What doesn't exist shows nothing; what can't be read is an
// error, so that a machine doesn't look like another one for a moment.
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
		// By its whole path, as the next one: another program of that name must not be found first.
		shown, err := system.run("/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice")
		return parseMachineID(system.os, shown), err
	case "windows":
		root := os.Getenv("SystemRoot")
		if root == "" {
			root = `C:\Windows`
		}
		shown, err := system.run(filepath.Join(root, "System32", "reg.exe"), "query", `HKLM\SOFTWARE\Microsoft\Cryptography`, "/v", "MachineGuid", "/reg:64")
		return parseMachineID(system.os, shown), err
	}
	return "", nil
}

// fingerprintOf is the fingerprint that belongs to a machine id.
func fingerprintOf(machineID string) string {
	sum := sha256.Sum256([]byte(machineID))
	return hex.EncodeToString(sum[:])
}

// appFingerprintOf is the fingerprint that belongs to a machine id in one app: HMAC-SHA256 with the machine id as key.
func appFingerprintOf(app, machineID string) string {
	mac := hmac.New(sha256.New, []byte(machineID))
	mac.Write([]byte(app))
	return hex.EncodeToString(mac.Sum(nil))
}

// MachineFingerprint is this machine's fingerprint: SHA-256 of its machine id, the same after restarts and updates, and
// for every app and SDK on it. It is empty if there is no machine id (some containers, other systems); the client then
// uses an id of its own making. An error: there is one that can't be read now.
func MachineFingerprint() (string, error) { return thisSystem.fingerprint() }

// AppFingerprint makes a function like MachineFingerprint whose result is another one in every app, so that two vendors
// can't recognize the same machine by it. To be chosen before the first activation. app is the product's slug.
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
