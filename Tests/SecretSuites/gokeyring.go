// Makes the calls of go-keyring, the library of gh, in the same order: gokeyring VERB SERVICE [USER].
//
// The verbs are set, get, delete and delete-all. set reads the secret from standard input, and get prints it. Ends with
// 1 if the item does not exist, and with 2 after any other error, whose name is the first word of its line.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/godbus/dbus"
)

const (
	name    = "org.freedesktop.secrets"
	root    = dbus.ObjectPath("/org/freedesktop/secrets")
	login   = root + "/collection/login"
	alias   = root + "/aliases/default"
	secrets = "org.freedesktop.Secret."
)

var (
	bus      *dbus.Conn
	notFound = errors.New("the item does not exist")
)

// The D-Bus structure of a secret.
type value struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Secret      []byte
	ContentType string
}

func main() {
	os.Exit(exitCode(run(os.Args[1:])))
}

func exitCode(err error) int {
	var answer dbus.Error
	switch {
	case err == nil:
		return 0
	case err == notFound:
		fmt.Fprintln(os.Stderr, err)
		return 1
	case errors.As(err, &answer):
		fmt.Fprintln(os.Stderr, answer.Name, answer)
	default:
		fmt.Fprintln(os.Stderr, err)
	}
	return 2
}

func run(words []string) (err error) {
	if bus, err = dbus.SessionBus(); err != nil {
		return err
	}
	switch {
	case len(words) == 3 && words[0] == "set":
		secret, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		return set(words[1], words[2], secret)
	case len(words) == 3 && words[0] == "get":
		secret, err := get(words[1], words[2])
		os.Stdout.Write(secret)
		return err
	case len(words) == 3 && words[0] == "delete":
		items, err := search(map[string]string{"username": words[2], "service": words[1]})
		if err != nil {
			return err
		}
		return remove(items[0])
	case len(words) == 2 && words[0] == "delete-all":
		items, err := search(map[string]string{"service": words[1]})
		if err == notFound {
			return nil
		}
		for _, item := range items {
			if err := remove(item); err != nil {
				return err
			}
		}
		return err
	}
	return errors.New("usage: gokeyring set|get|delete|delete-all SERVICE [USER]")
}

func set(service, user string, secret []byte) error {
	session, err := openSession()
	if err != nil {
		return err
	}
	defer closeSession(session)
	collection, err := unlockedCollection()
	if err != nil {
		return err
	}
	properties := map[string]dbus.Variant{
		secrets + "Item.Label":      dbus.MakeVariant(fmt.Sprintf("Password for '%s' on '%s'", user, service)),
		secrets + "Item.Attributes": dbus.MakeVariant(map[string]string{"username": user, "service": service}),
	}
	var item, prompt dbus.ObjectPath
	err = bus.Object(name, collection).Call(
		secrets+"Collection.CreateItem", 0, properties,
		value{session, []byte{}, secret, "text/plain; charset=utf8"}, true,
	).Store(&item, &prompt)
	return orPrompt(err, prompt)
}

func get(service, user string) ([]byte, error) {
	items, err := search(map[string]string{"username": user, "service": service})
	if err != nil {
		return nil, err
	}
	session, err := openSession()
	if err != nil {
		return nil, err
	}
	defer closeSession(session)
	if err := unlock(items[0]); err != nil {
		return nil, err
	}
	var found value
	err = bus.Object(name, items[0]).Call(secrets+"Item.GetSecret", 0, session).Store(&found)
	return found.Secret, err
}

func search(attributes map[string]string) (items []dbus.ObjectPath, err error) {
	collection, err := unlockedCollection()
	if err != nil {
		return nil, err
	}
	err = bus.Object(name, collection).Call(secrets+"Collection.SearchItems", 0, attributes).Store(&items)
	if err == nil && len(items) == 0 {
		err = notFound
	}
	return items, err
}

func remove(item dbus.ObjectPath) error {
	var prompt dbus.ObjectPath
	err := bus.Object(name, item).Call(secrets+"Item.Delete", 0).Store(&prompt)
	return orPrompt(err, prompt)
}

func openSession() (session dbus.ObjectPath, err error) {
	var output dbus.Variant
	err = bus.Object(name, root).Call(secrets+"Service.OpenSession", 0, "plain", dbus.MakeVariant("")).
		Store(&output, &session)
	return session, err
}

func closeSession(session dbus.ObjectPath) {
	if err := bus.Object(name, session).Call(secrets+"Session.Close", 0).Err; err != nil {
		os.Exit(exitCode(err))
	}
}

// Returns the collection login if the service lists it, and otherwise the alias.
func unlockedCollection() (dbus.ObjectPath, error) {
	collection := alias
	listed, err := bus.Object(name, root).GetProperty(secrets + "Service.Collections")
	if err != nil {
		return "", err
	}
	paths, isList := listed.Value().([]dbus.ObjectPath)
	if !isList {
		return "", errors.New("the property Collections is not a list of paths")
	}
	for _, path := range paths {
		if path == login {
			collection = login
		}
	}
	return collection, unlock(collection)
}

func unlock(path dbus.ObjectPath) error {
	var unlocked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	err := bus.Object(name, root).Call(secrets+"Service.Unlock", 0, []dbus.ObjectPath{path}).Store(&unlocked, &prompt)
	if err := orPrompt(err, prompt); err != nil {
		return err
	}
	if len(unlocked) != 1 || (path != alias && unlocked[0] != path) {
		return fmt.Errorf("Unlock of %s answered %v", path, unlocked)
	}
	return nil
}

// Our service never asks.
func orPrompt(err error, prompt dbus.ObjectPath) error {
	if err == nil && prompt != "/" {
		err = fmt.Errorf("the service answers with the prompt %s", prompt)
	}
	return err
}
