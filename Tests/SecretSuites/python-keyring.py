"""python-keyring's tests for backends, with the backend for the Secret Service."""
from keyring.backends import SecretService
from keyring.testing.backend import BackendBasicTests


class TestSecretService(BackendBasicTests):
    def init_keyring(self):
        return SecretService.Keyring()
