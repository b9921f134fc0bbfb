<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- A report as a page, with the templates of runner/pages/html.xsl. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:str="http://exslt.org/strings" exclude-result-prefixes="str">
  <xsl:key name="verdict" match="verdict" use="@word"/>

  <!-- Parts. -->
  <xsl:template match="part">
    <header>
      <h1><xsl:value-of select="@title"/></h1>
      <xsl:if test="section/claim/key">
        <xsl:call-template name="claims"><xsl:with-param name="claims" select="section/claim[key]"/></xsl:call-template>
      </xsl:if>
      <xsl:if test="figure"><h2>Figures and tables</h2><ul class="list"><xsl:apply-templates select="figure"/></ul></xsl:if>
      <h2>Overview</h2>
      <xsl:if test="p"><div class="findings"><xsl:apply-templates select="p"/></div></xsl:if>
      <xsl:if test="section/claim"><xsl:call-template name="overview"/></xsl:if>
      <nav aria-label="Sections">
        <ol class="contents"><xsl:apply-templates select="section" mode="contents"/></ol>
      </nav>
    </header>
    <xsl:apply-templates select="section"/>
  </xsl:template>

  <!-- Of all figures of the paper: what it shows, and the sections about it. -->
  <xsl:template match="figure">
    <li>
      <strong><xsl:value-of select="@name"/></strong>
      <xsl:text>, </xsl:text>
      <xsl:apply-templates/>
      <xsl:for-each select="../section[shows/@name = current()/@name]">
        <xsl:value-of select="substring(':,', 1 + (position() &gt; 1), 1)"/>
        <xsl:text> </xsl:text>
        <a href="#{@id}"><xsl:value-of select="@title"/></a>
      </xsl:for-each>
    </li>
  </xsl:template>

  <!-- How many claims have which verdict; the bar is as long for each. -->
  <xsl:template name="overview">
    <xsl:variable name="claims" select="section/claim"/>
    <xsl:variable name="verdicts" select="../verdict[@word = $claims/@verdict]"/>
    <div class="bar" aria-hidden="true">
      <xsl:for-each select="$verdicts">
        <span class="v-{@word}" style="flex-grow:{count($claims[@verdict = current()/@word])}"/>
      </xsl:for-each>
    </div>
    <table class="counts">
      <caption><xsl:value-of select="count($claims)"/> claims</caption>
      <thead><tr><th scope="col">verdict</th><th scope="col" class="n">claims</th><th scope="col">what it means</th></tr></thead>
      <tbody>
        <xsl:for-each select="$verdicts">
          <tr>
            <td><span class="verdict v-{@word}"><xsl:value-of select="@name"/></span></td>
            <td class="n"><xsl:value-of select="count($claims[@verdict = current()/@word])"/></td>
            <td><xsl:value-of select="@meaning"/></td>
          </tr>
        </xsl:for-each>
      </tbody>
    </table>
  </xsl:template>

  <!-- A section, with a sign for every claim. -->
  <xsl:template match="section" mode="contents">
    <li>
      <a href="#{@id}"><xsl:value-of select="@title"/></a>
      <span class="signs">
        <xsl:for-each select="claim">
          <xsl:variable name="verdict" select="key('verdict', @verdict)"/>
          <xsl:variable name="says" select="concat('claim ', @number, ': ', $verdict/@name)"/>
          <xsl:text> </xsl:text>
          <a class="v-{@verdict}" href="#{@id}" title="{$says}" aria-label="{$says}"><xsl:value-of select="$verdict/@sign"/></a>
        </xsl:for-each>
      </span>
    </li>
  </xsl:template>

  <xsl:template match="section">
    <section id="{@id}">
      <h2><xsl:value-of select="@title"/></h2>
      <xsl:apply-templates select="p[1]"/>
      <xsl:if test="drawing"><div class="figures"><xsl:apply-templates select="drawing"/></div></xsl:if>
      <xsl:if test="claim"><xsl:call-template name="claims"><xsl:with-param name="claims" select="claim"/></xsl:call-template></xsl:if>
      <xsl:if test="maker or p[2] or claim[why or test or table] or table">
        <details class="rows">
          <summary>Causes, tables and how it is run</summary>
          <xsl:apply-templates select="maker | p[position() &gt; 1]"/>
          <xsl:apply-templates select="claim[why or test or table]" mode="behind"/>
          <xsl:apply-templates select="table"/>
        </details>
      </xsl:if>
      <xsl:apply-templates select="facts"/>
    </section>
  </xsl:template>

  <xsl:template match="maker"><p class="maker">Results of <xsl:apply-templates/></p></xsl:template>

  <xsl:template match="p"><p><xsl:apply-templates/></p></xsl:template>
  <xsl:template match="strong"><strong><xsl:apply-templates/></strong></xsl:template>
  <xsl:template match="a[starts-with(@href, 'https://') or starts-with(@href, 'http://')]">
    <a href="{@href}" rel="noreferrer"><xsl:value-of select="."/></a>
  </xsl:template>

  <!-- Claims: a cell has a few numbers, and what is more or longer stands behind. Of the first table, whose claims stand
       in their sections too, a row begins with the figure. -->
  <xsl:template name="claims">
    <xsl:param name="claims"/>
    <xsl:variable name="key" select="boolean(self::part)"/>
    <table class="claims sorts" role="table">
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader"><xsl:if test="not($key)">no.</xsl:if></th>
          <th scope="col" role="columnheader">what is claimed</th>
          <th scope="col" role="columnheader">the paper</th>
          <th scope="col" role="columnheader">Weft</th>
          <th scope="col" role="columnheader">verdict</th>
          <th scope="col" role="columnheader">hangs on</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        <xsl:apply-templates select="$claims"><xsl:with-param name="key" select="$key"/></xsl:apply-templates>
      </tbody>
    </table>
  </xsl:template>

  <xsl:template match="claim">
    <xsl:param name="key"/>
    <xsl:variable name="verdict" select="key('verdict', @verdict)"/>
    <tr role="row">
      <xsl:choose>
        <xsl:when test="$key">
          <th scope="row" role="rowheader"><a href="#{../@id}"><xsl:value-of select="key/@figure"/></a></th>
        </xsl:when>
        <xsl:otherwise>
          <xsl:attribute name="id"><xsl:value-of select="@id"/></xsl:attribute>
          <th scope="row" role="rowheader" data-value="{@number}"><xsl:value-of select="@number"/></th>
        </xsl:otherwise>
      </xsl:choose>
      <td class="says" role="cell" data-head="what is claimed">
        <p><xsl:apply-templates select="says[not($key)]/node() | key[$key]/node()"/></p>
      </td>
      <td role="cell" data-head="the paper"><xsl:apply-templates select="paper/node()"/></td>
      <td role="cell" data-head="Weft">
        <ul>
          <xsl:for-each select="headline/value | value[not(../headline) and not(../table)]">
            <li>
              <xsl:for-each select="@row | @column">
                <span class="label"><xsl:value-of select="concat(., ':')"/></span>
                <xsl:text> </xsl:text>
              </xsl:for-each>
              <xsl:apply-templates/>
            </li>
          </xsl:for-each>
          <xsl:if test="table and not($key and headline)"><li><a href="#{@id}-all">all</a></li></xsl:if>
          <xsl:if test="test and not(value)"><li><a href="#{@id}-all">a test</a></li></xsl:if>
        </ul>
      </td>
      <td role="cell" data-head="verdict" data-value="{count($verdict/preceding-sibling::verdict)}">
        <xsl:variable name="badge">
          <span class="verdict v-{@verdict}" title="{$verdict/@meaning}"><xsl:value-of select="$verdict/@name"/></span>
        </xsl:variable>
        <xsl:choose>
          <xsl:when test="why and @verdict != 'notrun'"><a href="#{@id}-all"><xsl:copy-of select="$badge"/></a></xsl:when>
          <xsl:otherwise><xsl:copy-of select="$badge"/></xsl:otherwise>
        </xsl:choose>
        <xsl:if test="@verdict != 'former'"><xsl:value-of select="@mark"/></xsl:if>
      </td>
      <td role="cell" data-head="hangs on"><xsl:value-of select="@hangs-on"/></td>
    </tr>
  </xsl:template>

  <xsl:template match="claim" mode="behind">
    <p class="why" id="{@id}-all">
      <strong><xsl:value-of select="concat(@number, '.')"/></strong>
      <xsl:text> </xsl:text>
      <xsl:apply-templates select="why/node()"/>
      <xsl:for-each select="test"> Tested: <xsl:apply-templates/>.</xsl:for-each>
    </p>
    <xsl:apply-templates select="table"/>
  </xsl:template>

  <xsl:template match="table[not(row)]">
    <p class="missing"><xsl:value-of select="@title"/>: not run</p>
  </xsl:template>
</xsl:stylesheet>
