// Command example is a small licensed app: it shows what a developer writes to use the client library.
//
// The app uses the folder that `npm run example -- setup` has created. Apps in several languages on one device share
// that folder, and therefore one seat. In client/go: `go run ./example check | activate KEY | sign-in | validate |
// deactivate | import TOKEN`
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"example.com/license-key-service/client/go/licensekey"
)

// product is the product's data that ships inside the app.
type product struct {
	BaseURL   string `json:"baseUrl"`
	ID        int64  `json:"id"`
	Slug      string `json:"slug"`
	APIKey    string `json:"apiKey"`
	PublicKey string `json:"publicKey"`
}

func newClient(folder string) (*licensekey.Client, error) {
	text, err := os.ReadFile(filepath.Join(folder, "product.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is no product yet: run `npm run example -- setup` first")
	}
	if err != nil {
		return nil, err
	}
	var product product
	if err := json.Unmarshal(text, &product); err != nil {
		return nil, err
	}
	return licensekey.New(licensekey.Options{
		BaseURL:            product.BaseURL,
		ProductID:          product.ID,
		APIKey:             product.APIKey,
		PublicKeys:         []string{product.PublicKey},
		Audience:           product.Slug,
		Fingerprint:        licensekey.MachineFingerprint,
		Storage:            licensekey.FileStorage(folder),
		Grace:              3 * 24 * time.Hour,
		AllowUnboundTokens: true,
	})
}

// sentenceFor is the sentence that the app shows to its user in each state.
func sentenceFor(state licensekey.State) string {
	switch state.Status {
	case licensekey.Licensed:
		return fmt.Sprintf("Licensed (%s, by %s), without a network until %s.", state.License.Kind, state.Source, state.OfflineUntil.Format(time.RFC3339))
	case licensekey.Expired:
		return "Your license has expired. Renew it to continue."
	case licensekey.Revoked:
		return "Your license was revoked. Contact the seller."
	case licensekey.Suspended:
		return "Your license is on hold. Contact the seller."
	case licensekey.Reissued:
		return "Your license key was replaced. Enter the new key from your mail."
	case licensekey.SignInRequired:
		return "Sign in again to use your license on this machine."
	case licensekey.Denied:
		return "The activation was refused in the browser."
	case licensekey.RequestExpired:
		return "Nobody confirmed the activation in time. Sign in again."
	case licensekey.Refused:
		return fmt.Sprintf("Your license can't be used now (%s). Contact the seller.", state.Reason)
	case licensekey.NoSeats:
		if state.Seats == nil {
			return "Every seat is taken. Deactivate another machine first."
		}
		return fmt.Sprintf("Every seat is taken (%d of %d). Deactivate another machine first.", state.Seats.Used, state.Seats.Max)
	case licensekey.TooManyDevices:
		return "This license was activated on too many new machines this week. Try again in a few days."
	case licensekey.UnknownKey:
		return "There is no such license key. Look for a typing mistake."
	case licensekey.NoTrial:
		return "There is no trial. Enter a license key."
	case licensekey.NotCovered:
		return "Your license does not cover this version. Renew its updates, or install an older version."
	case licensekey.Unbound:
		if state.Key != "" {
			return fmt.Sprintf("This machine's seat was freed. Activate %s again.", state.Key)
		}
		return "Not activated: enter your license key."
	default:
		return fmt.Sprintf("Connect to the internet once, so that the license can be checked (%s).", state.Reason)
	}
}

// labels are shown to the operator, and to the user who signs in.
func labels() licensekey.Labels {
	// If the host name is unknown, the platform is still shown.
	host, _ := os.Hostname()
	return licensekey.Labels{Name: host, Platform: runtime.GOOS}
}

func run(ctx context.Context, client *licensekey.Client, command, argument string) (string, error) {
	var state licensekey.State
	var err error
	switch command {
	case "check":
		state, err = client.Check(ctx)
	case "validate":
		state, err = client.Validate(ctx)
	case "activate":
		state, err = client.Activate(ctx, argument, labels())
	case "sign-in":
		state, err = client.ActivateInBrowser(ctx, licensekey.SignIn{
			Labels: labels(),
			OnCode: func(code string) { fmt.Println("Compare this code with the one in the browser:", code) },
			// An app with a window opens the browser here.
			Open: func(url string) error {
				fmt.Println("Open", url)
				return nil
			},
		})
	case "import":
		state, err = client.ImportToken(ctx, argument)
	case "deactivate":
		if _, err = client.Deactivate(ctx); err != nil {
			return "", fmt.Errorf("the seat may still be taken: %w", err)
		}
		state = client.State()
	default:
		return "", errors.New("commands: check, activate <key>, sign-in, validate, deactivate, import <token>")
	}
	if err != nil {
		return "", err
	}
	return sentenceFor(state), nil
}

func main() {
	folder := os.Getenv("EXAMPLE_DIR")
	if folder == "" {
		folder = filepath.Join("..", "example", ".local")
	}
	ctx := context.Background()
	arguments := append(os.Args[1:], "", "")
	client, err := newClient(folder)
	var sentence string
	if err == nil {
		sentence, err = run(ctx, client, arguments[0], arguments[1])
		// Before the process ends, Idle waits until the background work is finished and stored.
		err = errors.Join(err, client.Idle(ctx), client.Close(ctx))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(sentence)
}
