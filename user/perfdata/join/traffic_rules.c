// SPDX-License-Identifier: GPL-2.0
#include "perfdata/join/traffic_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/number.h"
#include "terminal/options.h"

/*
 * States of TCP: 1 ESTABLISHED, 2 SYN_SENT, 3 SYN_RECV, 4 FIN_WAIT1, 5 FIN_WAIT2, 8 CLOSE_WAIT.
 * The step from FIN_WAIT2 to CLOSE does not prove a message: an orphaned socket goes there before
 * the other end has sent anything.
 */
#define TCP_SENT(from, to) \
	"sock:inet_sock_set_state(protocol==6,oldstate==" #from ",newstate==" #to \
	",saddr_v6!=daddr_v6,saddr_v6,sport,daddr_v6,dport)"
#define TCP_RECEIVED(from, to) \
	"sock:inet_sock_set_state(protocol==6,oldstate==" #from ",newstate==" #to \
	",saddr_v6!=daddr_v6,daddr_v6,dport,saddr_v6,sport)"
#define VSOCK(event) "vsock:virtio_transport_" event "(src_cid,src_port,dst_cid,dst_port,len,type,op,flags)"

/* Each state is entered before the packet is sent that moves the other end into its own state. */
static const char *const known_rules[] = {
	/* The last packet of the handshake. */
	TCP_SENT(2, 1) "=" TCP_RECEIVED(3, 1),
	/* The end of a connection, and its acknowledgement. */
	TCP_SENT(1, 4) "=" TCP_RECEIVED(1, 8),
	TCP_SENT(1, 8) "=" TCP_RECEIVED(4, 5),
	/* A guest and its host. */
	VSOCK("alloc_pkt") "=" VSOCK("recv_pkt"),
};

static struct error *bad_rule(const char *given, const char *what)
{
	return error_hint(error_new(EINVAL, "'%s' does not say which events are the two ends of a "
				    "message: %s", given, what),
			  "--match 'SYSTEM:SENT(FIELD,...)=SYSTEM:RECEIVED(FIELD,...)', with the "
			  "fields that are the same at both ends, and conditions such as len==20; "
			  "--match none looks for no messages");
}

static struct error *parse_item(struct traffic_side *side, const char *given, char *text)
{
	struct traffic_item item = { .field = text };
	char *equal = strstr(text, "=="), *differ = strstr(text, "!=");
	unsigned long long number;

	if (equal) {
		*equal = '\0';
		item.kind = TRAFFIC_EQUAL;
		if (!parse_u64(equal + 2, &number))
			return bad_rule(given, "the value behind == is not a number");
		item.number = number;
	} else if (differ) {
		*differ = '\0';
		item.kind = TRAFFIC_DIFFER;
		item.other = differ + 2;
	}
	if (!*item.field || (item.other && !*item.other))
		return bad_rule(given, "a name of a field is missing");
	return array_push(side, item) ? NULL : &error_no_memory;
}

static struct error *parse_side(struct traffic_side *side, const char *given, char *text)
{
	char *colon = strchr(text, ':'), *open = strchr(text, '('), *rest = NULL;
	size_t length = strlen(text);

	if (!colon || !open || open < colon || colon == text || colon + 1 == open)
		return bad_rule(given, "an event is SYSTEM:NAME, with its fields in parentheses");
	if (text[length - 1] != ')')
		return bad_rule(given, "a closing parenthesis is missing");
	text[length - 1] = '\0';
	*colon = *open = '\0';
	side->system = text;
	side->event = colon + 1;
	for (char *item = strtok_r(open + 1, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
		struct error *err = parse_item(side, given, item);

		if (err)
			return err;
	}
	return NULL;
}

static size_t count_keys_of(const struct traffic_side *side)
{
	size_t nr = 0;

	for (size_t i = 0; i < side->nr; i++)
		nr += side->items[i].kind == TRAFFIC_KEY;
	return nr;
}

static void forget_rule(struct traffic_rule *rule)
{
	free(rule->send.items);
	free(rule->receive.items);
	free(rule->text);
}

static struct error *parse_traffic_rule(struct traffic_rule *rule)
{
	char *between = strstr(rule->text, ")=");
	struct error *err;

	if (!between)
		return bad_rule(rule->given, "there is no '=' behind a closing parenthesis");
	between[1] = '\0';
	err = parse_side(&rule->send, rule->given, rule->text);
	if (!err)
		err = parse_side(&rule->receive, rule->given, between + 2);
	if (!err && !count_keys_of(&rule->send))
		err = bad_rule(rule->given, "no field identifies a message");
	if (!err && count_keys_of(&rule->send) != count_keys_of(&rule->receive))
		err = bad_rule(rule->given, "the two ends have different numbers of fields");
	return err;
}

struct error *traffic_rules_add(struct traffic_rules *rules, const char *text)
{
	struct traffic_rule rule = { .given = text };
	struct error *err;

	rules->own = true;
	if (!strcmp(text, "none")) {
		rules->none = true;
		return NULL;
	}
	rule.text = strdup(text);
	err = rule.text ? parse_traffic_rule(&rule) : &error_no_memory;
	if (!err && !array_push(rules, rule))
		err = &error_no_memory;
	if (err)
		forget_rule(&rule);
	return err;
}

struct error *traffic_rules_add_known(struct traffic_rules *rules)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < ARRAY_SIZE(known_rules); i++)
		err = traffic_rules_add(rules, known_rules[i]);
	rules->own = false;
	return err;
}

void traffic_rules_deinit(struct traffic_rules *rules)
{
	for (size_t i = 0; i < rules->nr; i++)
		forget_rule(&rules->items[i]);
	free(rules->items);
	*rules = (struct traffic_rules){ 0 };
}
