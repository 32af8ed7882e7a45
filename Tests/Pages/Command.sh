# Creates the items, files and programs that the page names.
openssl genrsa 2048 2>/dev/null >key.pem
skr set tls <key.pem
printf %s '{"tokens":[{"access":"acc3ss"}]}' | skr set oauth
printf %s api0 | skr set api
echo 'TOKEN=skr://api' >.env
echo 'token = {{ skr://api }}' >app.conf.template
for name in deploy slow-status build backup; do
    printf '#!/bin/sh\necho "%s: $TOKEN"\n' $name >$name
    chmod 755 $name
done
# PAGE
[ "$(cat app.conf)" = 'token = tok3n' ]
[ -s skr.bash ]
