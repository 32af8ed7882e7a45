// Re-exports the types in the public signatures of this module and of SessionKeyringTesting, so that users need no
// second import.
@_exported public import struct Keyutils.KeySerial
@_exported public import struct Keyutils.KeyTimeLeft
@_exported public import struct Keyutils.Keyring
@_exported public import struct Keyutils.KeyringError
@_exported public import struct Keyutils.SecretBytes
