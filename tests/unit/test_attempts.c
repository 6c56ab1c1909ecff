/* test_attempts.c
 * Attempts of clients: what is shown of them, which count as one, and what a later one that works tells of them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/sessions/attempts.h"

#include <math.h>
#include <string.h>

#include <epan/wmem_scopes.h>

#include "check.h"

static const struct key_needed a_key = { KEY_PASSWORD, "a key" }, another_key = { KEY_KEYTAB, "another key" };

static struct attempts *attempts;
static wmem_allocator_t *pool;
static unsigned num_rows;
static unsigned num_shown;
static packet_info pinfo;
static bool lacks[NUM_ENDS];

static void
show(struct attempt *attempt, wmem_allocator_t *scope, void *data)
{
    CHECK(data == &num_rows && scope == pool, "another table's");
    CHECK(attempt->shown_as == attempt, "is shown by another");
    if (!attempt->has_row) {
        attempt->has_row = true;
        attempt->row = num_rows++;
    }
    num_shown++;
}

/* The next frame, so many milliseconds later. */
static void
wait(unsigned milliseconds)
{
    attempts_frame(attempts, &pinfo);
    pinfo.num++;
    pinfo.abs_ts.nsecs += (int)(milliseconds % 1000) * 1000000;
    pinfo.abs_ts.secs += milliseconds / 1000 + pinfo.abs_ts.nsecs / 1000000000;
    pinfo.abs_ts.nsecs %= 1000000000;
}

static void
anew(void)
{
    attempts_clear(attempts);
    num_rows = 0;
    pinfo = (packet_info){ .num = 100, .pool = pool, .abs_ts = { 1000, 900000000 } };
    lacks[CLIENT] = lacks[SERVER] = false;
}

static const struct attempt over_tcp = {
    .client = "A",
    .server = "S",
    .carrier = CARRIED_BY_TCP,
    .port = 49152,
    .wants = WANTS_PERFLIBV2,
    .lacks = lacks,
};
static const struct attempt over_smb = {
    .client = "A",
    .server = "S",
    .carrier = CARRIED_BY_SMB2,
    .port = 445,
    .pipe = "winreg",
    .lacks = lacks,
};

static struct attempt *
begin(struct attempt kind)
{
    kind.frame = pinfo.num;
    return attempts_add(attempts, &kind);
}

/* One that was stopped, in the frame in which it began. */
static struct attempt *
stopped(struct attempt kind, enum stage stage, const char *text)
{
    struct attempt *attempt = begin(kind);

    attempts_stopped(attempts, attempt, stage, text, &pinfo);
    wait(100);
    return attempt;
}

static struct pending_call
call(struct attempt *attempt)
{
    return (struct pending_call){ .attempt = attempt,
        .operation = "PerflibV2Call",
        .frame = pinfo.num,
        .time = pinfo.abs_ts };
}

/* A call that is answered after so many milliseconds. */
static void
answered(struct attempt *attempt, unsigned milliseconds)
{
    struct pending_call one = call(attempt);

    attempts_call(attempts, &one);
    wait(milliseconds);
    attempts_answered(attempts, &one, &pinfo);
}

static struct attempt *
works(struct attempt kind)
{
    struct attempt *attempt = begin(kind);

    answered(attempt, 100);
    wait(100);
    return attempt;
}

static void
faulted(struct attempt *attempt, const char *text)
{
    struct pending_call one = call(attempt);

    attempts_call(attempts, &one);
    wait(10);
    attempts_fault(attempts, &one, text, &pinfo);
    wait(10);
}

#define SAYS(attempt, text) \
    do { \
        attempts_frame(attempts, &pinfo); \
        CHECK((attempt)->has_row &&strcmp(attempt_outcome(attempt, pool), text) == 0, "%s", \
            attempt_outcome(attempt, pool)); \
    } while (0)

