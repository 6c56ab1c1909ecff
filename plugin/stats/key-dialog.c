/* key-dialog.c
 * Tools, Performance Counters, Password or keytab...: sets the preferences that decrypt the capture
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <epan/prefs.h>
#include <wsutil/report_message.h>

#define DIALOG_TITLE "Password or keytab"

/* Width of the dialog's text in characters */
#define LINE_WIDTH 76u

enum answer { ANSWER_PASSWORD, ANSWER_KEYTAB };

static tap_packet_status
collect_needed(void *needed, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    needed_add((struct needed *)needed, (const struct key_needed *)tapped);
    return TAP_PACKET_DONT_REDRAW;
}

static void key_dialog_answered(char **answers, void *data);

/*
 * Asks for a password or a keytab. The first line must not contain text of the capture: HTML tags there would make the
 * dialog show the text as HTML.
 */
static void
ask_for_key(const funnel_ops_t *ops, const struct needed *needed)
{
    GString *text = g_string_new("These connections are encrypted:\n");
    const char *fields[] = { NULL, "Keytab file (NTLM and Kerberos)", NULL };
    const char *values[] = { "", "", NULL };

    for (unsigned i = 0; i < needed->count; i++) {
        stat_append_words(text, needed->items[i].text, LINE_WIDTH, 0, "");
    }
    if (needed->has_more) {
        g_string_append(text, "...\n");
    }
    g_string_append_c(text, '\n');
    stat_append_words(text,
        "The password is visible here. Wireshark stores it as clear text in the profile, file \"preferences\", when it "
        "next saves its preferences.",
        LINE_WIDTH, 0, "");
    g_string_append(text, "\nPassword (NTLM)");
    fields[0] = text->str;
    tools_menu_ask(ops, DIALOG_TITLE, fields, values, key_dialog_answered, NULL, NULL);
    g_string_free(text, TRUE);
}

/* Sets a preference unless the value is empty. If Wireshark rejects the value, shows a message and returns false. */
static bool
set_preference(const char *name, const char *value)
{
    char *argument = g_strdup_printf("%s:%s", name, value), *why = NULL;
    const bool is_set = value[0] == '\0' || prefs_set_pref(argument, &why) == PREFS_SET_OK;

    if (!is_set) {
        report_failure("Wireshark does not take the preference %s%s%s. It may have been built without Kerberos.", name,
            why == NULL ? "" : ": ", why == NULL ? "" : why);
    }
    g_free(why);
    g_free(argument);
    return is_set;
}

/* Handles the dialog's input. Wireshark dissects the packets anew after it has returned. */
static void
key_dialog_answered(char **answers, void *data _U_)
{
    const funnel_ops_t *ops = funnel_get_funnel_ops();
    const char *keytab = g_strstrip(answers[ANSWER_KEYTAB]);

    if (keytab[0] != '\0' && !g_file_test(keytab, G_FILE_TEST_IS_REGULAR)) {
        report_failure("There is no file \"%s\".", keytab);
    } else if (set_preference("ntlmssp.nt_password", answers[ANSWER_PASSWORD]) &&
        set_preference("kerberos.file", keytab) &&
        set_preference("kerberos.decrypt", keytab[0] == '\0' ? "" : "TRUE")) {
        prefs_apply_all();
        ops->redissect_packets(ops->ops_id);
    }
    g_strfreev(answers);
}

void
key_dialog_open(const funnel_ops_t *ops)
{
    static const char *const taps[] = { "perflib_session_key", NEEDED_TAP };
    struct needed needed = { .count = 0 };

    tools_menu_collect(ops, taps, collect_needed, &needed);
    if (needed.count > 0) {
        ask_for_key(ops, &needed);
    } else {
        report_failure("Nothing in this capture needs a password or a keytab.");
    }
    needed_clear(&needed);
}
