#pragma once

/* Answers a plain `skr get SERVICE [ACCOUNT]` of the session scope before the Swift runtime is set up, which would take as
   long as the get itself. There is nothing to call: a constructor runs before main.

   It promises to answer only what it is sure of, with the same bytes, errors and exit code as main: names that need no
   encoding, and a live item of the type `user` in a keyring that the session links itself. It reads nothing but
   SKR_SCOPE, SKR_NAMESPACE and the keyring, changes nothing there, and wipes the secret. Before it has written anything, it
   leaves every other call to main. */
