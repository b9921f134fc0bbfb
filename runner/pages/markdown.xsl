<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- Reports and tables as Markdown. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
  <xsl:output method="text" encoding="UTF-8"/>
  <xsl:key name="verdict" match="verdict" use="@word"/>
  <xsl:variable name="small" select="'abcdefghijklmnopqrstuvwxyz'"/>
  <xsl:variable name="capital" select="'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"/>
  <xsl:variable name="letters" select="concat($small, $capital, '0123456789')"/>

  <!-- What Markdown takes for HTML. -->
  <xsl:template name="html">
    <xsl:param name="text" select="."/>
    <xsl:value-of select="str:replace(str:replace($text, '&amp;', '&amp;amp;'), '&lt;', '&amp;lt;')"/>
  </xsl:template>

  <!-- A text in which nothing is Markdown, in one line. Within a word _ is no mark. -->
  <xsl:template name="plain">
    <xsl:param name="text"/>
    <xsl:variable name="line" select="normalize-space($text)"/>
    <xsl:choose>
      <xsl:when test="translate($line, '\`*[]|~#_&amp;&lt;', '') = $line"><xsl:value-of select="$line"/></xsl:when>
      <xsl:otherwise>
        <xsl:variable name="shown">
          <xsl:call-template name="html"><xsl:with-param name="text" select="$line"/></xsl:call-template>
        </xsl:variable>
        <xsl:for-each select="str:split($shown, '')">
          <xsl:if test="contains('\`*[]|~#', .) or . = '_' and not(position() &gt; 1 and position() &lt; last() and
                        contains($letters, preceding-sibling::*[1]) and contains($letters, following-sibling::*[1]))">\</xsl:if>
          <xsl:value-of select="."/>
        </xsl:for-each>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

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
  <xsl:template match="says | paper | test" mode="cell">
    <xsl:variable name="text">
      <xsl:if test="self::test">tested: </xsl:if>
      <xsl:apply-templates/>
    </xsl:variable>
    <xsl:value-of select="str:replace($text, '|', '\|')"/>
  </xsl:template>
  <xsl:template match="gap" mode="cell"/>
  <xsl:template match="cell | column" mode="cell">
    <xsl:call-template name="plain"><xsl:with-param name="text" select="."/></xsl:call-template>
  </xsl:template>
  <xsl:template match="value" mode="cell">
    <xsl:for-each select="@row | @column">
      <xsl:call-template name="plain"><xsl:with-param name="text" select="."/></xsl:call-template>
      <xsl:text>: </xsl:text>
    </xsl:for-each>
    <xsl:call-template name="plain"><xsl:with-param name="text" select="."/></xsl:call-template>
  </xsl:template>

  <xsl:template match="@title | @name">
    <xsl:call-template name="plain"><xsl:with-param name="text" select="."/></xsl:call-template>
  </xsl:template>

  <!-- Tables. -->
  <xsl:template match="row">
    <xsl:text>|</xsl:text>
    <xsl:for-each select="*">
      <xsl:text> </xsl:text>
      <xsl:apply-templates select="." mode="cell"/>
      <xsl:if test="not(self::gap)"><xsl:text> </xsl:text></xsl:if>
      <xsl:text>|</xsl:text>
    </xsl:for-each>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="column"><xsl:value-of select="concat('--', substring('-:', 1 + boolean(@number), 1), '|')"/></xsl:template>

  <xsl:template match="table">
    <xsl:if test="column">
      <xsl:text>|</xsl:text>
      <xsl:for-each select="column">
        <xsl:text> </xsl:text>
        <xsl:apply-templates select="." mode="cell"/>
        <xsl:text> |</xsl:text>
      </xsl:for-each>
      <xsl:text>&#10;|</xsl:text>
      <xsl:apply-templates select="column"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:if>
    <xsl:apply-templates select="row"/>
  </xsl:template>

  <!-- A long table is folded away where Markdown is shown. -->
  <xsl:template match="table" mode="section">
    <xsl:choose>
      <xsl:when test="not(row)">
        <xsl:text>&#10;</xsl:text>
        <xsl:apply-templates select="@title"/>
        <xsl:text>: not run&#10;</xsl:text>
      </xsl:when>
      <xsl:when test="@folded">
        <xsl:text>&#10;&lt;details&gt;&lt;summary&gt;</xsl:text>
        <xsl:apply-templates select="@title"/>
        <xsl:value-of select="concat(' (', count(row), ' rows)&lt;/summary&gt;&#10;&#10;')"/>
        <xsl:apply-templates select="."/>
        <xsl:text>&#10;&lt;/details&gt;&#10;</xsl:text>
      </xsl:when>
      <xsl:otherwise>
        <xsl:text>&#10;</xsl:text>
        <xsl:apply-templates select="@title"/>
        <xsl:text>:&#10;&#10;</xsl:text>
        <xsl:apply-templates select="."/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Claims. -->
  <xsl:template match="claim">
    <xsl:value-of select="concat('| ', @number, @mark, ' | ')"/>
    <xsl:apply-templates select="says" mode="cell"/>
    <xsl:text> | </xsl:text>
    <xsl:apply-templates select="paper" mode="cell"/>
    <xsl:text> | </xsl:text>
    <xsl:for-each select="value | test">
      <xsl:if test="position() &gt; 1">&lt;br&gt;</xsl:if>
      <xsl:apply-templates select="." mode="cell"/>
    </xsl:for-each>
    <xsl:text> | </xsl:text>
    <xsl:value-of select="key('verdict', @verdict)[@word != 'none']/@name"/>
    <xsl:text> |&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="why">
    <xsl:value-of select="concat('&#10;**', ../@number, '.** ')"/>
    <xsl:apply-templates/>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>

  <!-- Where the numbers come from, folded away where Markdown is shown. -->
  <xsl:template match="query">
    <xsl:text>&#10;</xsl:text>
    <xsl:choose>
      <xsl:when test="parent::claim"><xsl:value-of select="concat('**', ../@number, '.**')"/></xsl:when>
      <xsl:otherwise><xsl:apply-templates select="../@title"/>:</xsl:otherwise>
    </xsl:choose>
    <xsl:value-of select="concat('&#10;&#10;', @fence, 'sql&#10;', ., @fence, '&#10;')"/>
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

  <xsl:template match="section">
    <xsl:text>&#10;## </xsl:text>
    <xsl:apply-templates select="@title"/>
    <xsl:text>&#10;</xsl:text>
    <xsl:apply-templates select="maker"/>
    <xsl:apply-templates select="p"/>
    <xsl:apply-templates select="@figure"/>
    <xsl:if test="claim">
      <xsl:text>&#10;| | what is claimed | the paper | Weft | verdict |&#10;|--:|---|---|---|---|&#10;</xsl:text>
    </xsl:if>
    <xsl:apply-templates select="claim"/>
    <xsl:apply-templates select="claim/why"/>
    <xsl:apply-templates select="table" mode="section"/>
    <xsl:if test="*/query">
      <xsl:text>&#10;&lt;details&gt;&lt;summary&gt;The queries&lt;/summary&gt;&#10;</xsl:text>
      <xsl:apply-templates select="*/query"/>
      <xsl:text>&#10;&lt;/details&gt;&#10;</xsl:text>
    </xsl:if>
  </xsl:template>

  <!-- A link to a section: its heading's letters and digits, small, with - for spaces. -->
  <xsl:template match="section" mode="contents">
    <xsl:variable name="known" select="translate(@title, translate(@title, concat($letters, '-_ '), ''), '')"/>
    <xsl:if test="position() = 1"><xsl:text>&#10;</xsl:text></xsl:if>
    <xsl:text>* [</xsl:text>
    <xsl:apply-templates select="@title"/>
    <xsl:value-of select="concat('](#', translate($known, concat($capital, ' '), concat($small, '-')), ')&#10;')"/>
  </xsl:template>

  <xsl:template match="verdict">
    <xsl:param name="claims"/>
    <xsl:variable name="n" select="count($claims[@verdict = current()/@word])"/>
    <xsl:if test="$n"><xsl:value-of select="concat('| ', @name, ' | ', $n, ' | ', @meaning, ' |&#10;')"/></xsl:if>
  </xsl:template>

  <xsl:template match="part">
    <xsl:if test="position() &gt; 1"><xsl:text>&#10;</xsl:text></xsl:if>
    <xsl:text># </xsl:text>
    <xsl:apply-templates select="@title"/>
    <xsl:value-of select='concat("&#10;&#10;&lt;!-- Made by &apos;weft report ", @path, "&apos;; do not edit. --&gt;&#10;")'/>
    <xsl:apply-templates select="p"/>
    <xsl:if test="section/claim">
      <xsl:text>&#10;| verdict | claims | what it means |&#10;|---|--:|---|&#10;</xsl:text>
      <xsl:apply-templates select="../verdict"><xsl:with-param name="claims" select="section/claim"/></xsl:apply-templates>
    </xsl:if>
    <xsl:if test="count(section) &gt; 5"><xsl:apply-templates select="section" mode="contents"/></xsl:if>
    <xsl:apply-templates select="section"/>
  </xsl:template>

  <xsl:template match="report"><xsl:apply-templates select="part"/></xsl:template>
</xsl:stylesheet>
