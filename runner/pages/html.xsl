<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- Results as a page that needs nothing from anywhere, and may ask for nothing. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
  <xsl:output method="html" encoding="UTF-8" indent="no" doctype-system="about:legacy-compat"/>
  <xsl:param name="style"/>
  <xsl:param name="script"/>

  <xsl:template match="report">
    <html lang="en">
      <head>
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <title><xsl:value-of select="part/@title"/></title>
        <style><xsl:value-of select="$style"/></style>
      </head>
      <body>
        <main><xsl:apply-templates select="part"/></main>
        <footer>Made by Weft <xsl:value-of select="@version"/>.</footer>
        <script><xsl:value-of select="$script"/></script>
      </body>
    </html>
  </xsl:template>

  <!-- Parts. -->
  <xsl:template match="part">
    <header>
      <h1><xsl:value-of select="@title"/></h1>
      <xsl:if test="count(section) &gt; 1">
        <nav aria-label="Sections">
          <ol class="contents"><xsl:apply-templates select="section" mode="contents"/></ol>
        </nav>
      </xsl:if>
    </header>
    <xsl:apply-templates select="section"/>
  </xsl:template>

  <xsl:template match="section" mode="contents">
    <li><a href="#{@id}"><xsl:value-of select="@title"/></a></li>
  </xsl:template>

  <xsl:template match="section">
    <section id="{@id}">
      <h2><xsl:value-of select="@title"/></h2>
      <xsl:if test="drawing"><div class="figures"><xsl:apply-templates select="drawing"/></div></xsl:if>
      <xsl:apply-templates select="remarks[remark]"/>
      <xsl:apply-templates select="table | facts"/>
    </section>
  </xsl:template>

  <!-- A space at both ends is there for backquotes that begin or end the code. -->
  <xsl:template match="code">
    <xsl:variable name="n" select="string-length()"/>
    <xsl:variable name="padded" select="number($n &gt; 2 and starts-with(., ' ') and substring(., $n) = ' ')"/>
    <code><xsl:value-of select="substring(., 1 + $padded, $n - 2 * $padded)"/></code>
  </xsl:template>

  <!-- Tables: readers sort them. -->
  <xsl:template match="table">
    <div class="box" tabindex="0" role="region" aria-label="{@title}{substring(concat('claim ', ../@number), 1 div boolean(parent::claim))}">
      <table class="sorts">
        <xsl:if test="@title"><caption><xsl:value-of select="@title"/></caption></xsl:if>
        <thead><tr><xsl:apply-templates select="column"/></tr></thead>
        <tbody><xsl:apply-templates select="row"/></tbody>
      </table>
    </div>
    <xsl:if test="@file or count(row) &gt; 12">
      <p class="count">
        <xsl:value-of select="concat(substring('The first ', 1 div boolean(@cut)), count(row), ' rows')"/>
        <xsl:if test="count(row) &gt; 12">; scroll in the table for those below</xsl:if>
        <xsl:if test="@file">; all are in <a href="{@href}"><xsl:value-of select="@file"/></a></xsl:if>
      </p>
    </xsl:if>
  </xsl:template>

  <xsl:template match="column">
    <th scope="col">
      <xsl:call-template name="class"/>
      <xsl:for-each select="str:split(., '')">
        <xsl:value-of select="."/>
        <xsl:if test="contains('.:_-', .)"><wbr/></xsl:if>
      </xsl:for-each>
    </th>
  </xsl:template>
  <xsl:template match="row"><tr><xsl:apply-templates/></tr></xsl:template>
  <xsl:template match="cell">
    <td>
      <xsl:call-template name="class"/>
      <xsl:if test="@value"><xsl:attribute name="data-value"><xsl:value-of select="@value"/></xsl:attribute></xsl:if>
      <xsl:copy-of select="@title"/>
      <xsl:value-of select="."/>
    </td>
  </xsl:template>
  <xsl:template name="class">
    <xsl:if test="@number | @behind">
      <xsl:attribute name="class"><xsl:value-of select="substring('n behind', 3 - 2 * boolean(@number), 2 - 1 + 7 * boolean(@behind))"/></xsl:attribute>
    </xsl:if>
  </xsl:template>

  <!-- What to know of the results before they are read. -->
  <xsl:template match="remarks">
    <div class="remarks">
      <h3><xsl:value-of select="@title"/></h3>
      <ul>
        <xsl:for-each select="remark">
          <li><xsl:for-each select="@line">line <xsl:value-of select="."/>: </xsl:for-each><xsl:value-of select="."/></li>
        </xsl:for-each>
      </ul>
    </div>
  </xsl:template>

  <xsl:template match="facts">
    <details class="facts">
      <xsl:copy-of select="@open"/>
      <summary><xsl:value-of select="@title"/></summary>
      <div class="box">
        <table>
          <tbody>
            <xsl:for-each select="fact">
              <tr><th scope="row"><xsl:value-of select="@name"/></th><td><xsl:apply-templates/></td></tr>
            </xsl:for-each>
          </tbody>
        </table>
      </div>
    </details>
  </xsl:template>

  <!-- Figures: images, in which nothing runs, whoever wrote the file. -->
  <xsl:template match="drawing">
    <figure>
      <div class="drawing">
        <xsl:choose>
          <xsl:when test="@image"><img src="{@image}" alt="{@name}"/></xsl:when>
          <xsl:otherwise><p class="missing">This figure cannot be shown: <xsl:value-of select="@missing"/></p></xsl:otherwise>
        </xsl:choose>
      </div>
      <figcaption><xsl:value-of select="@name"/></figcaption>
    </figure>
  </xsl:template>
</xsl:stylesheet>
