import SessionKeyring
import SessionKeyringTesting

/// Stores each byte inverted.
let sealing = SecretSealing(
    seal: { bytes, _ in SecretBytes(copying: bytes.withUnsafeBytes { $0.map { ~$0 } }) },
    open: { bytes, item in
        precondition(!item.service.isEmpty)
        return SecretBytes(copying: bytes.withUnsafeBytes { $0.map { ~$0 } })
    })

let scratch = try ScratchKeyring()
let stores = [
    try scratch.store(), SecretStore(backend: InMemoryBackend()),
    try scratch.store(namespace: "sealed", sealing: sealing), SecretStore(backend: InMemoryBackend(), sealing: sealing),
    try SecretStore(scratch.scope, namespace: "sealed too", sealing: sealing),
]
for store in stores {
    try await callAll(store)
    try await callAllWithOthers(store)
}

let item = ItemIdentity.password(service: "api")
try stores[2].set([1, 255] as [UInt8], for: item)
let stored = try scratch.store(namespace: "sealed").get(item, as: [UInt8].self)
precondition(stored == [254, 0])
print("every call works, in the kernel and in memory, also sealed")
