<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- What 'weft list' knows, as tables of the manual. Its texts are Markdown. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
  <xsl:output method="text" encoding="UTF-8"/>

  <!-- A text in which outside of code < is no tag. -->
  <xsl:template name="text">
    <xsl:param name="text"/>
    <xsl:variable name="code" select="substring-before(substring-after($text, '`'), '`')"/>
    <xsl:variable name="before" select="substring-before(concat($text, '`'), '`')"/>
    <xsl:value-of select="str:replace(str:replace($before, '&amp;', '&amp;amp;'), '&lt;', '&amp;lt;')"/>
    <xsl:if test="$code">
      <xsl:value-of select="concat('`', $code, '`')"/>
      <xsl:call-template name="text">
        <xsl:with-param name="text" select="substring-after(substring-after($text, '`'), '`')"/>
      </xsl:call-template>
    </xsl:if>
  </xsl:template>
  <xsl:template name="cell">
    <xsl:param name="text" select="."/>
    <xsl:text> </xsl:text>
    <xsl:call-template name="text"><xsl:with-param name="text" select="str:replace($text, '|', '\|')"/></xsl:call-template>
    <xsl:text> |</xsl:text>
  </xsl:template>
  <!-- A cell that may be empty. -->
  <xsl:template name="or-none">
    <xsl:param name="text"/>
    <xsl:call-template name="cell">
      <xsl:with-param name="text" select="concat($text, substring('-', 1 + boolean($text)))"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template match="@doc | @source"><xsl:call-template name="cell"/></xsl:template>

  <xsl:template match="/list"><xsl:apply-templates/></xsl:template>

  <xsl:template match="kind">
    <xsl:if test="@whole"><xsl:value-of select="concat('&#10;## ', @name, '&#10;&#10;', @doc, '&#10;')"/></xsl:if>
    <xsl:apply-templates/>
  </xsl:template>

  <xsl:template match="algorithm">
    <xsl:value-of select="concat('&#10;### ', ../@name, ' `', @name, '`&#10;&#10;', @doc, ' Source: ', @source, '.&#10;&#10;')"/>
    <xsl:call-template name="parameters"/>
    <xsl:if test="preset">
      <xsl:text>
| preset | sets | meaning | source |
|---|---|---|---|
</xsl:text>
    </xsl:if>
    <xsl:for-each select="preset">
      <xsl:value-of select="concat('| `', @name, '` | `', @sets, '` |')"/>
      <xsl:apply-templates select="@doc"/>
      <xsl:call-template name="cell"><xsl:with-param name="text" select="string(@source)"/></xsl:call-template>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
  </xsl:template>

  <xsl:template name="parameters">
    <xsl:if test="parameter">
      <xsl:text>| parameter | value | default | least | greatest | meaning | source |
|---|---|---|---|---|---|---|
</xsl:text>
    </xsl:if>
    <xsl:apply-templates select="parameter"/>
  </xsl:template>
  <xsl:template match="parameter">
    <xsl:value-of select="concat('| `', @name, '` |')"/>
    <xsl:call-template name="cell">
      <xsl:with-param name="text">
        <xsl:choose>
          <xsl:when test="@shape = 'length'">length in mm</xsl:when>
          <xsl:when test="@shape and @shape != 'template'">text</xsl:when>
          <xsl:when test="@choices"><xsl:value-of select="@choices"/></xsl:when>
          <xsl:when test="@word"><xsl:value-of select="concat(@type, ' or ', @word)"/></xsl:when>
          <xsl:otherwise><xsl:value-of select="@type"/></xsl:otherwise>
        </xsl:choose>
      </xsl:with-param>
    </xsl:call-template>
    <xsl:choose>
      <xsl:when test="@required and not(@default)"> required |</xsl:when>
      <xsl:otherwise><xsl:call-template name="or-none"><xsl:with-param name="text" select="@default"/></xsl:call-template></xsl:otherwise>
    </xsl:choose>
    <xsl:call-template name="or-none"><xsl:with-param name="text" select="@least[not(../@shape)]"/></xsl:call-template>
    <xsl:call-template name="or-none"><xsl:with-param name="text" select="@greatest[not(../@shape)]"/></xsl:call-template>
    <xsl:apply-templates select="@doc"/>
    <xsl:choose>
      <xsl:when test="@shape and @shape != 'template'"> |</xsl:when>
      <xsl:otherwise><xsl:call-template name="cell"><xsl:with-param name="text" select="string(@source)"/></xsl:call-template></xsl:otherwise>
    </xsl:choose>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="element">
    <xsl:value-of select="concat('&#10;### `&lt;', @name, '&gt;`&#10;&#10;In `', @parents)"/>
    <xsl:if test="@parents = ''">(root)</xsl:if>
    <xsl:text>`</xsl:text>
    <xsl:if test="@many">, any number of times</xsl:if>
    <xsl:value-of select="concat(': ', @doc, '.')"/>
    <xsl:if test="@absent"><xsl:value-of select="concat(' ', @absent)"/></xsl:if>
    <xsl:text>&#10;&#10;</xsl:text>
    <xsl:if test="not(@changes)"><xsl:call-template name="parameters"/></xsl:if>
  </xsl:template>

  <xsl:template match="table">
    <xsl:value-of select="concat('&#10;### `', @name, '`&#10;&#10;', @doc, '.&#10;&#10;')"/>
    <xsl:text>| column | meaning |
|---|---|
</xsl:text>
    <xsl:for-each select="column">
      <xsl:value-of select="concat('| `', @name, '` |')"/>
      <xsl:apply-templates select="@doc"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="needs">
    <xsl:text>
| need | what a simulator does |
|---|---|
</xsl:text>
    <xsl:for-each select="need"><xsl:value-of select="concat('| `', @name, '` | ', @doc, ' |&#10;')"/></xsl:for-each>
  </xsl:template>

  <xsl:template match="calls">
    <xsl:value-of select="concat('&#10;| ', @name, ' | where | needs | reads | writes |&#10;|---|---|---|---|---|&#10;')"/>
    <xsl:for-each select="call">
      <xsl:value-of select="concat('| `', @name, '` | ', @where, ' | ', @needs, ' | ', @reads, ' | ', @writes, ' |&#10;')"/>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