static void
check_calls(void)
{
    struct attempt *attempt = begin(over_tcp);
    struct pending_call one, other;

    SAYS(attempt, "opened, but nothing followed");
    lacks[CLIENT] = true;
    SAYS(attempt, "opened, but nothing followed, or none was captured: the client's segments are not all there");
    lacks[CLIENT] = false;
    attempt->is_bound = true;
    SAYS(attempt, "bound, but no call followed");
    one = call(attempt);
    attempts_call(attempts, &one);
    wait(0);
    SAYS(attempt, "no answer to PerflibV2Call of frame 100");
    other = call(attempt);
    attempts_call(attempts, &other);
    wait(250);
    SAYS(attempt, "no answer to 2 calls, the first: PerflibV2Call of frame 100");
    lacks[SERVER] = true;
    SAYS(attempt,
        "no answer to 2 calls, the first: PerflibV2Call of frame 100, or none captured: the server's segments are not "
        "all there");
    lacks[SERVER] = false;
    attempts_answered(attempts, &one, &pinfo);
    SAYS(attempt, "works; no answer to PerflibV2Call of frame 101");
    attempts_answered(attempts, &other, &pinfo);
    answered(attempt, 50);
    SAYS(attempt, "works");
    CHECK(attempt->stage == STAGE_CALL && attempt->calls == 3 && attempt->answers == 3 && attempt->responses == 3,
        "%u, %u, %u", attempt->calls, attempt->answers, attempt->responses);
    CHECK(fabs(attempt->response_sum - 550) < 0.1 && fabs(attempt->response_max - 250) < 0.1, "%f, %f",
        attempt->response_sum, attempt->response_max);
    /* The capture's time went back: how long it took is not known. */
    one = call(attempt);
    attempts_call(attempts, &one);
    pinfo.abs_ts.secs--;
    attempts_answered(attempts, &one, &pinfo);
    pinfo.abs_ts.secs++;
    CHECK(attempt->answers == 4 && attempt->responses == 3 && fabs(attempt->response_sum - 550) < 0.1, "%f",
        attempt->response_sum);
    /* Its request was not captured. */
    one = (struct pending_call){ .attempt = attempt, .operation = "a call" };
    attempts_lost_call(attempts, &one);
    attempts_answered(attempts, &one, &pinfo);
    CHECK(attempt->calls == 4 && attempt->answers == 5 && attempt->responses == 3, "%u, %u, %u", attempt->calls,
        attempt->answers, attempt->responses);
    faulted(attempt, "nca_s_one");
    SAYS(attempt, "works; nca_s_one in frame 104");
    faulted(attempt, "nca_s_other");
    SAYS(attempt, "works; 2 faults, the first: nca_s_one in frame 104");
    attempts_refused(attempts, attempt, "ACCESS", &pinfo);
    SAYS(attempt, "works; ACCESS in frame 107; 2 faults, the first: nca_s_one in frame 104");
    attempts_sealed(attempts, attempt, &a_key);
    SAYS(attempt, "answered; what is said is sealed; ACCESS in frame 107; 2 faults, the first: nca_s_one in frame 104");
    CHECK(num_rows == 1, "%u rows", num_rows);
    num_shown = 0;
    wait(0);
    CHECK(num_shown == 0, "shown though nothing changed");
    attempts_changed(attempts, attempt);
    attempts_changed(attempts, attempt);
    wait(0);
    CHECK(num_shown == 1, "shown %u times", num_shown);
}

static void
check_refusals(void)
{
    struct attempt *attempt;

    /* Each answer is a refusal. */
    anew();
    attempt = begin(over_tcp);
    answered(attempt, 10);
    attempts_refused(attempts, attempt, "ACCESS", &pinfo);
    wait(10);
    SAYS(attempt, "ACCESS in frame 101");
    answered(attempt, 10);
    SAYS(attempt, "works; ACCESS in frame 101");

    /* It was stopped by them until one works. */
    anew();
    attempt = begin(over_tcp);
    answered(attempt, 10);
    attempts_refused(attempts, attempt, "ACCESS", &pinfo);
    wait(10);
    works(over_tcp);
    SAYS(attempt, "ACCESS in frame 101; worked 0.110 s later in frame 103");

    /* Of more that were stopped than are kept, 64, the oldest are not told. */
    anew();
    {
        struct attempt *oldest[2];

        for (unsigned i = 0; i < 66; i++) {
            attempt = stopped(over_tcp, STAGE_BIND, wmem_strdup_printf(pool, "NAK %u", i));
            if (i >= 1 && i <= 2) {
                oldest[i - 1] = attempt;
            }
        }
        works(over_tcp);
        attempts_frame(attempts, &pinfo);
        CHECK(oldest[0]->worked_in == 0 && oldest[1]->worked_in != 0, "told in %u and %u", oldest[0]->worked_in,
            oldest[1]->worked_in);
    }

    /* Beside the calls: the answer stands. */
    anew();
    attempt = begin(over_tcp);
    attempts_refused_aside(attempts, attempt, "SYNTAX", &pinfo);
    SAYS(attempt, "SYNTAX in frame 100");
    answered(attempt, 10);
    SAYS(attempt, "works; SYNTAX in frame 100");
    /* What works is not stopped by something further. */
    attempts_stopped(attempts, attempt, STAGE_BIND, "NAK", &pinfo);
    SAYS(attempt, "works; 2 refusals, the first: SYNTAX in frame 100");
    CHECK(attempt->refused_aside == 2 && attempt->stopped.count == 0 && attempt->stage == STAGE_CALL, "%u",
        attempt->refused_aside);

    /* All calls failed. */
    anew();
    attempt = begin(over_tcp);
    faulted(attempt, "nca_s_one");
    SAYS(attempt, "nca_s_one in frame 101");
}

