/* SPDX-License-Identifier: GPL-2.0-only */
/* make-chakra <TEXT >FILE.et: a Chakra trace from lines of words. "node ID TYPE MICROS NEEDS
 * NAME=VALUE
 * ..." is a node that waits for NEEDS, ids between commas or '-'; a value of digits is a whole
 * number, else it is text. "values TEXT" gives the node before it the values of its inputs, to the
 * end of the line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chakra.pb-c.h"
#include "textbuf.h"

static void
put(const void *bytes, size_t n)
{
    uint64_t left = n;
    for (; left > 0x7f; left >>= 7)
    {
        putchar((int)(left & 0x7fU) | 0x80);
    }
    putchar((int)left);
    fwrite(bytes, 1, n, stdout);
}

static void
add_needs(Chakra__Node *node, char *word)
{
    for (char *id = strtok(word, ","); id && strcmp(id, "-") != 0; id = strtok(NULL, ","))
    {
        ARRAY_GROW(node->data_deps, node->n_data_deps);
        node->data_deps[node->n_data_deps++] = strtoull(id, NULL, 10);
    }
}

static void
add_attribute(Chakra__Node *node, char *word)
{
    Chakra__Attribute *a = xcalloc(1, sizeof *a);
    char *value = word + strcspn(word, "=");
    chakra__attribute__init(a);
    *value++ = '\0';
    a->name = word;
    a->has_int64_value = *value && value[*value == '-' ? 1 : 0] != '\0' &&
                         value[strspn(value, "-0123456789")] == '\0';
    a->int64_value = a->has_int64_value ? strtoll(value, NULL, 10) : 0;
    a->string_value = a->has_int64_value ? NULL : value;
    ARRAY_GROW(node->attributes, node->n_attributes);
    node->attributes[node->n_attributes++] = a;
}

static void
write_node(Chakra__Node *node)
{
    const size_t n = chakra__node__get_packed_size(node);
    uint8_t *bytes = xcalloc(n + 1, 1);
    put(bytes, chakra__node__pack(node, bytes));
    free(bytes);
}

/** Reads "node ..." into a node, whose memory goes with the program. */
static void
read_node(struct words *words, Chakra__Node *node)
{
    chakra__node__init(node);
    node->has_id = node->has_type = node->has_duration_micros = 1;
    node->id = strtoull(words->word[1], NULL, 10);
    node->type = atoi(words->word[2]);
    node->name = xformat("%s-%s", node->type == 1 ? "process_group" : "node", words->word[1]);
    node->duration_micros = strtoull(words->word[3], NULL, 10);
    add_needs(node, words->word[4]);
    for (size_t i = 5; i < words->n; i++)
    {
        add_attribute(node, words->word[i]);
    }
}

int
main(void)
{
    static char line[65536];
    Chakra__Node node;
    Chakra__Values values;
    bool any = false;
    put("\x0a\x05"
        "0.0.4",
        7);
    while (fgets(line, sizeof line, stdin))
    {
        line[strcspn(line, "\n")] = '\0';
        struct words words = words_split(line);
        if (words.n >= 5 && strcmp(words.word[0], "node") == 0)
        {
            if (any)
            {
                write_node(&node);
            }
            read_node(&words, &node);
            any = true;
        }
        else if (any && strncmp(line, "values ", 7) == 0)
        {
            chakra__values__init(&values);
            values.values = xstrdup(line + 7);
            node.inputs = &values;
        }
        else if (words.n > 0)
        {
            fprintf(stderr, "make-chakra: what is '%s'?\n", line);
            return 1;
        }
    }
    if (any)
    {
        write_node(&node);
    }
    return 0;
}
