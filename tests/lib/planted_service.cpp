// SPDX-License-Identifier: GPL-2.0
/*
 * A service whose time goes into three planted causes: a linear search, which spends it in libc, a
 * lock, and fsync(), during which a thread holds the lock.  Prints as JSON how many ns each took, by
 * the clocks: for the search CPU time, which lacks what a hypervisor stole, and all that passed; all
 * else by the monotonic clock without CPU time.
 *
 *	planted_service FILE ROUNDS
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#define THREADS	3

static long long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Adds what passes during its life. */
struct Cpu {
	std::atomic<long long> &sum;
	long long cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	explicit Cpu(std::atomic<long long> &sum) : sum(sum) {}
	~Cpu() { sum += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu; }
};

struct Off_Cpu {
	std::atomic<long long> &sum;
	long long cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID), time = clock_ns(CLOCK_MONOTONIC);
	explicit Off_Cpu(std::atomic<long long> &sum) : sum(sum) {}
	~Off_Cpu()
	{
		sum += clock_ns(CLOCK_MONOTONIC) - time -
		       (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
	}
};

static std::atomic<long long> searched, searched_off, locked, synced, ran;
static volatile long prices;

struct Catalog {
	std::vector<std::string> names;
	Catalog()
	{
		for (int i = 0; i < 4000; i++)
			names.push_back(std::string(400, 'a') + std::to_string(10000 + i));
	}
	__attribute__((noinline)) int find_price(const std::string &name)
	{
		for (size_t i = 0; i < names.size(); i++)
			if (!memcmp(names[i].data(), name.data(), name.size()))
				return i;
		return -1;
	}
};

struct Session_Table {
	int fd;
	explicit Session_Table(const char *path) : fd(open(path, O_CREAT | O_WRONLY, 0600)) {}
	__attribute__((noinline)) void touch(int round)
	{
		char block[4096] = { static_cast<char>(round) };
		Off_Cpu counted(synced);

		if (pwrite(fd, block, sizeof(block), 0) != sizeof(block) || fsync(fd))
			exit(1);
	}
};

struct Audit_Log {
	std::mutex lock;
	__attribute__((noinline)) void append(Session_Table &sessions, int round)
	{
		long long cpu, time;

		cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		time = clock_ns(CLOCK_MONOTONIC);
		lock.lock();
		locked += clock_ns(CLOCK_MONOTONIC) - time -
			  (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
		sessions.touch(round);
		lock.unlock();
	}
};

static Catalog catalog;
static Audit_Log audit_log;

__attribute__((noinline)) static void parse_request(int round)
{
	long sum = 0;

	for (int i = 0; i < 600000; i++) {
		sum += i ^ round;
		asm volatile("" : "+r"(sum));
	}
	prices = prices + sum;
}

__attribute__((noinline)) static void handle_request(Session_Table &sessions, int round)
{
	Cpu all(ran);

	{
		Cpu counted(searched);
		Off_Cpu others(searched_off);

		for (int i = 0; i < 20; i++)
			prices = prices + catalog.find_price(std::string(400, 'a') +
							     std::to_string(13900 + i));
	}
	parse_request(round);
	audit_log.append(sessions, round);
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 ? atoi(argv[2]) : 0;
	Session_Table sessions(argc == 3 ? argv[1] : "");
	std::vector<std::thread> threads;

	if (!rounds || sessions.fd < 0)
		return 1;
	for (int t = 0; t < THREADS; t++)
		threads.emplace_back([&] {
			for (int i = 0; i < rounds; i++)
				handle_request(sessions, i);
		});
	for (auto &thread : threads)
		thread.join();
	printf("{\"running\": %lld, \"find_price\": %lld, "
	       "\"find_price_off\": %lld, \"lock\": %lld, "
	       "\"fsync\": %lld}\n", ran.load(), searched.load(),
	       searched_off.load(), locked.load(), synced.load());
	return 0;
}
