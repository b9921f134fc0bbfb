<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- A report as Markdown, with the templates of runner/pages/markdown.xsl. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
  <xsl:key name="verdict" match="verdict" use="@word"/>

  <!-- A text that is Markdown. -->
  <xsl:template match="text()">
    <xsl:call-template name="html"/>
  </xsl:template>
  <xsl:template match="code">
    <xsl:value-of select="concat(@fence, ., @fence)"/>
  </xsl:template>
  <xsl:template match="escaped"><xsl:value-of select="concat('\', .)"/></xsl:template>
  <xsl:template match="strong">**<xsl:apply-templates/>**</xsl:template>
  <xsl:template match="a">
    <xsl:text>[</xsl:text>
    <xsl:apply-templates/>
    <xsl:text>](</xsl:text>
    <xsl:for-each select="@href"><xsl:call-template name="html"/></xsl:for-each>
    <xsl:text>)</xsl:text>
  </xsl:template>

  <!-- The same in a cell of a table. -->
  <xsl:template match="says | paper | key" mode="cell">
    <xsl:variable name="text"><xsl:apply-templates/></xsl:variable>
    <xsl:value-of select="str:replace($text, '|', '\|')"/>
  </xsl:template>
  <xsl:template match="value" mode="cell">
    <xsl:for-each select="@row | @column">
      <xsl:call-template name="plain"><xsl:with-param name="text" select="."/></xsl:call-template>
      <xsl:text>: </xsl:text>
    </xsl:for-each>
    <xsl:call-template name="plain"><xsl:with-param name="text" select="."/></xsl:call-template>
  </xsl:template>

  <xsl:template match="@title | @hangs-on | key/@figure | figure/@name">
    <xsl:call-template name="plain"><xsl:with-param name="text" select="."/></xsl:call-template>
  </xsl:template>

  <xsl:template match="table" mode="section">
    <xsl:text>&#10;</xsl:text>
    <xsl:apply-templates select="@title"/>
    <xsl:choose>
      <xsl:when test="not(row)">: not run&#10;</xsl:when>
      <xsl:otherwise>
        <xsl:text>:&#10;&#10;</xsl:text>
        <xsl:apply-templates select="."/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Claims: a cell has a few numbers, and what is more or longer stands behind. -->
  <xsl:template match="claim" mode="weft">
    <xsl:param name="key"/>
    <xsl:for-each select="headline/value | value[not(../headline) and not(../table)]">
      <xsl:if test="position() &gt; 1">&lt;br&gt;</xsl:if>
      <xsl:apply-templates select="." mode="cell"/>
    </xsl:for-each>
    <xsl:if test="table and not($key and headline)">
      <xsl:value-of select="concat(substring('&lt;br&gt;', 1 div boolean(headline)), '[all](#', @id, ')')"/>
    </xsl:if>
    <xsl:if test="test and not(value)"><xsl:value-of select="concat('[a test](#', @id, ')')"/></xsl:if>
  </xsl:template>

  <xsl:template match="claim" mode="judged">
    <xsl:param name="key"/>
    <xsl:text> | </xsl:text>
    <xsl:apply-templates select="paper" mode="cell"/>
    <xsl:text> | </xsl:text>
    <xsl:apply-templates select="." mode="weft"><xsl:with-param name="key" select="$key"/></xsl:apply-templates>
    <xsl:text> | </xsl:text>
    <xsl:variable name="verdict" select="key('verdict', @verdict)[@word != 'none']/@name"/>
    <xsl:choose>
      <xsl:when test="why and $verdict and @verdict != 'notrun'"><xsl:value-of select="concat('[', $verdict, '](#', @id, ')')"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="$verdict"/></xsl:otherwise>
    </xsl:choose>
    <xsl:text> | </xsl:text>
    <xsl:apply-templates select="@hangs-on"/>
    <xsl:text> |&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="claim">
    <xsl:value-of select="concat('| ', @number, @mark, ' | ')"/>
    <xsl:apply-templates select="says" mode="cell"/>
    <xsl:apply-templates select="." mode="judged"/>
  </xsl:template>

  <xsl:template match="claim" mode="key">
    <xsl:text>| [</xsl:text>
    <xsl:apply-templates select="key/@figure"/>
    <xsl:text>](#</xsl:text>
    <xsl:apply-templates select="parent::section" mode="anchor"/>
    <xsl:text>) | </xsl:text>
    <xsl:apply-templates select="key" mode="cell"/>
    <xsl:apply-templates select="." mode="judged"><xsl:with-param name="key" select="true()"/></xsl:apply-templates>
  </xsl:template>

  <xsl:template match="claim" mode="behind">
    <xsl:value-of select="concat('&#10;&lt;a id=&quot;', @id, '&quot;&gt;&lt;/a&gt;**', @number, '.**', substring(' ', 1 div boolean(why)))"/>
    <xsl:apply-templates select="why/node()"/>
    <xsl:for-each select="test">
      <xsl:text> Tested: </xsl:text>
      <xsl:apply-templates/>
      <xsl:text>.</xsl:text>
    </xsl:for-each>
    <xsl:text>&#10;</xsl:text>
    <xsl:if test="table">
      <xsl:text>&#10;</xsl:text>
      <xsl:apply-templates select="table"/>
    </xsl:if>
  </xsl:template>

  <!-- Sections and parts. -->
  <xsl:template match="p">
    <xsl:text>&#10;</xsl:text>
    <xsl:apply-templates/>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="maker">
    <xsl:text>&#10;Results of </xsl:text>
    <xsl:apply-templates/>
    <xsl:text>.&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="@figure">
    <xsl:text>&#10;![</xsl:text>
    <xsl:apply-templates select="../@title"/>
    <xsl:value-of select="concat('](', str:replace(str:replace(., '(', '%28'), ')', '%29'), ')&#10;')"/>
  </xsl:template>

  <!-- Its first paragraph, its figure and its claims are shown; causes, tables and the rest are folded away, with those
       of sections behind it that have nothing else. -->
  <xsl:template match="section">
    <xsl:variable name="behind" select="following-sibling::section[not(claim or shows) and
                                        generate-id(preceding-sibling::section[claim or shows][1]) = generate-id(current())]"/>
    <xsl:text>&#10;## </xsl:text>
    <xsl:apply-templates select="@title"/>
    <xsl:text>&#10;</xsl:text>
    <xsl:apply-templates select="p[1]"/>
    <xsl:apply-templates select="@figure"/>
    <xsl:if test="claim">
      <xsl:text>&#10;| | what is claimed | the paper | Weft | verdict | hangs on |&#10;|--:|---|---|---|---|---|&#10;</xsl:text>
    </xsl:if>
    <xsl:apply-templates select="claim"/>
    <xsl:if test="maker or p[2] or claim[why or test or table] or table or $behind">
      <xsl:text>&#10;&lt;details&gt;&lt;summary&gt;Causes, tables and how it is run&lt;/summary&gt;&#10;</xsl:text>
      <xsl:apply-templates select="maker"/>
      <xsl:apply-templates select="p[position() &gt; 1]"/>
      <xsl:apply-templates select="claim[why or test or table]" mode="behind"/>
      <xsl:apply-templates select="table" mode="section"/>
      <xsl:apply-templates select="$behind" mode="behind"/>
      <xsl:text>&#10;&lt;/details&gt;&#10;</xsl:text>
    </xsl:if>
  </xsl:template>

  <xsl:template match="section" mode="behind">
    <xsl:text>&#10;**</xsl:text>
    <xsl:apply-templates select="@title"/>
    <xsl:text>**&#10;</xsl:text>
    <xsl:apply-templates select="@figure"/>
    <xsl:apply-templates select="maker | p"/>
    <xsl:apply-templates select="table" mode="section"/>
  </xsl:template>

  <!-- A heading's letters and digits, small, with - for spaces. -->
  <xsl:template match="section" mode="anchor">
    <xsl:variable name="known" select="translate(@title, translate(@title, concat($letters, '-_ '), ''), '')"/>
    <xsl:value-of select="translate($known, concat($capital, ' '), concat($small, '-'))"/>
  </xsl:template>

  <xsl:template match="section" mode="link">
    <xsl:value-of select="concat(substring(', ', 1 div boolean(position() &gt; 1)), '[')"/>
    <xsl:apply-templates select="@title"/>
    <xsl:text>](#</xsl:text>
    <xsl:apply-templates select="." mode="anchor"/>
    <xsl:text>)</xsl:text>
  </xsl:template>

  <!-- Of all figures of the paper: what it shows, and the sections about it. -->
  <xsl:template match="figure">
    <xsl:variable name="sections" select="../section[shows/@name = current()/@name]"/>
    <xsl:text>* **</xsl:text>
    <xsl:apply-templates select="@name"/>
    <xsl:text>**, </xsl:text>
    <xsl:apply-templates/>
    <xsl:if test="$sections">: </xsl:if>
    <xsl:apply-templates select="$sections" mode="link"/>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>

  <!-- docs/generate.sh takes this table's row into the page about all papers. -->
  <xsl:template name="counts">
    <xsl:variable name="claims" select="section/claim"/>
    <xsl:variable name="verdicts" select="../verdict[@word != 'quick' or @word = $claims/@verdict]"/>
    <xsl:text>&#10;| claims |</xsl:text>
    <xsl:for-each select="$verdicts"><xsl:value-of select="concat(' ', @name, ' |')"/></xsl:for-each>
    <xsl:text>&#10;|--:|</xsl:text>
    <xsl:for-each select="$verdicts">--:|</xsl:for-each>
    <xsl:value-of select="concat('&#10;| ', count($claims), ' |')"/>
    <xsl:for-each select="$verdicts"><xsl:value-of select="concat(' ', count($claims[@verdict = current()/@word]), ' |')"/></xsl:for-each>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="part">
    <xsl:if test="position() &gt; 1"><xsl:text>&#10;</xsl:text></xsl:if>
    <xsl:text># </xsl:text>
    <xsl:apply-templates select="@title"/>
    <xsl:value-of select='concat("&#10;&#10;&lt;!-- Made by &apos;weft report ", @path, "&apos;; do not edit. --&gt;&#10;")'/>
    <xsl:if test="section/claim/key">
      <xsl:text>&#10;| | what is claimed | the paper | Weft | verdict | hangs on |&#10;|---|---|---|---|---|---|&#10;</xsl:text>
      <xsl:apply-templates select="section/claim[key]" mode="key"/>
    </xsl:if>
    <xsl:if test="figure">
      <xsl:text>&#10;## Figures and tables&#10;&#10;</xsl:text>
      <xsl:apply-templates select="figure"/>
      <xsl:variable name="others" select="section[claim and not(shows)]"/>
      <xsl:if test="$others">* Others: </xsl:if>
      <xsl:apply-templates select="$others" mode="link"/>
      <xsl:if test="$others"><xsl:text>&#10;</xsl:text></xsl:if>
      <xsl:text>&#10;## How to read this page&#10;</xsl:text>
    </xsl:if>
    <xsl:apply-templates select="p"/>
    <xsl:if test="section/claim"><xsl:call-template name="counts"/></xsl:if>
    <xsl:value-of select="concat('&#10;The queries behind all numbers: [', @path, '](', @claims, ').&#10;')"/>
    <xsl:apply-templates select="section[claim or shows] | section[not(claim or shows) and not(preceding-sibling::section[claim or shows])]"/>
  </xsl:template>

  <xsl:template match="report"><xsl:apply-templates select="part"/></xsl:template>
</xsl:stylesheet>
