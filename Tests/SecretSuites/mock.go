// Takes the place of libsecret's mock: `python3 mock-service-NAME.py` starts this program, which is first in PATH.
//
// libsecret's tests expect a service that has certain collections and items, and whose name on the bus is the first
// line of the mock's output. This program fills our service with them. If MOCK_ATTACH is set, it first starts the
// service on the session bus; otherwise the service runs already.
//
// `mock paths` fills the service for each of the mocks, and prints the mock's path and ours for each item.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/godbus/dbus"
)

const (
	name   = "org.freedesktop.secrets"
	root   = "/org/freedesktop/secrets"
	secret = "org.freedesktop.Secret."
)

type item struct{ name, label, secret, attributes string }

type collection struct {
	// The names of the mock's collection and of our collection.
	name, ours, label string
	items             []item
}

// Our aliases can't lead to other collections, so the mock's default collection is our collection login.
var standard = []collection{
	{"english", "login", "Collection One", []item{
		{"1", "Item One", "111", "number=1 string=one even=false xdg:schema=org.mock.Schema"},
		{"2", "Item Two", "222", "number=2 string=two even=true xdg:schema=org.mock.Schema"},
		{"3", "Item Three", "333", "number=3 string=three even=false xdg:schema=org.mock.Schema"}}},
	{"spanish", "spanish", "", []item{
		{"10", "Item", "111", "number=1 string=uno even=false xdg:schema=org.mock.Schema"},
		{"20", "Item", "222", "number=2 string=dos even=true xdg:schema=org.mock.Schema"},
		{"30", "Item", "3333", "number=3 string=tres even=false xdg:schema=org.mock.Schema"}}},
	{"german", "german", "", []item{
		{"300", "Item", "333", "number=3 string=drei prime=true xdg:schema=org.mock.Primes"},
		{"400", "Item", "444", "number=4 string=vier prime=false xdg:schema=org.mock.Primes"},
		{"500", "Item", "555", "number=5 string=fuenf prime=true xdg:schema=org.mock.Primes"},
		{"600", "Item", "666", "number=6 string=sechs prime=false xdg:schema=org.mock.Primes"}}},
	{"empty", "empty", "", nil},
	{"session", "session", "Session Keyring", nil},
}

// The collections of each mock, by the name of its script.
var contents = map[string][]collection{
	"empty":      nil,
	"normal":     standard,
	"only-plain": standard,
	"prompt":     standard,
	"delete": append(standard[:len(standard):len(standard)],
		collection{"todelete", "todelete", "", []item{
			{"item", "Item", "uno", "number=1 string=one even=false"},
			{"confirm", "Item", "dos", "number=2 string=two even=true"}}},
		collection{"twodelete", "twodelete", "", []item{
			{"locked", "Item", "tres", "number=3 string=three even=false"}}}),
	"lock": append(standard[:len(standard):len(standard)],
		collection{"lockone", "lockone", "", []item{
			{"item", "Item", "uno", "number=1 string=one even=false"},
			{"confirm", "Item", "dos", "number=2 string=two even=true"}}},
		collection{"lockprompt", "lockprompt", "", []item{
			{"locked", "Item", "tres", "number=3 string=three even=false"}}}),
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mock:", err)
		os.Exit(1)
	}
}

func main() {
	bus, err := dbus.SessionBus()
	must(err)
	if os.Args[1] == "paths" {
		for _, collections := range contents {
			fill(bus, collections, func(mock, ours string) { fmt.Println(mock, ours) })
		}
		return
	}
	// The service must end with this thread's process.
	runtime.LockOSThread()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	var service *exec.Cmd
	if os.Getenv("MOCK_ATTACH") != "" {
		service = start(bus)
	}
	var owner string
	must(bus.BusObject().Call("org.freedesktop.DBus.GetNameOwner", 0, name).Store(&owner))
	script := strings.TrimSuffix(filepath.Base(os.Args[1]), ".py")
	collections, known := contents[strings.TrimPrefix(script, "mock-service-")]
	if !known {
		must(fmt.Errorf("unknown script: %s", os.Args[1]))
	}
	fill(bus, collections, func(mock, ours string) {})
	fmt.Println(owner)
	<-signals
	if service != nil {
		service.Process.Kill()
		service.Wait()
	}
}

// Starts the service on the bus, and waits until it has its name.
func start(bus *dbus.Conn) *exec.Cmd {
	service := exec.Command("skr-secrets", "--attach")
	service.Stderr = os.Stderr
	service.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(service.Start())
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		var isThere bool
		must(bus.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&isThere))
		if isThere {
			return service
		}
	}
	must(fmt.Errorf("skr-secrets --attach does not take the name"))
	return nil
}

// Stores the items. Calls found with the mock's path and our path of each.
func fill(bus *dbus.Conn, collections []collection, found func(mock, ours string)) {
	service := bus.Object(name, root)
	var output dbus.Variant
	var session, prompt dbus.ObjectPath
	must(service.Call(secret+"Service.OpenSession", 0, "plain", dbus.MakeVariant("")).Store(&output, &session))
	// Our service finds the newest items first, and the mock those of the first collection.
	for position := range collections {
		collection := collections[len(collections)-1-position]
		path := dbus.ObjectPath(root + "/collection/" + collection.ours)
		label := map[string]dbus.Variant{secret + "Collection.Label": dbus.MakeVariant(collection.ours)}
		if collection.label != "" {
			must(bus.Object(name, path).SetProperty(secret+"Collection.Label", dbus.MakeVariant(collection.label)))
		} else {
			// An earlier mock can have left it; otherwise, this fails.
			bus.Object(name, path).Call(secret+"Collection.Delete", 0)
			var created dbus.ObjectPath
			must(service.Call(secret+"Service.CreateCollection", 0, label, "").Store(&created, &prompt))
			if created != path {
				must(fmt.Errorf("CreateCollection answered %s instead of %s", created, path))
			}
		}
		for _, item := range collection.items {
			attributes := map[string]string{}
			for _, pair := range strings.Fields(item.attributes) {
				equals := strings.Index(pair, "=")
				attributes[pair[:equals]] = pair[equals+1:]
			}
			properties := map[string]dbus.Variant{
				secret + "Item.Label":      dbus.MakeVariant(item.label),
				secret + "Item.Attributes": dbus.MakeVariant(attributes),
			}
			value := struct {
				Session           dbus.ObjectPath
				Parameters, Value []byte
				ContentType       string
			}{session, []byte{}, []byte(item.secret), "text/plain"}
			var created dbus.ObjectPath
			must(bus.Object(name, path).Call(secret+"Collection.CreateItem", 0, properties, value, true).
				Store(&created, &prompt))
			found(root+"/collection/"+collection.name+"/"+item.name, string(created))
		}
	}
	must(bus.Object(name, session).Call(secret+"Session.Close", 0).Err)
}
