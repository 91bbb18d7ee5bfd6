package licensekey_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"time"

	"example.com/license-key-service/client/go/licensekey"
)

// publicKey is the `public_key` of the product.
const publicKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAP/J5JENb604swTUki5l94NJkg1plNStuMjHQ+wOSK5Q=
-----END PUBLIC KEY-----`

// noNetwork is the transport of a computer without a network.
type noNetwork struct{}

func (noNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no network")
}

func newClient() *licensekey.Client {
	license, err := licensekey.New(licensekey.Options{
		BaseURL:    "https://licenses.example.com",
		ProductID:  1,
		APIKey:     "pk_test",
		PublicKeys: []string{publicKey},
		Transport:  noNetwork{},
		RetryDelay: -1,
	})
	if err != nil {
		panic(err)
	}
	return license
}

// At the first start there is no license. Without a network a key can't be activated.
func Example() {
	ctx := context.Background()
	license := newClient()
	state, err := license.Check(ctx)
	fmt.Println(state, err)
	state, err = license.Activate(ctx, "9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z", licensekey.Labels{Name: "Ada's laptop"})
	fmt.Println(state, err)
	// Output:
	// unbound <nil>
	// offline_without_token: no_token (unreachable: no network) <nil>
}

// An argument that can't be sent gives an error that names the field.
func ExampleClient_Activate() {
	_, err := newClient().Activate(context.Background(), "  ", licensekey.Labels{})
	var invalid *licensekey.InputError
	fmt.Println(errors.As(err, &invalid), err)
	// Output: true key must not be empty
}

// The user compares the code with the one in the browser. Without a network there is neither code nor browser.
func ExampleClient_ActivateInBrowser() {
	state, err := newClient().ActivateInBrowser(context.Background(), licensekey.SignIn{
		Labels: licensekey.Labels{Name: "Ada's laptop"},
		OnCode: func(code string) { fmt.Println("Compare this code:", code) },
		Open:   func(url string) error { return exec.Command("xdg-open", url).Start() },
	})
	fmt.Println(state, err)
	// Output: offline_without_token: no_token (unreachable: no network) <nil>
}

// Before the first result, the state is empty, and covers no release.
func ExampleUpdates_Covers() {
	fmt.Println(newClient().State().Updates.Covers(licensekey.Release{Version: "2.0.0"}))
	until := time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)
	updates := &licensekey.Updates{Until: &until}
	fmt.Println(updates.Covers(licensekey.Release{ReleasedAt: until}), updates.Covers(licensekey.Release{ReleasedAt: until.AddDate(0, 1, 0)}))
	// Output:
	// false
	// true false
}
