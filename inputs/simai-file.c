/* SPDX-License-Identifier: GPL-2.0-only */
#include "simai-file.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

/** Words of a layer's line. */
enum
{
    NAME,
    DEPENDENCY,
    PASSES,
    UPDATE = PASSES + 3 * SIMAI_PASSES,
    WORDS,
};

/** Words that a first line may begin with; the first two are read. */
static const char *const policies[] = {"HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                       "HYBRID_TRANSFORMER",
                                       "DATA",
                                       "MODEL",
                                       "MICRO",
                                       "HYBRID_DATA_MODEL",
                                       "HYBRID_MODEL_DATA",
                                       "HYBRID_CUSTOMIZED",
                                       "HYBRID_DLRM",
                                       "HYBRID_DLRM_ENHANCED",
                                       "DISTRIBUTED_INFERENCE"};
#define READ_POLICIES 2

static const struct weft_param ns_param =
    INPUT_PARAM("nanoseconds", WEFT_COUNT, "0", "1000000000000");
static const struct weft_param bytes_param =
    INPUT_PARAM("bytes", WEFT_COUNT, "0", "1000000000000000");
static const struct weft_param layers_param =
    INPUT_PARAM("number of layers", WEFT_COUNT, "1", "16777216");

bool
simai_file_is(const char *bytes, size_t n)
{
    size_t begin = 0, length = 0;
    while (begin < n && strchr("\xef\xbb\xbf \t\r\n", bytes[begin]) && bytes[begin])
    {
        begin++;
    }
    while (begin + length < n && strchr(" \t\r\n", bytes[begin + length]) == NULL)
    {
        length++;
    }
    bool found = false;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
    {
        found = found ||
                (strlen(policies[i]) == length && memcmp(bytes + begin, policies[i], length) == 0);
    }
    return found;
}

/* --- parallelism ------------------------------------------------------------------------------ */

enum key
{
    TP,
    EP,
    PP,
    VPP,
    GA,
    GPUS,
    PP_BYTES,
    CHECKPOINTS,
    INITIATES,
    NKEYS,
};

static const char *const key_names[NKEYS] = {
    "model_parallel_NPU_group", "ep", "pp", "vpp", "ga", "all_gpus", "pp_comm", "checkpoints",
    "checkpoint_initiates"};

static const struct weft_param key_params[NKEYS] = {
    INPUT_PARAM("model_parallel_NPU_group", WEFT_COUNT, "1", "1048576"),
    INPUT_PARAM("ep", WEFT_COUNT, "1", "1048576"),
    INPUT_PARAM("pp", WEFT_COUNT, "1", "65536"),
    INPUT_PARAM("vpp", WEFT_COUNT, "1", "65536"),
    INPUT_PARAM("ga", WEFT_COUNT, "1", "16777216"),
    INPUT_PARAM("all_gpus", WEFT_COUNT, "1", "1048576"),
    INPUT_PARAM("pp_comm", WEFT_COUNT, "0", "1000000000000000"),
    INPUT_PARAM("checkpoints", WEFT_COUNT, "0", "0"),
    INPUT_PARAM("checkpoint_initiates", WEFT_COUNT, "0", "0"),
};

/** Reads "key: value" pairs from the second word on. */
static bool
read_keys(struct table_lines *t, int64_t values[NKEYS], bool seen[NKEYS])
{
    bool good = true;
    for (size_t i = 1; i < t->n; i += 2)
    {
        char *word = t->word[i];
        const size_t n = strlen(word);
        word[n - (word[n - 1] == ':')] = '\0';
        struct nearest near = nearest_start(word);
        const size_t key = name_find(&near, key_names, NKEYS);
        if (key == NKEYS || seen[key])
        {
            return input_error(t->from, t->line,
                               "%s '%s' of the parallelism; expected model_parallel_NPU_group, ep, "
                               "pp, vpp, ga, all_gpus, pp_comm, checkpoints or "
                               "checkpoint_initiates, each once%s",
                               key == NKEYS ? "unknown" : "a second", word,
                               key == NKEYS ? did_you_mean(near.best) : "");
        }
        if (i + 1 == t->n)
        {
            return input_error(t->from, t->line, "%s has no value; expected one", key_names[key]);
        }
        seen[key] = true;
        good = table_value(t, &key_params[key], t->word[i + 1], &values[key]) && good;
    }
    return good;
}

