// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "format/print.h"
#include "lib/number.h"

enum kind { ADDRESS_WRONG, ADDRESS_MAC, ADDRESS_IP4, ADDRESS_IP6, ADDRESS_SOCKET, ADDRESS_UUID };

struct print_address {
	enum kind kind;
	uint32_t offset, size;
	bool padded;		/* i, not I: leading zeros, no colons */
	bool compressed, port;
	bool plain, reversed;	/* MAC: without colons; from its last byte on */
	char separator;		/* of a MAC */
	bool upper, little;	/* UUID */
};

/* Returns the number of supported letters behind %p; 0: none are supported. */
static size_t take_letters(struct print_address *a, const char *letters)
{
	const char *p = letters;

	switch (*p++) {
	case 'M':
		a->kind = ADDRESS_MAC;
		a->separator = ':';
		if (*p == 'F') {
			a->separator = '-';
			p++;
		}
		if (*p == 'R') {
			a->reversed = true;
			p++;
		}
		return p - letters;
	case 'm':
		a->kind = ADDRESS_MAC;
		a->plain = true;
		if (*p == 'R') {
			a->reversed = true;
			p++;
		}
		return p - letters;
	case 'U':
		a->kind = ADDRESS_UUID;
		a->upper = *p == 'L' || *p == 'B';
		a->little = *p == 'L' || *p == 'l';
		if (a->upper || a->little || *p == 'b')
			p++;
		return p - letters;
	case 'i':
		a->padded = true;
		break;
	case 'I':
		break;
	default:
		return 0;
	}
	switch (*p++) {
	case '4':
		a->kind = ADDRESS_IP4;
		return p - letters;
	case '6':
		a->kind = ADDRESS_IP6;
		if (!a->padded && *p == 'c') {
			a->compressed = true;
			p++;
		}
		return p - letters;
	case 'S':
		a->kind = ADDRESS_SOCKET;
		if (!a->padded && *p == 'p') {
			a->port = true;
			p++;
		}
		if (!a->padded && *p == 'c') {
			a->compressed = true;
			p++;
		}
		/*
		 * Flow information and scope: perf shows neither these nor the letters behind them.
		 */
		if (*p == 's' || *p == 'f')
			p += strspn(p, "psfc");
		return p - letters;
	default:
		return 0;
	}
}

struct print_address *print_address_create(const struct print_target *target,
					   const struct print_node *node,
					   const char *letters, size_t *ret_used)
{
	struct print_address *a = calloc(1, sizeof(*a));
	const struct field *field;

	*ret_used = 0;
	if (!a)
		return NULL;
	*ret_used = take_letters(a, letters);
	if (!*ret_used) {
		free(a);
		return NULL;
	}
	if (node->kind != PRINT_FIELD) {
		a->kind = ADDRESS_WRONG;
		return a;
	}
	field = event_format_field(target->format, node->text);
	if (!field) {
		free(a);
		return NULL;
	}
	a->offset = field->offset;
	a->size = field->size;
	return a;
}

void print_address_destroy(struct print_address *address)
{
	free(address);
}

static void add_mac(const struct print_address *a, const unsigned char *p, struct strbuf *out)
{
	for (int i = 0; i < 6; i++) {
		if (i && !a->plain)
			strbuf_addch(out, a->separator);
		number_add_hex(out, p[a->reversed ? 5 - i : i], 2, '0');
	}
}

static void add_ip4(const unsigned char *p, bool padded, struct strbuf *out)
{
	for (int i = 0; i < 4; i++) {
		if (i)
			strbuf_addch(out, '.');
		number_add_unsigned(out, p[i], padded ? 3 : 0, '0');
	}
}

static void add_ip6(const unsigned char *p, bool padded, struct strbuf *out)
{
	for (int i = 0; i < 16; i += 2) {
		if (i && !padded)
			strbuf_addch(out, ':');
		number_add_hex(out, p[i] << 8 | p[i + 1], 4, '0');
	}
}

/* Whether this is a mapped IPv4 or ISATAP address, which ends in dotted form. */
static bool ends_in_ip4(const unsigned char *p)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(p, mapped, 12) ||
		((p[8] | 2) == 2 && p[9] == 0 && p[10] == 0x5e && p[11] == 0xfe);
}

