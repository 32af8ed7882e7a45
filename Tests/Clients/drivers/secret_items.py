"""The commands of the drivers secret-*.py, each of which passes its client library to `run`:

    create LABEL [NAME VALUE]...    store standard input as one more item
    replace LABEL [NAME VALUE]...   store standard input instead of the item with these attributes
    lookup [NAME VALUE]...          print the secret of the first item found
    search [NAME VALUE]...          print the label of each item
    attributes [NAME VALUE]...      print the attributes of the first item
    type [NAME VALUE]...            print its content type, which `create` takes from $CONTENT_TYPE
    relabel LABEL [NAME VALUE]...   change its label
    delete [NAME VALUE]...          delete it
    collections [LABEL]...          create these collections, and print the labels of all

A command that finds no item ends with 3.
"""
import os
import sys

SERVICE = "/org/freedesktop/secrets"
DEFAULT = SERVICE + "/aliases/default"
PREFIX = "org.freedesktop.Secret."


class PlainLibrary:
    """A library that only makes calls. Sends secrets in the clear.

    A subclass has `variant`, `get`, `set` and `call`, which returns the results as a list.
    """
    def session(self):
        return self.call(SERVICE, "Service", "OpenSession", "plain", self.variant("s", ""))[1]

    def create(self, label, attributes, secret, content_type, replace):
        properties = {
            PREFIX + "Item.Label": self.variant("s", label),
            PREFIX + "Item.Attributes": self.variant("a{ss}", attributes),
        }
        self.call(
            DEFAULT, "Collection", "CreateItem", properties,
            (self.session(), bytearray(), bytearray(secret), content_type), replace)

    def search(self, attributes):
        return list(self.call(SERVICE, "Service", "SearchItems", attributes)[0])

    def secret(self, item):
        _, _, value, content_type = self.call(item, "Item", "GetSecret", self.session())[0]
        return bytes(value), content_type

    def label(self, item):
        return self.get(item, "Item", "Label")

    def relabel(self, item, label):
        self.set(item, "Item", "Label", label)

    def attributes(self, item):
        return self.get(item, "Item", "Attributes")

    def delete(self, item):
        self.call(item, "Item", "Delete")

    def create_collection(self, label):
        self.call(SERVICE, "Service", "CreateCollection", {PREFIX + "Collection.Label": self.variant("s", label)}, "")

    def collections(self):
        return [self.get(path, "Collection", "Label") for path in self.get(SERVICE, "Service", "Collections")]


def run(library):
    command, words = sys.argv[1], sys.argv[2:]
    if command == "collections":
        for label in words:
            library.create_collection(label)
        print(*library.collections(), sep="\n")
        return
    label = words.pop(0) if command in ("create", "replace", "relabel") else None
    attributes = dict(zip(words[::2], words[1::2]))
    if command in ("create", "replace"):
        content_type = os.environ.get("CONTENT_TYPE", "text/plain")
        library.create(label, attributes, sys.stdin.buffer.read(), content_type, command == "replace")
        return
    found = library.search(attributes)
    if not found:
        sys.exit(3)
    item = found[0]
    if command == "search":
        for item in found:
            print(library.label(item))
    elif command == "lookup":
        sys.stdout.buffer.write(library.secret(item)[0])
    elif command == "type":
        print(library.secret(item)[1])
    elif command == "attributes":
        for name, value in sorted(library.attributes(item).items()):
            print(f"{name} = {value}")
    elif command == "relabel":
        library.relabel(item, label)
    elif command == "delete":
        library.delete(item)
    else:
        sys.exit(f"no command {command}")
