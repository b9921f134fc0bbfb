<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- What 'weft list' knows, for a terminal. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
  <xsl:output method="text" encoding="UTF-8"/>

  <xsl:variable name="spaces" select="'                                        '"/>

  <!-- Words, indented and broken at column 100. -->
  <xsl:template name="wrap">
    <xsl:param name="words"/>
    <xsl:param name="column" select="0"/>
    <xsl:variable name="goes-on" select="$column &gt; 0 and $column + 1 + string-length($words[1]) &lt;= 100"/>
    <xsl:if test="$words">
      <xsl:choose>
        <xsl:when test="$goes-on"><xsl:text> </xsl:text></xsl:when>
        <xsl:when test="$column &gt; 0"><xsl:text>&#10;                   </xsl:text></xsl:when>
        <xsl:otherwise><xsl:text>                   </xsl:text></xsl:otherwise>
      </xsl:choose>
      <xsl:value-of select="$words[1]"/>
      <xsl:call-template name="wrap">
        <xsl:with-param name="words" select="$words[position() &gt; 1]"/>
        <xsl:with-param name="column" select="string-length($words[1]) + ($column + 1) * $goes-on + 19 * not($goes-on)"/>
      </xsl:call-template>
    </xsl:if>
    <xsl:if test="not($words)"><xsl:text>&#10;</xsl:text></xsl:if>
  </xsl:template>

  <!-- A sentence, and its source in brackets. -->
  <xsl:template match="@doc">
    <xsl:value-of select="."/>
    <xsl:for-each select="../@source"><xsl:value-of select="concat(' [', ., ']')"/></xsl:for-each>
  </xsl:template>
  <xsl:template match="@doc" mode="wrapped">
    <xsl:variable name="text"><xsl:apply-templates select="."/></xsl:variable>
    <xsl:call-template name="wrap"><xsl:with-param name="words" select="str:tokenize($text, ' ')"/></xsl:call-template>
  </xsl:template>

  <xsl:template match="/list"><xsl:apply-templates/></xsl:template>

  <xsl:template match="/overview">
    <xsl:for-each select="kind">
      <xsl:value-of select="concat(@name, ': ', @doc, '&#10;')"/>
      <xsl:for-each select="algorithm">
        <xsl:value-of select="concat('  ', @name, substring($spaces, 1, 18 - string-length(@name)), ' ')"/>
        <xsl:apply-templates select="@doc"/>
        <xsl:text>&#10;</xsl:text>
      </xsl:for-each>
    </xsl:for-each>
    <xsl:text>
'weft list NAME' shows the parameters of an algorithm or of all of a kind, 'weft list elements' every element
of a scenario, 'weft list columns' every column of the results, 'weft list calls' what a simulator
of your own must call.
</xsl:text>
  </xsl:template>

  <xsl:template match="algorithm">
    <xsl:value-of select="concat('&lt;', ../@name, ' ', ../@selector, '=&quot;', @name, '&quot;/&gt;  ')"/>
    <xsl:apply-templates select="@doc"/>
    <xsl:text>&#10;</xsl:text>
    <xsl:apply-templates/>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="parameter">
    <xsl:value-of select="concat('  ', @name, substring($spaces, 1, 16 - string-length(@name)), ' ')"/>
    <xsl:value-of select="concat(@type, substring($spaces, 1, 10 - string-length(@type)), ' default ')"/>
    <xsl:choose>
      <xsl:when test="@default"><xsl:value-of select="@default"/></xsl:when>
      <xsl:when test="@required">required</xsl:when>
      <xsl:otherwise>-</xsl:otherwise>
    </xsl:choose>
    <xsl:if test="@least | @greatest">
      <xsl:text>, from </xsl:text>
      <xsl:value-of select="concat(@least, substring('-', 1 + boolean(@least)))"/>
      <xsl:text> to </xsl:text>
      <xsl:value-of select="concat(@greatest, substring('-', 1 + boolean(@greatest)))"/>
    </xsl:if>
    <xsl:if test="@choices"><xsl:value-of select="concat(', one of: ', @choices)"/></xsl:if>
    <xsl:if test="@word"><xsl:value-of select="concat(', or ', @word)"/></xsl:if>
    <xsl:text>&#10;</xsl:text>
    <xsl:apply-templates select="@doc" mode="wrapped"/>
  </xsl:template>
  <xsl:template match="parameter[@shape and @shape != 'template']">
    <xsl:value-of select="concat('  ', @name, substring($spaces, 1, 16 - string-length(@name)), ' text       ')"/>
    <xsl:if test="@required">required</xsl:if>
    <xsl:if test="not(@required)">optional</xsl:if>
    <xsl:value-of select="concat('&#10;                   ', @doc, '&#10;')"/>
  </xsl:template>

  <xsl:template match="preset">
    <xsl:value-of select="concat('  preset=&quot;', @name, '&quot;  ', @sets, '&#10;')"/>
    <xsl:apply-templates select="@doc" mode="wrapped"/>
  </xsl:template>

  <xsl:template match="element">
    <xsl:value-of select="concat('&lt;', @name, '&gt; in ', @parents)"/>
    <xsl:if test="@parents = ''">(root)</xsl:if>
    <xsl:if test="@many">, any number of times</xsl:if>
    <xsl:value-of select="concat(': ', @doc, '&#10;')"/>
    <xsl:if test="@absent"><xsl:value-of select="concat('  ', @absent, '&#10;')"/></xsl:if>
    <xsl:if test="not(@changes)"><xsl:apply-templates/></xsl:if>
    <xsl:text>&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="table">
    <xsl:value-of select="concat(@name, ': ', @doc, '&#10;')"/>
    <xsl:for-each select="column">
      <xsl:value-of select="concat('  ', @name, substring($spaces, 1, 20 - string-length(@name)), ' ', @doc, '&#10;')"/>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="needs">
    <xsl:text>needs:&#10;</xsl:text>
    <xsl:for-each select="need">
      <xsl:value-of select="concat('  ', @name, substring($spaces, 1, 10 - string-length(@name)), ' ', @doc, '&#10;')"/>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="calls">
    <xsl:value-of select="concat(@name, ': where it is called, what it needs, which members of packets it reads&#10;')"/>
    <xsl:for-each select="call">
      <xsl:value-of select="concat('  ', @name, substring($spaces, 1, 16 - string-length(@name)), ' ')"/>
      <xsl:value-of select="concat(@where, substring($spaces, 1, 9 - string-length(@where)), ' ')"/>
      <xsl:value-of select="concat(@needs, substring($spaces, 1, 36 - string-length(@needs)))"/>
      <xsl:value-of select="concat(' ', @reads, '; writes ', @writes, '&#10;')"/>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
