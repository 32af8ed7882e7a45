/* A client of the Secret Service that measures it, over libdbus.

   client race ROUNDS OURS THEIRS   sends requests to the services at two addresses in turns. Prints a line for each
                                    kind of request: its name, and three times the lower quartile, the median and the
                                    upper quartile: of the times of each service in nanoseconds, and of the ratios
                                    OURS / THEIRS
   client start RUNS COMMAND        starts `COMMAND -- client answer` RUNS times. Prints the quartiles of the time in
                                    nanoseconds from the start to the first answer
   client answer DESCRIPTOR         connects, searches, and writes the time to the descriptor; `start` uses it
   client fill COUNT ADDRESS        stores COUNT items
   client use COUNT ADDRESS         makes COUNT requests over 32 connections, which it closes at the end
   client look ADDRESS              fails unless there is a service

   In a round, each service gets a batch of requests. Each service goes first in half of the rounds. */
#define _GNU_SOURCE
#include <dbus/dbus.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECRETS "org.freedesktop.secrets"
#define SERVICE "org.freedesktop.Secret.Service"
#define COLLECTION "org.freedesktop.Secret.Collection"
#define ITEM "org.freedesktop.Secret.Item"
#define ROOT "/org/freedesktop/secrets"

enum { BATCH = 10, WARMUP = 10, CONNECTIONS = 32, SECRET_SIZE = 200 };

extern char **environ;

/* A connection with a session and an item. */
struct client {
    DBusConnection *connection;
    char *session, *item;
    int number;
};

static void fail(const char *what)
{
    fprintf(stderr, "client: error: %s\n", what);
    exit(70);
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static DBusMessage *call(struct client *client, DBusMessage *message)
{
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(client->connection, message, 10000, &error);
    if (!reply)
        fail(error.message);
    dbus_message_unref(message);
    return reply;
}

/* Calls a method whose arguments are strings and object paths, as for dbus_message_append_args. */
static DBusMessage *call_simple(struct client *client, const char *path, const char *interface, const char *member,
                                int first, ...)
{
    DBusMessage *message = dbus_message_new_method_call(SECRETS, path, interface, member);
    va_list arguments;
    va_start(arguments, first);
    dbus_message_append_args_valist(message, first, arguments);
    va_end(arguments);
    return call(client, message);
}

static void append_attributes(DBusMessageIter *place, int number)
{
    char name[32];
    snprintf(name, sizeof name, "user-%d", number);
    const char *pairs[][2] = {{"service", "benchmark"}, {"username", name}};
    DBusMessageIter array, entry;
    dbus_message_iter_open_container(place, DBUS_TYPE_ARRAY, "{ss}", &array);
    for (int i = 0; i < 2; i++) {
        dbus_message_iter_open_container(&array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
        dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &pairs[i][0]);
        dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &pairs[i][1]);
        dbus_message_iter_close_container(&array, &entry);
    }
    dbus_message_iter_close_container(place, &array);
}

static void append_property(DBusMessageIter *array, const char *name, const char *type, int number)
{
    const char *label = "An item of the benchmark";
    DBusMessageIter entry, value;
    dbus_message_iter_open_container(array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
    dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
    dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, type, &value);
    if (*type == 'a')
        append_attributes(&value, number);
    else
        dbus_message_iter_append_basic(&value, DBUS_TYPE_STRING, &label);
    dbus_message_iter_close_container(&entry, &value);
    dbus_message_iter_close_container(array, &entry);
}

static void append_bytes(DBusMessageIter *place, const char *bytes, int size)
{
    DBusMessageIter array;
    dbus_message_iter_open_container(place, DBUS_TYPE_ARRAY, "y", &array);
    dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, size);
    dbus_message_iter_close_container(place, &array);
}