static void
check_ends(void)
{
    struct attempt *attempt = begin(over_smb);
    struct pending_call one;

    anew();
    attempt = begin(over_smb);
    attempts_reached(attempts, attempt, STAGE_PIPE, "Create", &pinfo);
    wait(10);
    SAYS(attempt, "no answer to Create of frame 100");
    lacks[CLIENT] = true;
    SAYS(attempt, "no answer to Create of frame 100, or none can be read: the client's segments are not all there");
    lacks[CLIENT] = false;
    attempts_ended(attempts, attempt, "the server closed the connection", &pinfo);
    SAYS(attempt, "the server closed the connection before an answer to Create in frame 101");
    CHECK(strcmp(attempt_stage(attempt), "pipe") == 0 && strcmp(attempt_over(attempt, pool), "SMB2 \\winreg") == 0,
        "%s, %s", attempt_stage(attempt), attempt_over(attempt, pool));

    anew();
    attempt = begin(over_smb);
    attempts_reached(attempts, attempt, STAGE_PIPE, "Create", &pinfo);
    attempts_reached(attempts, attempt, STAGE_TREE, NULL, &pinfo);
    CHECK(attempt->stage == STAGE_PIPE, "the furthest it reached");
    one = call(attempt);
    attempts_call(attempts, &one);
    wait(10);
    attempts_ended(attempts, attempt, "the client closed the pipe", &pinfo);
    SAYS(attempt, "no answer to PerflibV2Call of frame 100, then the client closed the pipe");
    attempts_answered(attempts, &one, &pinfo);
    SAYS(attempt, "works");

    anew();
    attempt = begin(over_smb);
    attempts_reached(attempts, attempt, STAGE_PIPE, "Create", &pinfo);
    attempts_stopped(attempts, attempt, STAGE_PIPE, "NO PIPE", &pinfo);
    attempts_stopped(attempts, attempt, STAGE_PIPE, "CLOSED", &pinfo);
    attempts_ended(attempts, attempt, "the client closed the connection", &pinfo);
    SAYS(attempt, "NO PIPE in frame 100");
    /* What was found stands for what was said. */
    attempt = begin(over_tcp);
    attempt->found = "found at TCP port 1";
    attempts_ended(attempts, attempt, "", &pinfo);
    SAYS(attempt, "found at TCP port 1");
}

static void
check_same(void)
{
    static const struct {
        const char *what;
        bool is_same;
        enum stage stage;
        const char *text, *authentication, *client, *class_name;
        unsigned wants;
    } second[] = {
        { "alike", true, STAGE_BIND, "NAK", "NTLM", "A", NULL, WANTS_WINREG },
        { "performance data come later", true, STAGE_BIND, "NAK", "NTLM", "A", NULL, WANTS_WINREG | WANTS_PERFDATA },
        { "another interface", false, STAGE_BIND, "NAK", "NTLM", "A", NULL, WANTS_PERFLIBV2 },
        { "another reason", false, STAGE_BIND, "REJECTED", "NTLM", "A", NULL, WANTS_WINREG },
        { "another stage", false, STAGE_TREE, "NAK", "NTLM", "A", NULL, WANTS_WINREG },
        { "another way to log on", false, STAGE_BIND, "NAK", "none", "A", NULL, WANTS_WINREG },
        { "another client", false, STAGE_BIND, "NAK", "NTLM", "B", NULL, WANTS_WINREG },
        { "another class", false, STAGE_BIND, "NAK", "NTLM", "A", "TraceSession", WANTS_WINREG },
    };

    for (size_t i = 0; i < array_length(second); i++) {
        struct attempt kind = over_tcp;
        struct attempt *one, *other;

        anew();
        kind.wants = WANTS_WINREG;
        kind.authentication = "NTLM";
        one = stopped(kind, STAGE_BIND, "NAK");
        kind.wants = second[i].wants;
        kind.authentication = second[i].authentication;
        kind.class_name = second[i].class_name;
        kind.client = second[i].client;
        other = stopped(kind, second[i].stage, second[i].text);
        CHECK(num_rows == (second[i].is_same ? 1 : 2) && one->times == (second[i].is_same ? 2 : 1),
            "%s: %u rows, %u times", second[i].what, num_rows, one->times);
        if (second[i].is_same) {
            SAYS(one, "NAK in frames 100 to 101");
            CHECK(other->shown_as == one && !other->has_row, "%s", second[i].what);
            stopped(kind, STAGE_BIND, "NAK");
            CHECK(num_rows == 1 && one->times == 3 && one->stopped.count == 3, "%u times", one->times);
            SAYS(one, "NAK in frames 100 to 102");
            CHECK(strcmp(attempt_wants(one, pool), second[i].wants == WANTS_WINREG ? "winreg" : "performance data") ==
                    0,
                "%s", attempt_wants(one, pool));
        } else {
            SAYS(one, "NAK in frame 100");
            CHECK(other->has_row, "%s", second[i].what);
        }
    }
}

