printf '#!/bin/sh\n[ "$TOKEN" ]\n' >deploy
chmod 755 deploy
# PAGE
grep -q '"Authorization": "Bearer s3cret"' "$PAGE_REQUESTS"
