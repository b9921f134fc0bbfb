/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees through their stylesheets. */
#include <libexslt/exslt.h>
#include <libxml/parser.h>
#include <libxslt/security.h>
#include <libxslt/transform.h>
#include <libxslt/variables.h>
#include <libxslt/xsltutils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "stylesheets.h"
#include "textbuf.h"

/** A stylesheet of the program's; read once. */
static xsltStylesheet *
stylesheet(enum page_form form)
{
    static const char *const sources[] = {
        [PAGE_HTML] = html_stylesheet,
        [PAGE_MARKDOWN] = markdown_stylesheet,
        [PAGE_TEXT] = text_stylesheet,
        [PAGE_LIST] = list_stylesheet,
        [PAGE_LIST_MARKDOWN] = list_markdown_stylesheet,
        [PAGE_SCHEMA] = schema_stylesheet,
    };
    static xsltStylesheet *read[sizeof sources / sizeof *sources];
    if (!read[form])
    {
        exsltStrRegister();
        const char *source = sources[form];
        read[form] = xsltParseStylesheetDoc(
            xmlReadMemory(source, (int)strlen(source), NULL, NULL, XML_PARSE_NONET));
    }
    return read[form];
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
page_write(xmlDoc *page, enum page_form form)
{
    /* The parameters are texts, not expressions. */
    const char *params[] = {"style", page_style, "script", page_script, NULL};
    xsltStylesheet *style = stylesheet(form);
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
    return text;
}
