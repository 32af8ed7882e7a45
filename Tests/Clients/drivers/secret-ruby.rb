# The commands of secret_items.py, with ruby-dbus's proxies, which introspect each object.
require "dbus"

PREFIX = "org.freedesktop.Secret."

def proxy(path, interface)
  DBus.session_bus.service("org.freedesktop.secrets").object(path)[PREFIX + interface]
end

def service = proxy("/org/freedesktop/secrets", "Service")

def item(path) = proxy(path, "Item")

def session = service.OpenSession("plain", DBus.variant("s", ""))[1]

def create(label, attributes, replace)
  properties = {
    PREFIX + "Item.Label" => DBus.variant("s", label),
    PREFIX + "Item.Attributes" => DBus.variant("a{ss}", attributes)
  }
  secret = [session, [], $stdin.binmode.read.bytes, ENV.fetch("CONTENT_TYPE", "text/plain")]
  proxy("/org/freedesktop/secrets/aliases/default", "Collection").CreateItem(properties, secret, replace)
end

def collections(labels)
  labels.each { |label| service.CreateCollection({ PREFIX + "Collection.Label" => DBus.variant("s", label) }, "") }
  service["Collections"].each { |path| puts proxy(path, "Collection")["Label"] }
end

command, *words = ARGV
if command == "collections"
  collections(words)
  exit
end
label = words.shift if %w[create replace relabel].include?(command)
attributes = words.each_slice(2).to_h
if %w[create replace].include?(command)
  create(label, attributes, command == "replace")
  exit
end
found = service.SearchItems(attributes)[0]
exit 3 if found.empty?
first = item(found[0])
case command
when "search" then found.each { |path| puts item(path)["Label"] }
when "lookup" then $stdout.write(first.GetSecret(session)[0][2].pack("C*"))
when "type" then puts first.GetSecret(session)[0][3]
when "attributes" then first["Attributes"].sort.each { |name, value| puts "#{name} = #{value}" }
when "relabel" then first["Label"] = label
when "delete" then first.Delete
else abort "no command #{command}"
end
