import Keyutils

/// The methods, properties and signals of an interface: for checking calls, and for `Introspect`.
struct Interface {
    let name: String
    /// The signatures of a method's arguments and results.
    private(set) var methods: [Name: (arguments: String, results: String)] = [:]
    private(set) var properties: [Name: (type: String, isWritable: Bool)] = [:]
    private var signals: [Name: String] = [:]

    /// - Parameters:
    ///   - methods: such as `Get ss v`: a name, the arguments and the results, where `-` stands for nothing.
    ///   - properties: such as `Label s rw`.
    ///   - signals: such as `ItemCreated o`.
    private init(_ name: String, methods: [String] = [], properties: [String] = [], signals: [String] = []) {
        self.name = name
        func words(_ text: String) -> [String] { text.split(separator: " ").map { $0 == "-" ? "" : String($0) } }
        for words in methods.map(words) { self.methods[words[0]] = (words[1], words[2]) }
        for words in properties.map(words) { self.properties[words[0]] = (words[1], words.count > 2) }
        for words in signals.map(words) { self.signals[words[0]] = words[1] }
    }

    static let service = Interface(
        "org.freedesktop.Secret.Service",
        methods: [
            "OpenSession sv vo", "CreateCollection a{sv}s oo", "SearchItems a{ss} aoao", "Unlock ao aoo", "Lock ao aoo",
            "GetSecrets aoo a{o(oayays)}", "ReadAlias s o", "SetAlias so -",
        ], properties: ["Collections ao"],
        signals: ["CollectionCreated o", "CollectionDeleted o", "CollectionChanged o"])
    static let collection = Interface(
        "org.freedesktop.Secret.Collection",
        methods: ["Delete - o", "SearchItems a{ss} ao", "CreateItem a{sv}(oayays)b oo"],
        properties: ["Items ao", "Label s rw", "Locked b", "Created t", "Modified t"],
        signals: ["ItemCreated o", "ItemDeleted o", "ItemChanged o"])
    static let item = Interface(
        "org.freedesktop.Secret.Item",
        methods: ["Delete - o", "GetSecret o (oayays)", "SetSecret (oayays) -"],
        properties: ["Locked b", "Attributes a{ss} rw", "Label s rw", "Type s", "Created t", "Modified t"])
    static let session = Interface("org.freedesktop.Secret.Session", methods: ["Close - -"])
    static let properties = Interface(
        "org.freedesktop.DBus.Properties", methods: ["Get ss v", "GetAll s a{sv}", "Set ssv -"],
        signals: ["PropertiesChanged sa{sv}as"])
    static let introspectable = Interface("org.freedesktop.DBus.Introspectable", methods: ["Introspect - s"])
    static let peer = Interface("org.freedesktop.DBus.Peer", methods: ["Ping - -", "GetMachineId - s"])
    static let status = Interface("org.sessionkeyring.Status", methods: ["Report - s"])
    static let bus = Interface(
        "org.freedesktop.DBus",
        methods: [
            "Hello - s", "AddMatch s -", "RemoveMatch s -", "GetNameOwner s s", "NameHasOwner s b",
            "StartServiceByName su u", "ListNames - as", "ListActivatableNames - as",
        ])

    /// The interfaces that every object has.
    static let common = [properties, introspectable, peer]

    /// Finds the interface that has a call's method, and checks the whole body, unless it was checked before.
    ///
    /// - Returns: the interface, and the signature of the method's results.
    static func find(
        _ call: MessageHeader, _ body: WireReader?, among interfaces: [Interface]
    ) throws -> (interface: Interface, results: String) {
        let member = call.member ?? ""
        let interface = (interfaces + common).first {
            (call.interface == nil || call.interface == $0.name) && $0.methods[member] != nil
        }
        guard let interface, let types = interface.methods[member] else {
            throw ServiceFailure.unknownMethod("\(call.interface ?? "").\(member)")
        }
        guard var body else { return (interface, types.results) }
        guard call.signature == types.arguments, let signature = TypeSignature(types.arguments.utf8) else {
            throw WireError()
        }
        try body.skip(signature)
        guard body.isAtEnd else { throw WireError() }
        return (interface, types.results)
    }

    /// The description of an object, as `Introspect` returns it.
    ///
    /// - Parameter children: the names of the objects below it.
    static func description(of interfaces: [Interface], children: [String]) -> String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>\(interfaces.map(\.xml).joined())\(children.map { "<node name=\"\($0)\"/>" }.joined())</node>

        """
    }

    private var xml: String {
        func arguments(_ signature: String, _ direction: String) -> String {
            (TypeSignature(signature.utf8)?.types ?? []).map { "<arg type=\"\($0)\"\(direction)/>" }.joined()
        }
        var xml = "<interface name=\"\(name)\">"
        for (name, types) in methods.sorted(by: { $0.key < $1.key }) {
            xml += "<method name=\"\(name)\">" + arguments(types.arguments, " direction=\"in\"")
            xml += arguments(types.results, " direction=\"out\"") + "</method>"
        }
        for (name, property) in properties.sorted(by: { $0.key < $1.key }) {
            let access = property.isWritable ? "readwrite" : "read"
            xml += "<property name=\"\(name)\" type=\"\(property.type)\" access=\"\(access)\"/>"
        }
        for (name, types) in signals.sorted(by: { $0.key < $1.key }) {
            xml += "<signal name=\"\(name)\">" + arguments(types, "") + "</signal>"
        }
        return xml + "</interface>"
    }
}
