"""The commands of secret_items.py, with the package sdbus-secrets, on sd-bus."""
import re

import sdbus
from sdbus_block import secrets
from secret_items import PlainLibrary, run


class Sdbus(PlainLibrary):
    def __init__(self):
        sdbus.set_default_bus(sdbus.sd_bus_open_user())

    def proxy(self, path, interface):
        return secrets.SecretService() if interface == "Service" else getattr(secrets, "Secret" + interface)(path)

    def variant(self, signature, value):
        return (signature, value)

    def get(self, path, interface, name):
        return getattr(self.proxy(path, interface), name.lower())

    def set(self, path, interface, name, value):
        setattr(self.proxy(path, interface), name.lower(), value)

    def call(self, path, interface, member, *arguments):
        function = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", member).lower()
        results = getattr(self.proxy(path, interface), function)(*arguments)
        return [results] if member in ("GetSecret", "Delete") else results


run(Sdbus())
