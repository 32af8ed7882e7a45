#pragma once

/* Answers a plain `skr get SERVICE [ACCOUNT]` of the session scope before the Swift runtime starts, because starting
   the runtime takes as long as the get itself. No function has to be called: a constructor runs before main.

   The constructor answers only if it is certain to give the same bytes, errors and exit code as main. The names must
   need no encoding, and the item must be live, of type `user`, in a keyring that the session keyring itself links.
   The constructor reads only SKR_SCOPE, SKR_NAMESPACE and the keyring, and changes nothing in the keyring. It keeps the
   secret out of core dumps and, as far as RLIMIT_MEMLOCK allows, out of swap, and wipes it. It leaves every other call
   to main, and has then written nothing. */
