// SPDX-License-Identifier: Apache-2.0

// The event streams and the constant-rate requests of the benchmarks. The program has six jobs, each with one epoll loop.
//
//   streams upstream                                                       prints "listening PORT", and serves until killed
//   streams hold --port P --target T --streams N                           keeps N streams open until standard input ends
//   streams read --port P --target T --streams N --events E --seconds S    reads E events from each stream within about S s
//   streams follow … --directory D [--ids] [--size B]                      reads E shared events from each stream
//   streams replay … --directory D --ids --first F                         repeatedly reads the shared events from F to E - 1
//   streams rate --port P --target T --rate R --seconds S                  sends R requests a second for S seconds
//
// Each client job prints its results as JSON objects, one on each line. `hold` and `follow` print a first object when all streams
// are open. The clients send BENCH_KEY from the environment as the bearer token. The jobs use only the loopback interface.

#include "streams.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    static const struct option known[] = {
        {"port", required_argument, NULL, 'p'},    {"target", required_argument, NULL, 't'},
        {"streams", required_argument, NULL, 'n'}, {"events", required_argument, NULL, 'e'},
        {"rate", required_argument, NULL, 'r'},    {"seconds", required_argument, NULL, 's'},
        {"directory", required_argument, NULL, 'd'}, {"size", required_argument, NULL, 'b'},
        {"first", required_argument, NULL, 'f'},   {"ids", no_argument, NULL, 'i'}, {0}};
    struct options options = {.target = "/"};
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        switch (option) {
        case 'p': options.port = atoi(optarg); break;
        case 't': options.target = optarg; break;
        case 'n': options.streams = (unsigned)atoi(optarg); break;
        case 'e': options.events = (unsigned)atoi(optarg); break;
        case 'r': options.rate = (unsigned)atoi(optarg); break;
        case 's': options.seconds = (unsigned)atoi(optarg); break;
        case 'd': options.directory = optarg; break;
        case 'b': options.size = (unsigned)atoi(optarg); break;
        case 'f': options.first = (unsigned)atoi(optarg); break;
        case 'i': options.ids = true; break;
        default: return 2;
        }
    }
    const char *job = optind < count ? arguments[optind] : "";
    if (strcmp(job, "upstream") == 0) return run_upstream();
    if (strcmp(job, "hold") == 0) return run_hold(&options);
    if (strcmp(job, "read") == 0) return run_read(&options);
    if (strcmp(job, "follow") == 0) return run_follow(&options);
    if (strcmp(job, "replay") == 0) return run_replay(&options);
    if (strcmp(job, "rate") == 0) return run_rate(&options);
    fprintf(stderr, "streams: name a job: upstream, hold, read, follow, replay or rate\n");
    return 2;
}
