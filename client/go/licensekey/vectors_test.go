package licensekey

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// If a test in this file fails, this client and the other clients of the service treat the same input differently.

// readVectors reads a file of test vectors. The clients in all languages are tested with the same vectors.
func readVectors(t *testing.T, name string, content any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "vectors", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, content); err != nil {
		t.Fatal(err)
	}
}

func TestTokens(t *testing.T) {
	type given struct {
		PublicKeyPEM       string          `json:"public_key_pem"`
		JWKS               json.RawMessage `json:"jwks"`
		Audience           string          `json:"audience"`
		Fingerprint        string          `json:"fingerprint"`
		Now                int64           `json:"now"`
		AllowUnboundTokens bool            `json:"allow_unbound_tokens"`
	}
	var content struct {
		ClockSkew int64 `json:"clock_skew"`
		Defaults  given
		Tokens    []struct {
			Name, Token string
			Problem     *string
			Given       json.RawMessage
		}
	}
	readVectors(t, "tokens", &content)
	if time.Duration(content.ClockSkew)*time.Second != ClockSkew {
		t.Errorf("the tolerance is %d s", content.ClockSkew)
	}
	for _, vector := range content.Tokens {
		given := content.Defaults
		// Decoding overwrites the bytes of given.JWKS. Without this copy, it would overwrite the default JWK set.
		given.JWKS = slices.Clone(given.JWKS)
		if vector.Given != nil {
			decode(t, vector.Given, &given)
		}
		for form, key := range map[string]string{"PEM": given.PublicKeyPEM, "JWK set": string(given.JWKS)} {
			t.Run(vector.Name+"/"+form, func(t *testing.T) {
				expected := Expectation{given.Fingerprint, given.Audience, given.AllowUnboundTokens}
				_, problem, err := VerifyToken(vector.Token, []string{key}, expected, time.Unix(given.Now, 0))
				if err != nil {
					t.Fatal(err)
				}
				if problem != textOrEmpty(vector.Problem) {
					t.Errorf("problem %q, expected %q", problem, textOrEmpty(vector.Problem))
				}
			})
		}
	}
}

func TestVerdicts(t *testing.T) {
	type given struct {
		PublicKeyPEM  string  `json:"public_key_pem"`
		Audience      string  `json:"audience"`
		LicenseID     string  `json:"license_id"`
		Fingerprint   string  `json:"fingerprint"`
		TokenIssuedAt float64 `json:"token_issued_at"`
	}
	var content struct {
		Defaults given
		Verdicts []struct {
			Name, Verdict, Status string
			Problem               *string
			Given                 json.RawMessage
		}
	}
	readVectors(t, "verdicts", &content)
	for _, vector := range content.Verdicts {
		t.Run(vector.Name, func(t *testing.T) {
			given := content.Defaults
			if vector.Given != nil {
				decode(t, vector.Given, &given)
			}
			keys, err := verifyKeys([]string{given.PublicKeyPEM})
			if err != nil {
				t.Fatal(err)
			}
			status, _, problem := verifyVerdict(keys, vector.Verdict, verdictExpectation{given.Audience, given.LicenseID, given.Fingerprint, given.TokenIssuedAt})
			if problem != textOrEmpty(vector.Problem) || status != vector.Status {
				t.Errorf("problem %q and status %q, expected %q and %q", problem, status, textOrEmpty(vector.Problem), vector.Status)
			}
		})
	}
}

func TestFingerprints(t *testing.T) {
	var content struct {
		App          string
		Fingerprints []struct {
			Name, Platform, Shown string
			MachineID             *string `json:"machine_id"`
			Fingerprint           *string
			AppFingerprint        *string `json:"app_fingerprint"`
		}
	}
	readVectors(t, "fingerprints", &content)
	for _, vector := range content.Fingerprints {
		t.Run(vector.Name, func(t *testing.T) {
			// The vectors call Windows "win32", but Go calls it "windows".
			name := vector.Platform
			if name == "win32" {
				name = "windows"
			}
			if id := parseMachineID(name, vector.Shown); id != textOrEmpty(vector.MachineID) {
				t.Errorf("machine id %q", id)
			}
			system := system{
				os:       name,
				readFile: func(string) (string, error) { return vector.Shown, nil },
				run:      func(string, ...string) (string, error) { return vector.Shown, nil },

				machineGUID: func() (string, error) { return vector.Shown, nil },
			}
			found, err := system.fingerprint()
			if err != nil || found != textOrEmpty(vector.Fingerprint) {
				t.Errorf("fingerprint %q, error %v", found, err)
			}
			found, err = system.appFingerprint(content.App)
			if err != nil || found != textOrEmpty(vector.AppFingerprint) {
				t.Errorf("app-specific fingerprint %q, error %v", found, err)
			}
		})
	}
}

func TestOfflineRequests(t *testing.T) {
	var content struct {
		Requests []struct {
			Name, Text string
			Request    *OfflineRequest
		}
	}
	readVectors(t, "requests", &content)
	for _, vector := range content.Requests {
		t.Run(vector.Name, func(t *testing.T) {
			request, isRequest := ReadOfflineRequest(vector.Text)
			if isRequest != (vector.Request != nil) || (isRequest && request != *vector.Request) {
				t.Errorf("%+v", request)
			}
			if again, _ := ReadOfflineRequest(request.String()); isRequest && again != request {
				t.Errorf("written and read again: %+v", again)
			}
		})
	}
}

func textOrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func TestCoverage(t *testing.T) {
	var content struct {
		Cases []struct {
			Name         string
			UpdatesUntil *time.Time `json:"updates_until"`
			MaxMajor     *int64     `json:"max_major"`
			Version      string
			ReleasedAt   time.Time `json:"released_at"`
			Covered      bool
		}
	}
	readVectors(t, "coverage", &content)
	for _, given := range content.Cases {
		updates := Updates{given.UpdatesUntil, given.MaxMajor}
		if covered := updates.Covers(Release{given.Version, given.ReleasedAt}); covered != given.Covered {
			t.Errorf("%s: %v", given.Name, covered)
		}
	}
}