/* What two attempts must have alike to count as one, whichever of them it is that differs. */
static void
check_alike(void)
{
    enum { NOTHING, FOUND, FAULT, REFUSED, GIVEN_UP, UNBOUND, LOGON, CLASS, WANTS, NUM_DIFFERENCES };

    for (unsigned difference = NOTHING; difference < NUM_DIFFERENCES; difference++) {
        for (unsigned which = 0; which < 2; which++) {
            anew();
            for (unsigned i = 0; i < 2; i++) {
                struct attempt *attempt = begin(over_tcp);
                struct pending_call one = call(attempt);

                attempts_call(attempts, &one);
                switch (i == which ? difference : NOTHING) {
                case FOUND: attempt->found = "found at TCP port 1"; break;
                case FAULT: attempts_fault(attempts, &one, "nca_s_one", &pinfo); break;
                case REFUSED: attempts_refused(attempts, attempt, "ACCESS", &pinfo); break;
                case GIVEN_UP: attempts_given_up(attempts, &one, "CANCELLED", &pinfo); break;
                case UNBOUND: attempt->unbound = 1; break;
                case LOGON: attempt->authentication = "NTLM"; break;
                case CLASS: attempt->class_name = "TraceSession"; break;
                case WANTS: attempt->wants = 0; break;
                default: break;
                }
                attempts_stopped(attempts, attempt, STAGE_CALL, "RESET", &pinfo);
                wait(100);
            }
            CHECK(num_rows == (difference == NOTHING ? 1 : 2), "%u of %u: %u rows", difference, which, num_rows);
        }
    }
}

/* One that works is another than one that does not, also where all that is said of them is the same. */
static void
check_alike_states(void)
{
    for (unsigned has_fault = 0; has_fault < 2; has_fault++) {
        for (unsigned which = 0; which < 4; which++) {
            anew();
            for (unsigned i = 0; i < 2; i++) {
                struct attempt *attempt = begin(over_tcp);
                struct pending_call one = call(attempt), other = one;

                attempt->unbound = 1;
                attempts_call(attempts, &one);
                attempts_call(attempts, &other);
                if (has_fault) {
                    attempts_fault(attempts, &one, "nca_s_one", &pinfo);
                }
                if (which & 1u << i) {
                    attempts_answered(attempts, &other, &pinfo);
                }
                attempts_ended(attempts, attempt, "", &pinfo);
                wait(100);
            }
            CHECK(num_rows == (which == 0 || which == 3 ? 1 : 2), "%u, %u: %u rows", has_fault, which, num_rows);
        }
    }
}

/* Of those that end before anything is said, each is told alone; calls that no bind explains say what is missing. */
static void
check_alike_undecided(void)
{
    for (unsigned unbound = 0; unbound < 2; unbound++) {
        anew();
        for (unsigned i = 0; i < 2; i++) {
            struct attempt *attempt = begin(over_tcp);

            attempt->unbound = unbound;
            attempts_ended(attempts, attempt, "", &pinfo);
            wait(100);
        }
        CHECK(num_rows == (unbound == 0 ? 2 : 1), "%u: %u rows", unbound, num_rows);
    }
}

/* An answer of the same time is one that took none. */
static void
check_no_time(void)
{
    struct attempt *attempt;

    anew();
    attempt = begin(over_tcp);
    answered(attempt, 0);
    CHECK(attempt->responses == 1 && attempt->response_sum == 0, "%u: %f", attempt->responses, attempt->response_sum);
}

