<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- Tables as Markdown. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
  <xsl:output method="text" encoding="UTF-8"/>
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

  <xsl:template match="cell | column" mode="cell">
    <xsl:call-template name="plain"><xsl:with-param name="text" select="."/></xsl:call-template>
  </xsl:template>

  <!-- Tables. -->
  <xsl:template match="row">
    <xsl:text>|</xsl:text>
    <xsl:for-each select="*">
      <xsl:text> </xsl:text>
      <xsl:apply-templates select="." mode="cell"/>
      <xsl:text> |</xsl:text>
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
</xsl:stylesheet>
