# ruby-dbus, which has its own implementation of D-Bus. Its proxies introspect each object.
source "$CLIENTS/support/libraries.bash"
client ruby-dbus "$(dpkg-query -W -f '${Version}' ruby-dbus)"
driver=(ruby "$CLIENTS/drivers/secret-ruby.rb")
check_library 61112
