<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- The RELAX NG schema of scenarios, of all that 'weft list' knows. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns="http://relaxng.org/ns/structure/1.0"
                xmlns:a="http://relaxng.org/ns/compatibility/annotations/1.0">
  <xsl:output method="xml" encoding="UTF-8" indent="yes"/>
  <xsl:variable name="number">[+\-]?[0-9]+(\.[0-9]+)?</xsl:variable>

  <xsl:template match="/list">
    <xsl:comment> SPDX-License-Identifier: GPL-2.0-only </xsl:comment>
    <xsl:comment> Scenarios of Weft, for editors and validators. Made by 'weft schema' from the
     parameter tables of the algorithms: do not edit. Bounds, and what depends on
     other elements, are checked by 'weft validate'. </xsl:comment>
    <grammar datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
      <start><ref name="scenario"/></start>
      <xsl:apply-templates select="element"/>
    </grammar>
  </xsl:template>

  <!-- Two elements of one name have two definitions. -->
  <xsl:template match="element" mode="definition">
    <xsl:if test="@changes">changed-</xsl:if>
    <xsl:value-of select="@name"/>
  </xsl:template>

  <xsl:template match="element">
    <xsl:variable name="name"><xsl:apply-templates select="." mode="definition"/></xsl:variable>
    <xsl:variable name="kind" select="../kind[@name = current()/@name]"/>
    <xsl:variable name="children" select="../element[contains(concat(' ', @parents, ' '), concat(' ', current()/@name, ' '))]"/>
    <define name="{$name}">
      <element name="{@name}">
        <xsl:apply-templates select="@doc"/>
        <xsl:if test="@selector">
          <choice>
            <xsl:apply-templates select="$kind/algorithm">
              <xsl:with-param name="element" select="."/>
            </xsl:apply-templates>
            <!-- A sweep may choose the algorithm: then the element stands without its selector. -->
            <xsl:if test="not(@algorithm)">
              <group>
                <optional><attribute name="preset"/></optional>
                <xsl:for-each select="$kind/algorithm/parameter[not(@name = ../preceding-sibling::algorithm/parameter/@name)]">
                  <optional><attribute name="{@name}"/></optional>
                </xsl:for-each>
              </group>
            </xsl:if>
          </choice>
        </xsl:if>
        <xsl:apply-templates select="parameter"/>
        <xsl:if test="@text"><text/></xsl:if>
        <xsl:if test="$children">
          <interleave>
            <xsl:for-each select="$children">
              <xsl:variable name="child"><xsl:apply-templates select="." mode="definition"/></xsl:variable>
              <xsl:choose>
                <xsl:when test="@many"><zeroOrMore><ref name="{$child}"/></zeroOrMore></xsl:when>
                <xsl:otherwise><optional><ref name="{$child}"/></optional></xsl:otherwise>
              </xsl:choose>
            </xsl:for-each>
          </interleave>
        </xsl:if>
        <xsl:if test="not(@selector or @text or parameter or $children)"><empty/></xsl:if>
      </element>
    </define>
  </xsl:template>

  <xsl:template match="@doc"><a:documentation><xsl:value-of select="."/></a:documentation></xsl:template>

  <xsl:template match="algorithm">
    <xsl:param name="element"/>
    <xsl:variable name="selector">
      <attribute name="{$element/@selector}"><value><xsl:value-of select="@name"/></value></attribute>
    </xsl:variable>
    <group>
      <xsl:apply-templates select="@doc"/>
      <xsl:choose>
        <xsl:when test="@name = $element/@algorithm"><optional><xsl:copy-of select="$selector"/></optional></xsl:when>
        <xsl:otherwise><xsl:copy-of select="$selector"/></xsl:otherwise>
      </xsl:choose>
      <xsl:if test="preset">
        <optional>
          <attribute name="preset">
            <choice><xsl:for-each select="preset"><value><xsl:value-of select="@name"/></value></xsl:for-each></choice>
          </attribute>
        </optional>
      </xsl:if>
      <xsl:apply-templates select="parameter"/>
    </group>
  </xsl:template>

  <xsl:template match="parameter">
    <optional><xsl:apply-templates select="." mode="attribute"/></optional>
  </xsl:template>
  <xsl:template match="element/parameter[@required]">
    <xsl:apply-templates select="." mode="attribute"/>
  </xsl:template>
  <xsl:template match="parameter" mode="attribute">
    <attribute name="{@name}">
      <xsl:apply-templates select="@doc"/>
      <xsl:choose>
        <xsl:when test="@shape = 'list' and @required"><list><oneOrMore><xsl:call-template name="number-or-range"/></oneOrMore></list></xsl:when>
        <xsl:when test="@shape = 'list'"><list><zeroOrMore><xsl:call-template name="number-or-range"/></zeroOrMore></list></xsl:when>
        <xsl:when test="@shape = 'label'"><text/></xsl:when>
        <xsl:when test="@shape = 'length'">
          <xsl:call-template name="pattern"><xsl:with-param name="of" select="'[0-9]+(\.[0-9]+)?mm'"/></xsl:call-template>
        </xsl:when>
        <xsl:when test="@shape = 'template'">
          <choice>
            <xsl:call-template name="value"/>
            <xsl:call-template name="pattern"><xsl:with-param name="of" select="'.+\.gp'"/></xsl:call-template>
          </choice>
        </xsl:when>
        <xsl:when test="@shape = 'text'"><data type="string"><param name="minLength">1</param></data></xsl:when>
        <xsl:otherwise><xsl:call-template name="value"/></xsl:otherwise>
      </xsl:choose>
    </attribute>
  </xsl:template>

  <xsl:template name="number-or-range">
    <choice>
      <xsl:call-template name="value"/>
      <xsl:call-template name="pattern"><xsl:with-param name="of" select="'[0-9]+-[0-9]+'"/></xsl:call-template>
    </choice>
  </xsl:template>

  <xsl:template name="pattern">
    <xsl:param name="of"/>
    <data type="string"><param name="pattern"><xsl:value-of select="$of"/></param></data>
  </xsl:template>

  <!-- What one word of each type looks like; bounds are the loader's business. -->
  <xsl:template name="value">
    <xsl:choose>
      <xsl:when test="@choices">
        <choice>
          <xsl:for-each select="str:tokenize(@choices)" xmlns:str="http://exslt.org/strings"><value><xsl:value-of select="."/></value></xsl:for-each>
        </choice>
      </xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="pattern">
          <xsl:with-param name="of">
            <xsl:choose>
              <xsl:when test="@type = 'time'"><xsl:value-of select="$number"/>(ps|ns|us|ms|s)|inf</xsl:when>
              <xsl:when test="@type = 'bytes'"><xsl:value-of select="$number"/>(B|KB|MB|GB|KiB|MiB|GiB)</xsl:when>
              <xsl:when test="@type = 'rate'"><xsl:value-of select="$number"/>(bps|Kbps|Mbps|Gbps|Tbps)</xsl:when>
              <xsl:when test="@type = 'count'"><xsl:value-of select="$number"/></xsl:when>
              <xsl:when test="@type = 'real'"><xsl:value-of select="$number"/>([eE][+\-]?[0-9]+)?</xsl:when>
              <xsl:otherwise>on|off|true|false|yes|no|1|0</xsl:otherwise>
            </xsl:choose>
            <xsl:if test="@word"><xsl:value-of select="concat('|', @word)"/></xsl:if>
          </xsl:with-param>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
