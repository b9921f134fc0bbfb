<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- A report in short, for a terminal: each claim, cut where two lines would not hold it, what Weft
     measures, what the paper has, and the verdict. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text" encoding="UTF-8"/>
  <xsl:key name="verdict" match="verdict" use="@word"/>

  <xsl:template match="/">
    <xsl:apply-templates select="report/part/section"/>
  </xsl:template>

  <xsl:template match="section">
    <xsl:value-of select="concat(normalize-space(@title), '&#10;')"/>
    <xsl:apply-templates select="claim"/>
  </xsl:template>

  <xsl:template match="claim">
    <xsl:variable name="number" select="concat(@number, @mark)"/>
    <xsl:variable name="says"><xsl:apply-templates select="says/node()"/></xsl:variable>
    <xsl:value-of select="concat('  ', substring('   ', 1 + string-length($number)), $number, '  ')"/>
    <xsl:value-of select="substring($says, 1, 92)"/>
    <xsl:if test="string-length($says) &gt; 92">...</xsl:if>
    <xsl:text>&#10;       Weft: </xsl:text>
    <xsl:for-each select="value | test">
      <xsl:if test="position() &gt; 1">; </xsl:if>
      <xsl:for-each select="@row | @column"><xsl:value-of select="concat(., ': ')"/></xsl:for-each>
      <xsl:if test="self::test">tested: </xsl:if>
      <xsl:apply-templates/>
    </xsl:for-each>
    <xsl:if test="paper">; the paper: <xsl:apply-templates select="paper/node()"/></xsl:if>
    <xsl:if test="@verdict != 'none'">; verdict: <xsl:value-of select="key('verdict', @verdict)/@name"/></xsl:if>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="code">
    <xsl:value-of select="concat(@fence, ., @fence)"/>
  </xsl:template>
</xsl:stylesheet>
