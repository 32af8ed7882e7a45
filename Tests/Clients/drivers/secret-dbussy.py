"""The commands of secret_items.py, with DBussy's proxies, which introspect each object."""
import ravel
from secret_items import PREFIX, PlainLibrary, run


class DBussy(PlainLibrary):
    def __init__(self):
        self.service = ravel.session_bus()["org.freedesktop.secrets"]

    def proxy(self, path, interface):
        return self.service[path].get_interface(PREFIX + interface)

    def variant(self, signature, value):
        return (signature, value)

    def get(self, path, interface, name):
        return getattr(self.proxy(path, interface), name)

    def set(self, path, interface, name, value):
        setattr(self.proxy(path, interface), name, value)

    def call(self, path, interface, member, *arguments):
        return getattr(self.proxy(path, interface), member)(*arguments)


run(DBussy())