/* Groups are printed without leading zeros, and the longest run of zero groups as "::". */
static void add_ip6_compressed(const unsigned char *p, struct strbuf *out)
{
	bool tail = ends_in_ip4(p), colon = false;
	int groups = tail ? 6 : 8, longest = 1, at = -1;

	for (int i = 0; i < groups; i++) {
		int run = 0;

		while (i + run < groups && !p[2 * (i + run)] && !p[2 * (i + run) + 1])
			run++;
		if (run > longest) {
			longest = run;
			at = i;
		}
	}
	for (int i = 0; i < groups; i++) {
		if (i == at) {
			strbuf_addstr(out, colon || !i ? "::" : ":");
			colon = false;
			i += longest - 1;
			continue;
		}
		if (colon)
			strbuf_addch(out, ':');
		number_add_hex(out, p[2 * i] << 8 | p[2 * i + 1], 0, ' ');
		colon = true;
	}
	if (tail) {
		if (colon)
			strbuf_addch(out, ':');
		add_ip4(p + 12, false, out);
	}
}

static void add_socket(const struct print_address *a, const unsigned char *p,
		       struct strbuf *out)
{
	sa_family_t family;
	in_port_t port;

	memcpy(&family, p, sizeof(family));
	if (family == AF_INET) {
		const unsigned char *ip = p + offsetof(struct sockaddr_in, sin_addr);

		if (a->size < sizeof(struct sockaddr_in)) {
			strbuf_addstr(out, "INVALIDIPv4");
			return;
		}
		add_ip4(ip, a->padded, out);
		if (a->port) {
			memcpy(&port, p + offsetof(struct sockaddr_in, sin_port), sizeof(port));
			strbuf_addch(out, ':');
			number_add_unsigned(out, ntohs(port), 0, ' ');
		}
	} else if (family == AF_INET6) {
		const unsigned char *ip = p + offsetof(struct sockaddr_in6, sin6_addr);

		if (a->size < sizeof(struct sockaddr_in6)) {
			strbuf_addstr(out, "INVALIDIPv6");
			return;
		}
		if (a->port)
			strbuf_addch(out, '[');
		if (a->compressed)
			add_ip6_compressed(ip, out);
		else
			add_ip6(ip, a->padded, out);
		if (a->port) {
			memcpy(&port, p + offsetof(struct sockaddr_in6, sin6_port), sizeof(port));
			strbuf_addstr(out, "]:");
			number_add_unsigned(out, ntohs(port), 0, ' ');
		}
	}
}

static void add_uuid(const struct print_address *a, const unsigned char *p, struct strbuf *out)
{
	static const unsigned char orders[2][16] = {
		{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
		{ 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 },
	};
	const char *digits = a->upper ? "0123456789ABCDEF" : "0123456789abcdef";

	for (int i = 0; i < 16; i++) {
		unsigned char c = p[orders[a->little][i]];

		strbuf_addch(out, digits[c >> 4]);
		strbuf_addch(out, digits[c & 15]);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			strbuf_addch(out, '-');
	}
}

void print_address_add(const struct print_address *a, const struct print_record *record,
		       struct strbuf *out)
{
	static const struct {
		uint32_t size;
		const char *wrong;
	} expected[] = {
		[ADDRESS_MAC] = { 6, "INVALIDMAC" },
		[ADDRESS_IP4] = { 4, "INVALIDIPv4" },
		[ADDRESS_IP6] = { 16, "INVALIDIPv6" },
		[ADDRESS_SOCKET] = { 0, "" },
		[ADDRESS_UUID] = { 16, "INVALIDUUID" },
	};
	const unsigned char *p = (const unsigned char *)record->data + a->offset;

	if (a->kind == ADDRESS_WRONG) {
		strbuf_addstr(out, "ARG TYPE NOT FIELD");
		return;
	}
	if (expected[a->kind].size && expected[a->kind].size != a->size) {
		strbuf_addstr(out, expected[a->kind].wrong);
		return;
	}
	if (a->offset > record->size || a->size > record->size - a->offset || a->size < 4)
		return;
	switch (a->kind) {
	case ADDRESS_MAC:
		add_mac(a, p, out);
		break;
	case ADDRESS_IP4:
		add_ip4(p, a->padded, out);
		break;
	case ADDRESS_IP6:
		if (a->compressed)
			add_ip6_compressed(p, out);
		else
			add_ip6(p, a->padded, out);
		break;
	case ADDRESS_SOCKET:
		add_socket(a, p, out);
		break;
	case ADDRESS_UUID:
		add_uuid(a, p, out);
		break;
	default:
		break;
	}
}
