package licensekey

import (
	"errors"
	"syscall"
	"unsafe"
)

var errNoText = errors.New("the value in the registry is not a text")

// machineGUID reads the value `MachineGuid` from the 64-bit view of the registry.
func machineGUID() (string, error) {
	path, err := syscall.UTF16PtrFromString(`SOFTWARE\Microsoft\Cryptography`)
	if err != nil {
		return "", err
	}
	name, err := syscall.UTF16PtrFromString("MachineGuid")
	if err != nil {
		return "", err
	}
	var key syscall.Handle
	if err := syscall.RegOpenKeyEx(syscall.HKEY_LOCAL_MACHINE, path, 0, syscall.KEY_READ|syscall.KEY_WOW64_64KEY, &key); err != nil {
		return "", err
	}
	defer func() { _ = syscall.RegCloseKey(key) }()
	var text [64]uint16
	var kind uint32
	size := uint32(unsafe.Sizeof(text))
	if err := syscall.RegQueryValueEx(key, name, nil, &kind, (*byte)(unsafe.Pointer(&text[0])), &size); err != nil {
		return "", err
	}
	if kind != syscall.REG_SZ {
		return "", errNoText
	}
	return syscall.UTF16ToString(text[:]), nil
}
