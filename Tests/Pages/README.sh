printf '#!/bin/sh\n[ "$TOKEN" ]\n' >deploy
printf '#!/bin/sh\n[ "$*" = "show api" ] && echo tok3n\n' >bin/pass
chmod 755 deploy bin/pass
# PAGE
grep -q '"Authorization": "Bearer tok3n"' "$PAGE_REQUESTS"
