/* SPDX-License-Identifier: GPL-2.0-only */
#include "built-code.h"

#include <stdlib.h>
#include <string.h>

#include "base/tables.h"
#include "built-hashes.h"
#include "textbuf.h"

const char built_commit[] = BUILT_COMMIT;

struct hashed
{
    const struct weft_algo *algo;
    const char *hash;
};

/* clang-format off */
#define HASHED(table) {&table.algo, BUILT_##table},
static const struct hashed hashes[] = {
    WEFT_TOPOLOGIES(HASHED)
    WEFT_SCHEDULERS(HASHED)
    WEFT_BALANCERS(HASHED)
    WEFT_TRANSPORTS(HASHED)
    WEFT_CONGESTION_CONTROLS(HASHED)
    WEFT_WORKLOADS(HASHED)
};
/* clang-format on */

/** NULL: the algorithm is a part of the simulator. */
static const char *
hash_of(const struct weft_algo *algo)
{
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
    {
        if (hashes[i].algo == algo)
        {
            return hashes[i].hash;
        }
    }
    return NULL;
}

static bool
is_used(const struct scenario *s, const struct weft_algo *algo)
{
    bool used = s->topology.algo == algo || s->scheduler.algo == algo || s->balancer.algo == algo ||
                s->transport.algo == algo || s->cc.algo == algo;
    for (size_t i = 0; !used && i < s->nclasses; i++)
    {
        const struct qp_class *c = &s->classes[i];
        used = c->balancer.algo == algo || c->transport.algo == algo || c->cc.algo == algo;
    }
    for (size_t i = 0; !used && i < s->nworkloads; i++)
    {
        used = s->workloads[i].choice.algo == algo;
    }
    return used;
}

char *
built_code(const struct scenario *s)
{
    struct text t = {0};
    size_t n;
    const struct weft_registry *registries = weft_registries(&n);
    text_add(&t, "simulator " BUILT_SIMULATOR);
    for (size_t r = 0; r < n; r++)
    {
        for (size_t i = 0; i < registries[r].count; i++)
        {
            const struct weft_algo *algo = registries[r].algos[i];
            const char *hash = is_used(s, algo) ? hash_of(algo) : NULL;
            if (hash)
            {
                text_add(&t, ", %s %s %s", registries[r].kind, algo->name, hash);
            }
        }
    }
    return text_take(&t);
}

/** Adds the names of those parts of @p code that @p was does not have. */
static void
add_changed(struct text *t, const char *was, const char *code)
{
    while (*code)
    {
        const size_t n = strcspn(code, ",");
        OWNED char *part = xformat("%.*s", (int)n, code);
        if (!strstr(was, part))
        {
            *strrchr(part, ' ') = '\0';
            text_add(t, "%s%s", t->len ? ", " : "", part);
        }
        code += n + strspn(code + n, ", ");
    }
}

char *
built_code_changed(const char *was, const char *code)
{
    CLEANUP(text_drop) struct text changed = {0};
    add_changed(&changed, was, code);
    return changed.s ? xformat("the code of %s changed", changed.s) : NULL;
}
