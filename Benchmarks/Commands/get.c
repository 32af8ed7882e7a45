/* A minimal program that prints a secret: get NAME, where NAME is the key's description. */
#include <keyutils.h>
#include <unistd.h>

int main(int count, char **words)
{
    static char buffer[32768];
    if (count != 2)
        return 64;
    long key = keyctl_search(keyctl_get_keyring_ID(KEY_SPEC_SESSION_KEYRING, 0), "user", words[1], 0);
    if (key < 0)
        return 1;
    long size = keyctl_read((key_serial_t)key, buffer, sizeof buffer);
    return size > 0 && write(STDOUT_FILENO, buffer, (size_t)size) == size ? 0 : 70;
}