static bool
read_parallelism(struct table_lines *t, struct simai_workload *w)
{
    int64_t values[NKEYS] = {[TP] = 1, [EP] = 1, [PP] = 1, [VPP] = 1, [GA] = 1};
    bool seen[NKEYS] = {false};
    size_t policy = 0;
    while (policy < READ_POLICIES && strcmp(t->word[0], policies[policy]) != 0)
    {
        policy++;
    }
    if (policy == READ_POLICIES)
    {
        return input_error(t->from, t->line, "parallelism '%s'; expected %s or %s", t->word[0],
                           policies[0], policies[1]);
    }
    if (!read_keys(t, values, seen))
    {
        return false;
    }
    w->line = t->line;
    w->tp = (uint32_t)values[TP];
    w->ep = (uint32_t)values[EP];
    w->pp = (uint32_t)values[PP];
    w->vpp = (uint32_t)values[VPP];
    w->ga = (uint32_t)values[GA];
    w->gpus = (uint32_t)values[GPUS];
    w->pp_bytes = (uint64_t)values[PP_BYTES];
    return w->pp == 1 || w->pp_bytes > 0 ||
           input_error(t->from, t->line,
                       "pp %u without pp_comm; expected the bytes between stages of the pipeline",
                       w->pp);
}

/* --- layers ----------------------------------------------------------------------------------- */

static const char *const collective_names[] = {"NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER",
                                               "ALLTOALL"};

/** Reads such as ALLGATHER_DP_EP. Without a group forward passes and gradients of inputs are of
 * tensors, gradients of weights of data. */
static bool
read_collective(struct table_lines *t, const char *word, size_t kind, struct simai_pass *pass)
{
    static const char *const groups[] = {[SIMAI_EP] = "_EP", [SIMAI_DP_EP] = "_DP_EP"};
    const size_t n = strcspn(word, "_");
    size_t of = 0;
    while (of < 5 && (strlen(collective_names[of]) != n || strncmp(word, collective_names[of], n)))
    {
        of++;
    }
    const uint8_t usual = kind == SIMAI_WEIGHT_GRADIENT ? SIMAI_DP : SIMAI_TP;
    pass->of = (uint8_t)of;
    pass->group = strcmp(word + n, groups[SIMAI_EP]) == 0      ? SIMAI_EP
                  : strcmp(word + n, groups[SIMAI_DP_EP]) == 0 ? SIMAI_DP_EP
                                                               : usual;
    if (of == 5 || (word[n] && (pass->group == usual || of == SIMAI_NONE)))
    {
        return input_error(t->from, t->line,
                           "collective '%s'; expected NONE, or ALLREDUCE, ALLGATHER, REDUCESCATTER "
                           "or ALLTOALL, perhaps with _EP or _DP_EP behind it",
                           word);
    }
    return true;
}

static bool
read_pass(struct table_lines *t, size_t kind, struct simai_pass *pass)
{
    char **word = &t->word[PASSES + 3 * kind];
    int64_t ns = 0, bytes = 0;
    const bool good = table_value(t, &ns_param, word[0], &ns) &&
                      read_collective(t, word[1], kind, pass) &&
                      table_value(t, &bytes_param, word[2], &bytes);
    pass->compute = ns * 1000;
    pass->bytes = pass->of == SIMAI_NONE ? 0 : (uint64_t)bytes;
    return good;
}

static void
read_layer(struct table_lines *t, struct simai_workload *w)
{
    struct simai_layer layer = {.line = t->line,
                                .begins = strcmp(t->word[NAME], "embedding_layer") == 0};
    int64_t ns = 0;
    if (t->n != WORDS)
    {
        input_error(t->from, t->line,
                    "%zu words; expected %d: name, dependency, forward compute, collective and "
                    "bytes, the same for the input's gradient and for the weights', and the update "
                    "time",
                    t->n, WORDS);
        return;
    }
    for (size_t i = 0; i < SIMAI_PASSES; i++)
    {
        if (!read_pass(t, i, &layer.pass[i]))
        {
            return;
        }
    }
    if (table_value(t, &ns_param, t->word[UPDATE], &ns))
    {
        layer.update = ns * 1000;
        ARRAY_GROW(w->layers, w->n);
        w->layers[w->n++] = layer;
    }
}

bool
simai_file_parse(struct table_lines *t, struct simai_workload *w)
{
    int64_t count = 0, n = 0;
    *w = (struct simai_workload){0};
    if (!read_parallelism(t, w))
    {
        return false;
    }
    if (!table_lines_next(t) || t->n != 1)
    {
        return input_error(t->from, t->line,
                           "no number of layers; expected it on a line of its own");
    }
    const int announced = t->line;
    if (!table_value(t, &layers_param, t->word[0], &count))
    {
        return false;
    }
    for (; n < count && table_lines_next(t); n++)
    {
        read_layer(t, w);
    }
    if (!t->from->bad && n == 0)
    {
        input_error(t->from, announced, "no layers; expected %lld", (long long)count);
    }
    else if (!t->from->bad && n < count)
    {
        input_warning(t->from, announced,
                      "it announces %lld layers and has %lld, which are run; expected as many",
                      (long long)count, (long long)n);
    }
    else if (!t->from->bad && table_lines_next(t))
    {
        input_warning(t->from, t->line,
                      "what follows the %lld layers that line %d announces is not read",
                      (long long)count, announced);
    }
    return !t->from->bad;
}