static void create_item(struct client *client)
{
    const char *content_type = "text/plain", *path;
    dbus_bool_t replace = TRUE;
    char secret[SECRET_SIZE];
    DBusMessageIter place, array, fields;
    memset(secret, 'x', sizeof secret);
    DBusMessage *message = dbus_message_new_method_call(SECRETS, ROOT "/aliases/default", COLLECTION, "CreateItem");
    dbus_message_iter_init_append(message, &place);
    dbus_message_iter_open_container(&place, DBUS_TYPE_ARRAY, "{sv}", &array);
    append_property(&array, ITEM ".Label", "s", client->number);
    append_property(&array, ITEM ".Attributes", "a{ss}", client->number);
    dbus_message_iter_close_container(&place, &array);
    dbus_message_iter_open_container(&place, DBUS_TYPE_STRUCT, NULL, &fields);
    dbus_message_iter_append_basic(&fields, DBUS_TYPE_OBJECT_PATH, &client->session);
    append_bytes(&fields, secret, 0);
    append_bytes(&fields, secret, sizeof secret);
    dbus_message_iter_append_basic(&fields, DBUS_TYPE_STRING, &content_type);
    dbus_message_iter_close_container(&place, &fields);
    dbus_message_iter_append_basic(&place, DBUS_TYPE_BOOLEAN, &replace);
    DBusMessage *reply = call(client, message);
    if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_INVALID) || strlen(path) < 2)
        fail("CreateItem needs a prompt");
    free(client->item);
    client->item = strdup(path);
    dbus_message_unref(reply);
}

static void get_secret(struct client *client)
{
    DBusMessage *reply = call_simple(client, client->item, ITEM, "GetSecret", DBUS_TYPE_OBJECT_PATH, &client->session,
                                     DBUS_TYPE_INVALID);
    DBusMessageIter place, fields, bytes;
    const char *value;
    int size = 0;
    dbus_message_iter_init(reply, &place);
    dbus_message_iter_recurse(&place, &fields);
    dbus_message_iter_next(&fields);
    dbus_message_iter_next(&fields);
    dbus_message_iter_recurse(&fields, &bytes);
    dbus_message_iter_get_fixed_array(&bytes, &value, &size);
    if (size != SECRET_SIZE || *value != 'x')
        fail("GetSecret did not return the secret");
    dbus_message_unref(reply);
}

static void search_items(struct client *client)
{
    char **unlocked;
    int count;
    DBusMessage *message = dbus_message_new_method_call(SECRETS, ROOT, SERVICE, "SearchItems");
    DBusMessageIter place;
    dbus_message_iter_init_append(message, &place);
    append_attributes(&place, client->number);
    DBusMessage *reply = call(client, message);
    if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_ARRAY, DBUS_TYPE_OBJECT_PATH, &unlocked, &count,
                               DBUS_TYPE_INVALID))
        fail("SearchItems did not return paths");
    if (client->item && count != 1)
        fail("SearchItems did not find the right items");
    dbus_free_string_array(unlocked);
    dbus_message_unref(reply);
}

static void get_property(struct client *client)
{
    const char *interface = ITEM, *name = "Label";
    dbus_message_unref(call_simple(client, client->item, DBUS_INTERFACE_PROPERTIES, "Get", DBUS_TYPE_STRING, &interface,
                                   DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID));
}

static struct client connected(const char *address)
{
    struct client client = {.connection = dbus_connection_open_private(address, NULL)};
    if (!client.connection || !dbus_bus_register(client.connection, NULL))
        fail("can't connect to the bus");
    return client;
}

static void open_session(struct client *client)
{
    const char *algorithm = "plain", *empty = "", *path;
    DBusMessage *message = dbus_message_new_method_call(SECRETS, ROOT, SERVICE, "OpenSession");
    DBusMessageIter place, value;
    dbus_message_iter_init_append(message, &place);
    dbus_message_iter_append_basic(&place, DBUS_TYPE_STRING, &algorithm);
    dbus_message_iter_open_container(&place, DBUS_TYPE_VARIANT, "s", &value);
    dbus_message_iter_append_basic(&value, DBUS_TYPE_STRING, &empty);
    dbus_message_iter_close_container(&place, &value);
    DBusMessage *reply = call(client, message);
    dbus_message_iter_init(reply, &place);
    dbus_message_iter_next(&place);
    dbus_message_iter_get_basic(&place, &path);
    client->session = strdup(path);
    dbus_message_unref(reply);
}