/* What is counted of one that counts with an earlier one. */
static void
check_sums(void)
{
    static const bool none[NUM_ENDS], other[NUM_ENDS] = { false, true };

    for (unsigned which = 0; which < 4; which++) {
        struct attempt *first = NULL;

        anew();
        for (unsigned i = 0; i < 2; i++) {
            struct attempt kind = over_tcp, *attempt;
            struct pending_call one;

            kind.lacks = which & 1u << i ? other : none;
            attempt = begin(kind);
            first = i == 0 ? attempt : first;
            attempt->unbound = 2 + i;
            attempt->locked = 1 + i;
            attempt->bytes = UINT64_C(1) << 32;
            if (which & 1u << i) {
                attempts_sealed(attempts, attempt, i == 0 ? &a_key : &another_key);
            }
            one = call(attempt);
            attempts_call(attempts, &one);
            attempts_fault(attempts, &one, "nca_s_one", &pinfo);
            attempts_refused_aside(attempts, attempt, "SYNTAX", &pinfo);
            attempts_ended(attempts, attempt, i == 0 ? "once" : "again", &pinfo);
            wait(10);
        }
        CHECK(num_rows == 1 && first->times == 2 && first->unbound == 5 && first->locked == 3 &&
                first->bytes == UINT64_C(1) << 33 && first->calls == 2 && first->answers == 0 &&
                first->faults.count == 2 && first->refusals.count == 2 && first->refused_aside == 2 && first->is_over &&
                strcmp(first->how_over, "again") == 0,
            "%u rows, %u times, %u unbound, %u faults", num_rows, first->times, first->unbound, first->faults.count);
        CHECK(which == 0 ? first->needed == NULL : first->needed == (which & 1 ? &a_key : &another_key), "%s",
            first->needed == NULL ? "nothing" : first->needed->text);
        CHECK(first->lacks[SERVER] == (which != 0) && !first->lacks[CLIENT], "what the capture lacks");
        CHECK(first->faults.first_frame == 100 && first->faults.last_frame == 101, "in frames %u to %u",
            first->faults.first_frame, first->faults.last_frame);
    }
}

static void
fault_with(struct attempt *attempt, uint32_t status)
{
    struct pending_call one = call(attempt);

    attempts_call(attempts, &one);
    one.status = status;
    attempts_fault(attempts, &one, wmem_strdup_printf(pool, "status %u", status), &pinfo);
    wait(10);
}

/* Each further status is named, once, and a few of them: of one attempt, and of two that count as one. */
static void
check_statuses(void)
{
    struct attempt *attempt;

    anew();
    attempt = begin(over_tcp);
    for (unsigned i = 1; i <= 12; i++) {
        fault_with(attempt, i);
        fault_with(attempt, i % 2 == 0 ? i : 1);
    }
    SAYS(attempt,
        "24 faults, the first: status 1 in frame 100, also status 2 in frame 102, also status 3 in frame 104, also "
        "status 4 in frame 106, also status 5 in frame 108, also status 6 in frame 110, also status 7 in frame 112, "
        "also "
        "status 8 in frame 114, also status 9 in frame 116");

    anew();
    for (unsigned i = 0; i < 2; i++) {
        struct attempt *other = begin(over_tcp);

        attempt = i == 0 ? other : attempt;
        for (unsigned j = 0; j < 3; j++) {
            struct pending_call one = call(other);

            attempts_call(attempts, &one);
            one.status = 1 + 2 * j * (i + 1);
            /* They are alike by the text of the first. */
            attempts_fault(attempts, &one, j == 0 ? "the first" : j == 1 ? "the second" : "the third", &pinfo);
            wait(10);
        }
        attempts_ended(attempts, other, "", &pinfo);
        wait(10);
    }
    CHECK(num_rows == 1 && attempt->times == 2, "%u rows", num_rows);
    SAYS(attempt,
        "6 faults, the first: the first in frame 100, also the second in frame 101, also the third in frame 102, also "
        "the third in frame 106");
}

/* Whatever is said of an attempt is shown at the end of the frame, once. */
static void
check_shown(void)
{
    struct attempt *attempt, *first;
    struct pending_call calls[3];

    anew();
    attempt = begin(over_tcp);
    for (unsigned i = 0; i < 3; i++) {
        calls[i] = call(attempt);
    }
    wait(10);
    for (unsigned step = 0; step < 12; step++) {
        num_shown = 0;
        switch (step) {
        case 0: attempts_reached(attempts, attempt, STAGE_BIND, NULL, &pinfo); break;
        case 1:
        case 2:
        case 3: attempts_call(attempts, &calls[step - 1]); break;
        case 4: attempts_answered(attempts, &calls[0], &pinfo); break;
        case 5: attempts_fault(attempts, &calls[1], "nca_s_one", &pinfo); break;
        case 6: attempts_given_up(attempts, &calls[2], "CANCELLED", &pinfo); break;
        case 7: attempts_refused(attempts, attempt, "ACCESS", &pinfo); break;
        case 8: attempts_refused_aside(attempts, attempt, "SYNTAX", &pinfo); break;
        case 9: attempts_sealed(attempts, attempt, &a_key); break;
        case 10: attempts_stopped(attempts, attempt, STAGE_CALL, "RESET", &pinfo); break;
        default: attempts_ended(attempts, attempt, "", &pinfo); break;
        }
        wait(10);
        CHECK(num_shown == 1, "step %u: shown %u times", step, num_shown);
    }
    /* What ends one that an earlier one counts is shown with that. */
    anew();
    first = stopped(over_tcp, STAGE_BIND, "RESET");
    attempt = stopped(over_tcp, STAGE_BIND, "RESET");
    attempts_frame(attempts, &pinfo);
    num_shown = 0;
    attempts_ended(attempts, attempt, "", &pinfo);
    wait(10);
    CHECK(attempt->shown_as == first && first->is_over && num_shown == 1, "shown %u times", num_shown);
}

