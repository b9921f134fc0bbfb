/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees through their stylesheets. */
#include <errno.h>
#include <libexslt/exslt.h>
#include <libxml/parser.h>
#include <libxslt/security.h>
#include <libxslt/transform.h>
#include <libxslt/variables.h>
#include <libxslt/xsltutils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "page.h"
#include "stylesheets.h"
#include "textbuf.h"

static xmlDoc *
parsed(const char *source)
{
    return xmlReadMemory(source, (int)strlen(source), NULL, NULL, XML_PARSE_NONET);
}

/** The stylesheet with the templates of another one (NULL: none), which take the place of its own.
 */
static xsltStylesheet *
stylesheet(const char *sheet, const char *more)
{
    xmlDoc *doc = parsed(sheet), *others = more ? parsed(more) : NULL;
    for (xmlNode *e = others ? xmlDocGetRootElement(others)->children : NULL; e; e = e->next)
    {
        xmlAddChild(xmlDocGetRootElement(doc), xmlDocCopyNode(e, doc, 1));
    }
    xmlFreeDoc(others);
    exsltStrRegister();
    return xsltParseStylesheetDoc(doc);
}

/** A stylesheet that may neither read nor write, files or network. */
static void
forbid_all(xsltSecurityPrefs *prefs)
{
    static const xsltSecurityOption options[] = {
        XSLT_SECPREF_READ_FILE, XSLT_SECPREF_WRITE_FILE, XSLT_SECPREF_CREATE_DIRECTORY,
        XSLT_SECPREF_READ_NETWORK, XSLT_SECPREF_WRITE_NETWORK};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    {
        xsltSetSecurityPrefs(prefs, options[i], xsltSecurityForbid);
    }
}

char *
page_write(xmlDoc *page, const char *sheet, const char *more)
{
    /* The parameters are texts, not expressions. */
    const char *params[] = {"style", page_style, "script", page_script, NULL};
    xsltStylesheet *style = stylesheet(sheet, more);
    xsltTransformContext *context = xsltNewTransformContext(style, page);
    xsltSecurityPrefs *prefs = xsltNewSecurityPrefs();
    forbid_all(prefs);
    xsltSetCtxtSecurityPrefs(prefs, context);
    xsltQuoteUserParams(context, params);
    xmlDoc *result = xsltApplyStylesheetUser(style, page, NULL, NULL, NULL, context);
    xmlChar *bytes = NULL;
    int n = 0;
    if (!result || xsltSaveResultToString(&bytes, &n, result, style) != 0)
    {
        fprintf(stderr, "weft: error: a page cannot be written\n");
        exit(EXIT_FAILURE);
    }
    char *text = xformat("%s", bytes ? (const char *)bytes : "");
    xmlFree(bytes);
    xmlFreeDoc(result);
    xsltFreeTransformContext(context);
    xsltFreeSecurityPrefs(prefs);
    xsltFreeStylesheet(style);
    return text;
}

/* --- its file --------------------------------------------------------------------------------- */

static bool
write_into(const char *text, const char *output, char **why)
{
    FILE *file = fopen(output, "w");
    const bool good = file && fputs(text, file) >= 0;
    if ((file && fclose(file) != 0) || !good)
    {
        *why = xformat("cannot write %s: %s", output, strerror(errno));
        return false;
    }
    return true;
}

bool
page_deliver(const char *text, const char *output, char **why)
{
    struct stat st;
    if (!output)
    {
        return fputs(text, stdout) >= 0;
    }
    if (stat(output, &st) == 0 && !S_ISREG(st.st_mode))
    {
        return write_into(text, output, why); /* a device or a pipe stays what it is */
    }
    const char *slash = strrchr(output, '/');
    OWNED char *folder =
        slash ? xformat("%.*s", slash > output ? (int)(slash - output) : 1, output) : xstrdup(".");
    return file_replace(folder, slash ? slash + 1 : output, text, strlen(text), why);
}
