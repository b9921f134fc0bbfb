/* SPDX-License-Identifier: MIT */
/*
 * Mistakes that an author of another simulator makes. On the checked build each ends its process
 * with the name of the call and the rule. usage: misuse, or misuse NUMBER to make one of them
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/weft.h>

#define PORTS 8

static const struct weft_lb_ops *lb;
static void *state;
static struct weft_clos clos;
static uint32_t queues[PORTS];
static struct weft_ports ports = {queues, NULL, 4, 4, 4, 0, 0};
static struct weft_packet packet;

static void *
defaults(const struct weft_algo *algo)
{
    void *config = calloc(1, algo->config_size + 8);
    weft_config_default(algo, config);
    return config;
}

/* ToR 0 of a fat-tree of three tiers with k = 8: ports 4 to 7 lead upwards. */
static void
make(const char *name)
{
    const struct weft_topology_ops *tree = weft_topology_find("fat-tree");
    struct weft_mmu_config buffer;
    struct weft_site site;
    void *shape = defaults(&tree->algo);
    lb = weft_lb_find(name);
    void *config = defaults(&lb->algo);
    weft_config_default(&weft_mmu_algo, &buffer);
    if (weft_config_set(&tree->algo, shape, "k", "8") || tree->build(shape, &clos))
    {
        exit(3);
    }
    weft_clos_site(&clos, &buffer, 0, 1, 1, &site);
    state = calloc(1, lb->state_size(config, &site));
    if (lb->init(state, config, &site))
    {
        exit(3);
    }
    packet.dst = 100;
}

static void
no_candidates(void)
{
    make("jsq");
    ports.n = 0;
    lb->pick(state, &ports, &packet, 0);
}

static void
foreign_ports(void)
{
    make("drill");
    ports.first = PORTS;
    lb->pick(state, &ports, &packet, 0);
}

static void
foreign_list(void)
{
    static const uint16_t list[] = {4, 5, 4000};
    make("switch-rr");
    ports.list = list;
    ports.n = 3;
    lb->pick(state, &ports, &packet, 0);
}

static void
shuffled(void)
{
    static const uint16_t list[] = {6, 4, 7, 5};
    make("simple-rr");
    ports.list = list;
    lb->pick(state, &ports, &packet, 0);
}

static void
foreign_host(void)
{
    make("ofan");
    packet.dst = 1000000;
    lb->pick(state, &ports, &packet, 0);
}

static void
backwards(void)
{
    make("ecmp");
    lb->pick(state, &ports, &packet, 5);
    lb->pick(state, &ports, &packet, 4);
}

static void
no_queues(void)
{
    make("ar");
    ports.queue_bytes = NULL;
    lb->pick(state, &ports, &packet, 0);
}

static void
no_init(void)
{
    make("ecmp");
    uint64_t zeros[64] = {0};
    lb->pick(zeros, &ports, &packet, 0);
}

static struct weft_qp qp;

static void
make_qp(void)
{
    static struct weft_nic_algos algos;
    static const struct weft_qp_site site = {
        .index = 7,
        .transport = {.rate = 100000000000, .base_rtt = 8000000, .frame = 1500},
        .cc = {
            .line_rate = 100000000000, .share = 1, .base_rtt = 8000000, .links = 2, .frame = 1500}};
    algos.transport = weft_transport_find("gbn");
    algos.transport_config = defaults(&algos.transport->algo);
    algos.cc = weft_cc_find("none");
    algos.cc_config = defaults(&algos.cc->algo);
    weft_config_default(&weft_fabric_algo, &algos.frame);
    if (weft_qp_init(&qp, calloc(1, weft_qp_size(&algos, &site)), &algos, &site, 0))
    {
        exit(3);
    }
    packet.qp = 7;
}

static void
data_as_reply(void)
{
    make_qp();
    weft_qp_reply(&qp, &packet, 0);
}

static void
reply_of_another(void)
{
    make_qp();
    packet.kind = WEFT_ACK;
    packet.qp = 8;
    weft_qp_reply(&qp, &packet, 0);
}

static void
answer_nothing(void)
{
    struct weft_qp_answer answer = {.verdict = {.reply = WEFT_REPLY_NONE}};
    make_qp();
    weft_qp_answer_with(&qp, &packet, &answer);
}

static void
tell_loss(void)
{
    make_qp();
    weft_qp_told_lost(&qp, &packet, 0);
}

static const struct
{
    void (*make)(void);
    const char *says;
} mistakes[] = {
    {no_candidates, "weft: lb->pick: there is at least one candidate (n)"},
    {foreign_ports, "weft: lb->pick: candidates are ports of the switch"},
    {foreign_list, "weft: lb->pick: candidates are ports of the switch"},
    {shuffled, "weft: lb->pick: candidates come in the order of their port numbers"},
    {foreign_host, "weft: lb->pick: a packet's src and dst are hosts of the site's clos"},
    {backwards, "weft: lb->pick: time does not go backwards"},
    {no_queues, "weft: lb->pick: this balancer looks at queues"},
    {no_init, "weft: lb->pick: init() of this state comes first"},
    {data_as_reply, "weft: weft_qp_reply: the packet is an ACK or a NACK"},
    {reply_of_another, "weft: weft_qp_reply: the packet is of this QP"},
    {answer_nothing, "weft: weft_qp_answer_with: there is a reply to be sent"},
    {tell_loss, "weft: weft_qp_told_lost: only a transport with tx_lost()"},
};

/* Makes mistake @p i in a process of its own. Returns whether it is ended by what it should say. */
static int
is_named(size_t i)
{
    char text[256] = "";
    int ends[2];
    int status;
    if (pipe(ends))
    {
        return 0;
    }
    const pid_t child = fork();
    if (child == 0)
    {
        (void)dup2(ends[1], STDERR_FILENO);
        mistakes[i].make();
        exit(0);
    }
    (void)close(ends[1]);
    const ssize_t length = read(ends[0], text, sizeof text - 1);
    (void)waitpid(child, &status, 0);
    if (length > 0 && WIFSIGNALED(status) && strstr(text, mistakes[i].says) == text)
    {
        return 1;
    }
    fprintf(stderr, "mistake %d, expected to say '%s', says '%s'\n", (int)i, mistakes[i].says,
            text);
    return 0;
}

int
main(int argc, char **argv)
{
    const size_t count = sizeof mistakes / sizeof mistakes[0];
    size_t named = 0;
    if (argc > 1)
    {
        mistakes[(size_t)atoi(argv[1]) % count].make();
        return 0;
    }
    for (size_t i = 0; i < count; i++)
    {
        named += (size_t)is_named(i);
    }
    printf("%d of %d mistakes are named\n", (int)named, (int)count);
    return named == count ? EXIT_SUCCESS : EXIT_FAILURE;
}