/* One that has not come to say what it wants may be a further try of any; one that wants something else is none. */
static void
check_undecided(void)
{
    static const struct {
        unsigned before, wants;
        bool may_be_same;
    } cases[] = {
        { WANTS_WINREG, WANTS_WINREG, true },
        { WANTS_WINREG, 0, true },
        { 0, WANTS_WINREG, true },
        { WANTS_WINREG, WANTS_WINREG | WANTS_PERFDATA, true },
        { WANTS_WINREG, WANTS_PERFLIBV2, false },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct attempt kind = over_tcp, *first, *attempt;

        anew();
        kind.wants = cases[i].before;
        first = stopped(kind, STAGE_BIND, "NAK");
        kind.wants = cases[i].wants;
        attempt = begin(kind);
        wait(10);
        CHECK(attempt->has_row == !cases[i].may_be_same && (first->again == attempt) == cases[i].may_be_same,
            "case %zu", i);
    }
}

static void
check_unbound(void)
{
    struct attempt *attempt;

    anew();
    attempt = begin(over_tcp);
    attempt->unbound = 1;
    attempts_changed(attempts, attempt);
    SAYS(attempt, "1 call without a bind: the capture begins later");
    attempt->unbound = 2;
    attempt->locked = 1;
    SAYS(attempt,
        "2 calls without a bind: the capture begins later; sealed, and no key can help, as the logon is not in the "
        "capture");
    attempt->is_bound = true;
    SAYS(attempt,
        "2 calls without a bind: the capture lacks it; sealed, and no key can help, as the alter_context is not in the "
        "capture");
    attempt->locked = 0;
    SAYS(attempt, "2 calls without a bind: the capture lacks it");
}

/* Only attempts of one client at one port and pipe of a server, carried by the same, may count as one. */
static void
check_servers(void)
{
    for (unsigned i = 0; i < 6; i++) {
        struct attempt kind = over_smb, *one;

        anew();
        one = stopped(kind, STAGE_TCP, "no answer to SYN");
        switch (i) {
        case 1: kind.client = "B"; break;
        case 2: kind.server = "T"; break;
        case 3: kind.carrier = CARRIED_BY_SMB; break;
        case 4: kind.port++; break;
        case 5: kind.pipe = "srvsvc"; break;
        default: break;
        }
        stopped(kind, STAGE_TCP, "no answer to SYN");
        CHECK(num_rows == (i == 0 ? 1 : 2) && one->times == (i == 0 ? 2 : 1), "%u: %u rows", i, num_rows);
    }
}

/* One call a connection, again and again. */
static void
check_one_call_each(void)
{
    struct attempt *first = NULL, *attempt;
    struct pending_call one;

    anew();
    for (unsigned i = 0; i < 3; i++) {
        attempt = begin(over_tcp);
        first = i == 0 ? attempt : first;
        attempt->bytes = 100;
        answered(attempt, 10 * (3 - i));
        attempts_ended(attempts, attempt, "the client closed the connection", &pinfo);
        wait(10);
    }
    SAYS(first, "works");
    CHECK(num_rows == 1 && first->times == 3 && first->calls == 3 && first->answers == 3 && first->bytes == 300 &&
            first->responses == 3,
        "%u rows, %u times, %u calls, %u answers", num_rows, first->times, first->calls, first->answers);
    CHECK(fabs(first->response_sum - 60) < 0.1 && fabs(first->response_max - 30) < 0.1, "%f, %f", first->response_sum,
        first->response_max);
    /* One that does not is another, and so is what comes after it. */
    attempt = begin(over_tcp);
    faulted(attempt, "nca_s_one");
    attempts_ended(attempts, attempt, "", &pinfo);
    SAYS(attempt, "nca_s_one in frame 107");
    attempt = works(over_tcp);
    CHECK(num_rows == 3 && attempt->has_row && first->times == 3, "%u rows", num_rows);

    /* While one is open the next is none of its kind. */
    anew();
    first = works(over_tcp);
    attempt = works(over_tcp);
    CHECK(num_rows == 2 && attempt->has_row, "%u rows", num_rows);

    /* Calls that wait wait on where the attempt is counted. */
    anew();
    first = works(over_tcp);
    attempts_ended(attempts, first, "the client closed the connection", &pinfo);
    wait(10);
    attempt = begin(over_tcp);
    one = call(attempt);
    attempts_call(attempts, &one);
    answered(attempt, 10);
    wait(10);
    CHECK(num_rows == 1 && first->times == 2 && !first->is_over, "%u rows", num_rows);
    SAYS(first, "works; no answer to PerflibV2Call of frame 103");
    attempts_answered(attempts, &one, &pinfo);
    answered(attempt, 10);
    SAYS(first, "works");
    CHECK(first->calls == 4 && first->answers == 4, "%u calls, %u answers", first->calls, first->answers);
    attempts_refused(attempts, attempt, "ACCESS", &pinfo);
    SAYS(first, "works; ACCESS in frame 106");
}