static void closed(struct client *client)
{
    dbus_connection_close(client->connection);
    dbus_connection_unref(client->connection);
    free(client->session);
    free(client->item);
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Prints the lower quartile, the median and the upper quartile, each after a space. */
static void print_quartiles(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    for (int part = 1; part <= 3; part++)
        printf(" %.4f", values[(int)(part / 4.0 * (count - 1) + 0.5)]);
}

static const struct {
    const char *name;
    void (*request)(struct client *);
} requests[] = {
    {"GetSecret", get_secret},
    {"SearchItems", search_items},
    {"CreateItem", create_item},
    {"Properties.Get", get_property},
};

static double batch(void (*request)(struct client *), struct client *client)
{
    long long start = now();
    for (int i = 0; i < BATCH; i++)
        request(client);
    return (double)(now() - start) / BATCH;
}

static void race(int rounds, char **addresses)
{
    double *times[2], *ratios = calloc((size_t)rounds, sizeof *ratios);
    struct client clients[2];
    for (int side = 0; side < 2; side++) {
        times[side] = calloc((size_t)rounds, sizeof *times[side]);
        clients[side] = connected(addresses[side]);
        open_session(&clients[side]);
        create_item(&clients[side]);
    }
    for (size_t j = 0; j < sizeof requests / sizeof *requests; j++) {
        for (int i = -WARMUP; i < rounds; i++) {
            double measured[2];
            for (int turn = 0; turn < 2; turn++) {
                int side = (turn + i) & 1;
                measured[side] = batch(requests[j].request, &clients[side]);
            }
            if (i < 0)
                continue;
            times[0][i] = measured[0];
            times[1][i] = measured[1];
            ratios[i] = measured[0] / measured[1];
        }
        printf("%s", requests[j].name);
        print_quartiles(times[0], rounds);
        print_quartiles(times[1], rounds);
        print_quartiles(ratios, rounds);
        printf("\n");
    }
    for (int side = 0; side < 2; side++)
        closed(&clients[side]);
}

static void answer(int descriptor)
{
    struct client client = connected(getenv("DBUS_SESSION_BUS_ADDRESS"));
    search_items(&client);
    long long time = now();
    if (write(descriptor, &time, sizeof time) != sizeof time)
        fail("can't report the time");
}

static void start(int runs, char *command)
{
    double *times = calloc((size_t)runs, sizeof *times);
    char self[4096] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        fail("can't find this program");
    for (int i = -WARMUP; i < runs; i++) {
        int ends[2], status;
        char descriptor[16];
        pid_t child;
        long long time;
        if (pipe(ends) != 0)
            fail("pipe");
        snprintf(descriptor, sizeof descriptor, "%d", ends[1]);
        char *words[] = {command, "--", self, "answer", descriptor, NULL};
        long long begin = now();
        if (posix_spawn(&child, command, NULL, NULL, words, environ) != 0)
            fail(command);
        close(ends[1]);
        if (read(ends[0], &time, sizeof time) != sizeof time || waitpid(child, &status, 0) != child || status != 0)
            fail("the service did not answer");
        close(ends[0]);
        if (i >= 0)
            times[i] = (double)(time - begin);
    }
    print_quartiles(times, runs);
    printf("\n");
}

static void fill(int count, const char *address)
{
    struct client client = connected(address);
    open_session(&client);
    for (client.number = 1; client.number <= count; client.number++)
        create_item(&client);
    closed(&client);
}

static void use(int count, const char *address)
{
    struct client clients[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
        clients[i] = connected(address);
        open_session(&clients[i]);
        create_item(&clients[i]);
    }
    for (int i = 0; i < count; i++)
        requests[i / CONNECTIONS % (sizeof requests / sizeof *requests)].request(&clients[i % CONNECTIONS]);
    for (int i = 0; i < CONNECTIONS; i++)
        closed(&clients[i]);
}

static void look(const char *address)
{
    struct client client = connected(address);
    const char *name = SECRETS;
    dbus_bool_t has_owner = FALSE;
    DBusMessage *message = dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS,
                                                        "NameHasOwner");
    dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
    dbus_message_get_args(call(&client, message), NULL, DBUS_TYPE_BOOLEAN, &has_owner, DBUS_TYPE_INVALID);
    if (!has_owner)
        fail("no Secret Service");
}

int main(int count, char **words)
{
    const char *verb = count > 2 ? words[1] : "";
    int number = count > 2 ? atoi(words[2]) : 0;
    if (strcmp(verb, "race") == 0 && count == 5 && number > 0)
        race(number, words + 3);
    else if (strcmp(verb, "start") == 0 && count == 4 && number > 0)
        start(number, words[3]);
    else if (strcmp(verb, "answer") == 0 && count == 3)
        answer(number);
    else if (strcmp(verb, "fill") == 0 && count == 4)
        fill(number, words[3]);
    else if (strcmp(verb, "use") == 0 && count == 4)
        use(number, words[3]);
    else if (strcmp(verb, "look") == 0 && count == 3)
        look(words[2]);
    else
        fail("usage: client race|start|answer|fill|use|look ...");
    return 0;
}
