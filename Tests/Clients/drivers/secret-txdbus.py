"""The commands of secret_items.py, with txdbus's remote objects, which introspect each object."""
import sys

from secret_items import PREFIX, PlainLibrary, run
from twisted.internet import reactor, task, threads
from txdbus import client


class Txdbus(PlainLibrary):
    def __init__(self):
        # If the authentication fails, txdbus does not report it.
        self.bus = self.wait(lambda: client.connect(reactor).addTimeout(10, reactor))

    def wait(self, function, *arguments, **names):
        return threads.blockingCallFromThread(reactor, function, *arguments, **names)

    def object(self, path):
        return self.wait(self.bus.getRemoteObject, "org.freedesktop.secrets", path)

    def variant(self, signature, value):
        return value

    def get(self, path, interface, name):
        return self.wait(self.object(path).callRemote, "Get", PREFIX + interface, name)

    def set(self, path, interface, name, value):
        self.wait(self.object(path).callRemote, "Set", PREFIX + interface, name, value)

    def call(self, path, interface, member, *arguments):
        return self.wait(self.object(path).callRemote, member, *arguments, interface=PREFIX + interface)


def main():
    try:
        run(Txdbus())
    # Twisted would print its own functions, but hardly the error.
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")


task.react(lambda _: threads.deferToThread(main))