static void
check_again(void)
{
    struct attempt *first, *attempt;

    anew();
    first = stopped(over_tcp, STAGE_TCP, "no answer to SYN");
    attempt = begin(over_tcp);
    wait(10);
    SAYS(first, "no answer to SYN in frame 100; tried again in frame 101");
    CHECK(num_rows == 1 && attempt->shown_as == NULL, "%u rows", num_rows);
    attempts_stopped(attempts, attempt, STAGE_TCP, "no answer to SYN", &pinfo);
    wait(10);
    SAYS(first, "no answer to SYN in frames 100 to 102");
    attempt = begin(over_tcp);
    wait(10);
    SAYS(first, "no answer to SYN in frames 100 to 102; tried again in frame 103");
    attempts_ended(attempts, attempt, "the client closed the connection", &pinfo);
    wait(10);
    SAYS(first, "no answer to SYN in frames 100 to 102");
    SAYS(attempt, "opened, but nothing followed");
    CHECK(num_rows == 2, "%u rows", num_rows);
}

static void
check_worked_later(void)
{
    static const struct {
        const char *what;
        bool is_told;
        struct attempt stopped, works;
    } pairs[] = {
        { "the same", true, { .wants = WANTS_PLA, .port = 5000 }, { .wants = WANTS_PLA, .port = 5000 } },
        { "an interface elsewhere", true, { .wants = WANTS_PLA, .port = 5000 }, { .wants = WANTS_PLA, .port = 5001 } },
        { "another interface", false, { .wants = WANTS_PLA, .port = 5000 },
            { .wants = WANTS_PERFLIBV2, .port = 5000 } },
        { "nobody listened there", true, { .port = 5000 }, { .wants = WANTS_PLA, .port = 5000 } },
        { "nobody listened elsewhere", false, { .port = 5000 }, { .wants = WANTS_PLA, .port = 5001 } },
        { "no logon", true, { .carrier = CARRIED_BY_SMB2, .port = 445 },
            { .carrier = CARRIED_BY_SMB2, .port = 445, .pipe = "winreg", .wants = WANTS_WINREG } },
        { "another version of SMB", true, { .carrier = CARRIED_BY_SMB, .port = 139 },
            { .carrier = CARRIED_BY_SMB2, .port = 445, .pipe = "winreg", .wants = WANTS_WINREG } },
        { "TCP is not SMB", false, { .carrier = CARRIED_BY_SMB2, .port = 445, .wants = WANTS_WINREG },
            { .wants = WANTS_WINREG, .port = 5000 } },
        { "a pipe that was not there", true, { .carrier = CARRIED_BY_SMB2, .port = 445, .pipe = "winreg" },
            { .carrier = CARRIED_BY_SMB2, .port = 445, .pipe = "winreg", .wants = WANTS_PERFLIBV2 } },
        { "another pipe", false, { .carrier = CARRIED_BY_SMB2, .port = 445, .pipe = "winreg" },
            { .carrier = CARRIED_BY_SMB2, .port = 445, .pipe = "epmapper", .wants = WANTS_PERFLIBV2 } },
        { "that the mapper answers says nothing of the interface", false, { .wants = WANTS_PLA, .port = 5000 },
            { .wants = WANTS_PLA | WANTS_ENDPOINT, .port = 135, .found = "found" } },
        { "an endpoint that was not there", true, { .wants = WANTS_PLA | WANTS_ENDPOINT, .port = 135 },
            { .wants = WANTS_PLA, .port = 5000 } },
        { "the mapper itself", true, { .port = 135 },
            { .wants = WANTS_PLA | WANTS_ENDPOINT, .port = 135, .found = "found" } },
    };

    for (size_t i = 0; i < array_length(pairs); i++) {
        struct attempt kind = pairs[i].stopped, *attempt, *others;

        anew();
        kind.client = "A";
        kind.server = "S";
        kind.lacks = lacks;
        kind.may_start = true;
        attempt = stopped(kind, STAGE_TCP, "STOPPED");
        kind.may_start = false;
        kind.server = "T";
        others = stopped(kind, STAGE_TCP, "STOPPED");
        kind = pairs[i].works;
        kind.client = "A";
        kind.server = "S";
        kind.lacks = lacks;
        wait(1000);
        works(kind);
        attempts_frame(attempts, &pinfo);
        CHECK((attempt->worked_in != 0) == pairs[i].is_told, "%s: %s", pairs[i].what, attempt_outcome(attempt, pool));
        CHECK(others->worked_in == 0, "%s, at another server", pairs[i].what);
    }

    anew();
    {
        struct attempt kind = over_tcp, *first, *second;

        kind.may_start = true;
        first = stopped(kind, STAGE_TCP, "refused");
        kind.port = 49153;
        kind.may_start = false;
        second = begin(kind);
        faulted(second, "nca_s_one");
        kind.port = 49154;
        wait(1034);
        works(kind);
        SAYS(first, "refused in frame 100; service started: worked 1.254 s later in frame 105");
        SAYS(second, "nca_s_one in frame 102; worked 1.144 s later in frame 105");
        /* Told once; what is stopped then is another matter. */
        wait(1000);
        works(kind);
        SAYS(first, "refused in frame 100; service started: worked 1.254 s later in frame 105");
        kind.port = 49152;
        stopped(kind, STAGE_TCP, "refused");
        SAYS(first, "refused in frame 100; service started: worked 1.254 s later in frame 105");
        CHECK(first->times == 1, "%u", first->times);
        /* One that failed at first and works in the end is not told of itself. */
        answered(second, 10);
        SAYS(second, "works; nca_s_one in frame 102; worked 1.144 s later in frame 105");
    }
    anew();
    {
        struct attempt *one = begin(over_tcp);

        faulted(one, "nca_s_one");
        answered(one, 10);
        SAYS(one, "works; nca_s_one in frame 101");
        /* Nor of others that work later. */
        works(over_tcp);
        SAYS(one, "works; nca_s_one in frame 101");
    }
}

