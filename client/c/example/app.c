/* A small licensed app: it shows what a developer writes to use the client library.
 *
 * The app uses the folder that `npm run example -- setup` has created. Apps in several languages on one device share
 * that folder, and therefore one seat. Commands: check | activate KEY | sign-in | validate | deactivate |
 * import TOKEN */

#include "../include/license_key_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the content of a file; the caller frees it. */
static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 16384);
  if (file != NULL && text != NULL) text[fread(text, 1, 16383, file)] = '\0';
  if (file != NULL) fclose(file);
  return text;
}

/* Writes a JSON text. */
static void put_text(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text != '\0'; text += 1) {
    if (*text == '\n')
      fputs("\\n", out);
    else if (*text == '"' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else
      fputc(*text, out);
  }
  fputc('"', out);
}

static LksClient *open_client(const char *folder, char **error) {
  static const char *const members[][2] = {{"baseUrl", "base_url"}, {"apiKey", "api_key"}, {"publicKey", "public_key"}, {"slug", "audience"}};
  char path[4096], options[32768] = "";
  snprintf(path, sizeof path, "%s/product.json", folder);
  char *product = read_file(path);
  FILE *out = tmpfile();
  fputs("{\"storage\":", out);
  put_text(out, folder);
  for (int place = 0; place < 4; place += 1) {
    char *value = lks_json_get(product, members[place][0]);
    fprintf(out, ",\"%s\":", members[place][1]);
    put_text(out, value == NULL ? "" : value);
    lks_string_free(value);
  }
  char *id = lks_json_get(product, "id");
  fprintf(out, ",\"grace_days\":3,\"allow_unbound_tokens\":true,\"product_id\":%s}", id == NULL ? "0" : id);
  lks_string_free(id);
  free(product);
  rewind(out);
  options[fread(options, 1, sizeof options - 1, out)] = '\0';
  fclose(out);
  return lks_open(options, error);
}

/* Prints the sentence that the app shows to its user in each state. */
static void tell(const char *state) {
  static const char *const sentences[][2] = {
      {"unbound", "Not activated: enter your license key."},
      {"expired", "Your license has expired. Renew it to continue."},
      {"revoked", "Your license was revoked. Contact the seller."},
      {"suspended", "Your license is on hold. Contact the seller."},
      {"reissued", "Your license key was replaced. Enter the new key from your mail."},
      {"sign_in_required", "Sign in again to use your license on this machine."},
      {"denied", "The activation was refused in the browser."},
      {"request_expired", "Nobody confirmed the activation in time. Sign in again."},
      {"no_seats", "Every seat is taken. Deactivate another machine first."},
      {"too_many_devices", "This license was activated on too many new machines this week. Try again in a few days."},
      {"unknown_key", "There is no such license key. Look for a typing mistake."},
      {"not_covered", "Your license does not cover this version. Renew its updates, or install an older version."},
      {"offline_without_token", "Connect to the internet once, so that the license can be checked."},
  };
  char *status = lks_json_get(state, "status"), *kind = lks_json_get(state, "license.type.kind");
  char *source = lks_json_get(state, "source"), *until = lks_json_get(state, "offline_until");
  const char *sentence = "Your license can't be used now. Contact the seller.";
  for (size_t place = 0; place < sizeof sentences / sizeof *sentences; place += 1)
    if (status != NULL && strcmp(status, sentences[place][0]) == 0) sentence = sentences[place][1];
  if (status != NULL && strcmp(status, "licensed") == 0)
    printf("Licensed (%s, by %s), without a network until %s.\n", kind, source, until);
  else
    puts(sentence);
  lks_string_free(status);
  lks_string_free(kind);
  lks_string_free(source);
  lks_string_free(until);
}

/* Activates by a sign-in in the browser, and returns the state. */
static char *sign_in(const LksClient *client) {
  char *begun = lks_sign_in_begin(client, NULL, NULL), *code = lks_json_get(begun, "code"), *url = lks_json_get(begun, "url");
  if (code == NULL || url == NULL) return begun; /* No request could be created: this is the state. */
  /* An app with a window opens the browser here. */
  printf("Compare this code with the one in the browser: %s\nOpen %s\n", code, url);
  fflush(stdout);
  lks_string_free(begun);
  lks_string_free(code);
  lks_string_free(url);
  return lks_sign_in_wait(client);
}

int main(int count, char **arguments) {
  const char *folder = getenv("EXAMPLE_DIR"), *command = count > 1 ? arguments[1] : "", *argument = count > 2 ? arguments[2] : "";
  char *error = NULL, *result = NULL;
  LksClient *client = open_client(folder == NULL ? "../example/.local" : folder, &error);
  if (client == NULL) {
    fprintf(stderr, "%s\n", error);
    lks_string_free(error);
    return 1;
  }
  if (strcmp(command, "check") == 0) result = lks_check(client);
  if (strcmp(command, "validate") == 0) result = lks_validate(client);
  if (strcmp(command, "activate") == 0) result = lks_activate(client, argument, NULL, NULL, NULL);
  if (strcmp(command, "sign-in") == 0) result = sign_in(client);
  if (strcmp(command, "import") == 0) result = lks_import_token(client, argument);
  if (strcmp(command, "deactivate") == 0) {
    lks_string_free(lks_deactivate(client));
    result = lks_check(client);
  }
  if (result == NULL)
    fputs("Commands: check, activate <key>, sign-in, validate, deactivate, import <token>.\n", stderr);
  else
    tell(result);
  lks_string_free(result);
  /* Background work is finished and stored before the process ends. */
  lks_idle(client);
  lks_client_free(client);
  return result == NULL;
}
