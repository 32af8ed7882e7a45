"""The commands of secret_items.py, with SecretStorage 2, on dbus-python and libdbus."""
import secretstorage
from secret_items import run


class SecretStorage:
    def __init__(self):
        self.bus = secretstorage.dbus_init()
        self.collection = secretstorage.get_default_collection(self.bus)

    def create(self, label, attributes, secret, content_type, replace):
        # Without the argument, it does not replace.
        replacing = {"replace": True} if replace else {}
        self.collection.create_item(label, attributes, secret, content_type=content_type, **replacing)

    def search(self, attributes):
        return list(secretstorage.search_items(self.bus, attributes))

    def secret(self, item):
        return item.get_secret(), item.get_secret_content_type()

    def label(self, item):
        return item.get_label()

    def relabel(self, item, label):
        item.set_label(label)

    def attributes(self, item):
        return item.get_attributes()

    def delete(self, item):
        item.delete()

    def create_collection(self, label):
        secretstorage.create_collection(self.bus, label)

    def collections(self):
        return [collection.get_label() for collection in secretstorage.get_all_collections(self.bus)]


run(SecretStorage())