static void
check_texts(void)
{
    static const struct {
        struct attempt attempt;
        const char *over, *wants;
    } shown[] = {
        { { .carrier = CARRIED_BY_TCP, .port = 135, .wants = WANTS_ENDPOINT | WANTS_PLA }, "TCP 135",
            "endpoint of PLA" },
        { { .carrier = CARRIED_BY_TCP, .port = 1, .wants = WANTS_ENDPOINT }, "TCP 1", "endpoint" },
        { { .carrier = CARRIED_BY_TCP, .port = 1, .wants = WANTS_OBJECT }, "TCP 1", "object of some class" },
        { { .carrier = CARRIED_BY_TCP, .port = 1, .wants = WANTS_OBJECT | WANTS_PLA, .class_name = "TraceSession" },
            "TCP 1", "object of PLA (TraceSession)" },
        { { .carrier = CARRIED_BY_SMB, .pipe = "x", .wants = WANTS_WINREG | WANTS_PERFLIBV2 }, "SMB1 \\x",
            "PerflibV2, winreg" },
        { { .carrier = CARRIED_BY_SMB2, .wants = WANTS_WINREG | WANTS_PERFDATA }, "SMB2", "performance data" },
        { { .carrier = CARRIED_BY_SMB2, .pipe = "winreg" }, "SMB2 \\winreg", "(nothing bound)" },
        { { .carrier = CARRIED_BY_SMB }, "SMB1", "(not said)" },
    };

    for (size_t i = 0; i < array_length(shown); i++) {
        const struct attempt *attempt = &shown[i].attempt;

        CHECK(strcmp(attempt_over(attempt, pool), shown[i].over) == 0, "%s", attempt_over(attempt, pool));
        CHECK(strcmp(attempt_wants(attempt, pool), shown[i].wants) == 0, "%s", attempt_wants(attempt, pool));
    }
    CHECK(attempt_is_smb(&over_smb) && !attempt_is_smb(&over_tcp) && attempt_is_smb(&(struct attempt){ .port = 445 }) &&
            attempt_is_smb(&(struct attempt){ .port = 139 }) && !attempt_is_smb(&(struct attempt){ .port = 135 }),
        "ports of SMB");
}

int
main(void)
{
    wmem_init_scopes();
    pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    attempts = attempts_new(show, &num_rows);
    anew();
    check_calls();
    check_refusals();
    check_ends();
    check_same();
    check_alike();
    check_alike_states();
    check_alike_undecided();
    check_no_time();
    check_sums();
    check_statuses();
    check_unbound();
    check_shown();
    check_undecided();
    check_servers();
    check_one_call_each();
    check_again();
    check_worked_later();
    check_texts();
    wmem_destroy_allocator(pool);
    return check_result();
}
