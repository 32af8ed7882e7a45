/* libsecret SAMPLES BATCH SERVICE ACCOUNT: one lookup in the Secret Service with libsecret, over one connection. */
#include "measure.h"

#include <libsecret/secret.h>
#include <string.h>

static const SecretSchema schema = {
    "org.freedesktop.Secret.Generic", SECRET_SCHEMA_DONT_MATCH_NAME,
    {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
    0, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
};
static const char *service, *account;

static long get(char *buffer, size_t size)
{
    gchar *password =
        secret_password_lookup_sync(&schema, NULL, NULL, "service", service, "account", account, NULL);
    if (!password)
        return -1;
    size_t length = strlen(password);
    if (length <= size)
        memcpy(buffer, password, length);
    secret_password_free(password);
    return length <= size ? (long)length : -1;
}

int main(int count, char **words)
{
    if (count != 5)
        fail("usage: libsecret SAMPLES BATCH SERVICE ACCOUNT");
    service = words[3];
    account = words[4];
    measure(words[1], words[2], get);
}
