# Emacs with secrets.el and auth-source. Emacs has its own interface to libdbus.
source "$CLIENTS/support/libraries.bash"
client Emacs "$(dpkg-query -W -f '${Version}' emacs-nox)"
driver=(emacs --batch -Q -l "$CLIENTS/drivers/secret-emacs.el")

check "without a service, Emacs finds none" prints nil "${driver[@]}" enabled
check "Emacs finds the service" prints t with enabled
check "its trial at the start leaves no item" prints '' echo "$(skr list)$(skr list --namespace secrets-session)"
check_items
check_second_item
check_matching
check_expiry
check_quota 61116

# Emacs gives each item a schema, and has only this one way to store an item.
create "$amy" $'The caf\u00e9' "${account[@]}"
attributes() { with attributes "${account[@]}" | tr '\n' ' '; }
check "the attributes" prints 'service = orchard username = amy xdg:schema = org.freedesktop.Secret.Generic ' attributes
check "the secret by its label" prints "$amy" with labelled $'The caf\u00e9'
check "the secret by its label in the other form" fails_with 3 with labelled $'The cafe\u0301'
check "delete by a label that no item has" with delete-labelled other
check "it has deleted nothing" prints "$amy" skr get orchard amy
check "delete by the label" with delete-labelled $'The caf\u00e9'
check "deleted: skr get does not find it" fails_with 1 skr get orchard amy

# auth-source, with which most packages of Emacs look for passwords.
create "$ben" mail host mail.example user ben port 993
check "auth-source" prints "ben $ben" with auth-source mail.example
check "auth-source for another host" fails_with 3 with auth-source other.example
skr delete "$(skr list | cut -f 2)"
check "deleted by skr delete: auth-source" fails_with 3 with auth-source mail.example

# Emacs creates a collection only if none has its label.
collections() { with collections "$@" | sort | tr '\n' ' '; }
check "the collections" prints 'login session ' collections
check "a new collection, announced by a signal" prints 'Work login session ' collections Work
check "another service has the collection" prints 'Work login session ' collections
check "Emacs does not create it again" prints 'Work login session ' collections Work
check "each service has ended with its command" services_ended
