"""Fills our service like libsecret's mock, for SecretStorage's tests, which run their mock with Python."""
import os

os.execvp("mock", ["mock", "mock-service-lock.py"])
