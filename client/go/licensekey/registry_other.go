//go:build !windows

package licensekey

import "errors"

// machineGUID is only called on Windows.
func machineGUID() (string, error) { return "", errors.ErrUnsupported }
